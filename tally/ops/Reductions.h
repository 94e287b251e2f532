//===- Reductions.h - shape rules of reductions -----------------*- C++ -*-===//

#ifndef TALLY_OPS_REDUCTIONS_H
#define TALLY_OPS_REDUCTIONS_H

#include "tally/ops/Inference.h"

namespace tally::nn {

/// `shape` with the reduced axes set to 1 or dropped.
llvm::SmallVector<int64_t> reducedShape(llvm::ArrayRef<int64_t> shape,
                                        llvm::ArrayRef<int64_t> axes,
                                        bool keepdims);

/// Result of arg_max and arg_min (rules ARG-1, ARG-2).
llvm::LogicalResult inferArgExtreme(MaybeLocation location,
                                    llvm::StringRef name, mlir::Value input,
                                    int64_t axis, bool keepdims,
                                    Inferred &inferred);

} // namespace tally::nn

#endif // TALLY_OPS_REDUCTIONS_H
