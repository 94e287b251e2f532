//===- Windows.h - shape rules of sliding-window operators ------*- C++ -*-===//

#ifndef TALLY_OPS_WINDOWS_H
#define TALLY_OPS_WINDOWS_H

#include "tally/eval/Window.h"
#include "tally/ops/Inference.h"

namespace tally::nn {

/// Attributes that every window operator has; `pads` lists all begins, then
/// all ends.
struct WindowSizes {
  llvm::ArrayRef<int64_t> kernel, strides, pads, dilations;
};

/// Fails by `rule` unless the lists have n, n, 2n and n entries and kernel,
/// strides and dilations are positive, and all entries fit 32 bits.
llvm::LogicalResult checkWindow(MaybeLocation location, llvm::StringRef rule,
                                size_t n, const WindowSizes &window);

/// The geometry between input and output tensors [N, C, spatial].
eval::WindowGeometry windowGeometry(const eval::Tensor &input,
                                    const eval::Tensor &output,
                                    const WindowSizes &window);

/// Result shape of a convolution (rules CONV-1 to CONV-4); the kernel follows
/// from the weight.
llvm::LogicalResult inferConvolution(MaybeLocation location, mlir::Value input,
                                     mlir::Value weight, WindowSizes window,
                                     int64_t group,
                                     llvm::SmallVectorImpl<int64_t> &shape);

/// Result of max_pool and average_pool (rules POOL-1 to POOL-5).
llvm::LogicalResult inferPool(MaybeLocation location, llvm::StringRef name,
                              mlir::Value input, const WindowSizes &window,
                              bool ceilMode, bool allowInteger,
                              Inferred &inferred);

} // namespace tally::nn

#endif // TALLY_OPS_WINDOWS_H
