//===- RuntimeScales.h - shape rules of computed scales ---------*- C++ -*-===//

#ifndef TALLY_OPS_RUNTIMESCALES_H
#define TALLY_OPS_RUNTIMESCALES_H

#include "tally/ops/Inference.h"

namespace tally::nn {

/// Checks the shapes of a scale and an optional zero point against the tensor
/// they belong to: a single number, one per index of `axis`, or one per block.
llvm::LogicalResult checkRuntimeScales(MaybeLocation location,
                                       llvm::StringRef rule, mlir::Value input,
                                       mlir::Value scale, mlir::Value zeroPoint,
                                       int64_t axis, int64_t blockSize);

} // namespace tally::nn

#endif // TALLY_OPS_RUNTIMESCALES_H
