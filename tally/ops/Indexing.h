//===- Indexing.h - rules shared by operators with run-time indices -------===//

#ifndef TALLY_OPS_INDEXING_H
#define TALLY_OPS_INDEXING_H

#include "tally/eval/Updates.h"
#include "tally/ops/Inference.h"

namespace tally::nn {

/// Rules INDEX-1 and INDEX-3.
llvm::LogicalResult checkIndexed(MaybeLocation location, mlir::Value data,
                                 mlir::Value indices);
/// Rule INDEX-2 for dimension `axis` of the data.
llvm::LogicalResult checkNotEmpty(MaybeLocation location, mlir::Value data,
                                  int64_t axis);
/// Rule SCATTER-2.
llvm::LogicalResult checkUpdates(MaybeLocation location, mlir::Value data,
                                 mlir::Value updates,
                                 llvm::StringRef reduction);

/// The kind that a reduction attribute names.
eval::UpdateKind updateKind(llvm::StringRef reduction);

} // namespace tally::nn

#endif // TALLY_OPS_INDEXING_H
