//===- Normalizations.h - rules shared by normalizing operators -*- C++ -*-===//

#ifndef TALLY_OPS_NORMALIZATIONS_H
#define TALLY_OPS_NORMALIZATIONS_H

#include "tally/ops/Inference.h"

namespace tally::nn {

/// Fails by `rule` unless the element is a float type and, where one is
/// needed, not f64 (transcendental functions are pinned in fp32).
llvm::LogicalResult checkFloat(MaybeLocation location, llvm::StringRef rule,
                               mlir::Type element, bool allowF64);

/// Fails by `rule` unless `axis` is a dimension of `input`.
llvm::LogicalResult checkAxis(MaybeLocation location, llvm::StringRef rule,
                              mlir::Value input, int64_t axis);

/// Fails by `rule` unless `parameter` (may be null) has `count` elements in
/// one dimension.
llvm::LogicalResult checkPerChannel(MaybeLocation location,
                                    llvm::StringRef rule, mlir::Value parameter,
                                    int64_t count);

/// For each element of a tensor of shape `to`, the element of one of shape
/// `from` that broadcasting pairs with it.
std::vector<int64_t> broadcastIndices(llvm::ArrayRef<int64_t> to,
                                      llvm::ArrayRef<int64_t> from);

} // namespace tally::nn

#endif // TALLY_OPS_NORMALIZATIONS_H
