//===- Window.h - sliding windows in generated code -------------*- C++ -*-===//

#ifndef TALLY_CPU_LOWER_WINDOW_H
#define TALLY_CPU_LOWER_WINDOW_H

#include "tally/cpu/KernelBuilder.h"

namespace tally::cpu {

/// n spatial dimensions; `pads` lists n begins, then n ends.
struct WindowShape {
  eval::Shape input, output, kernel, strides, pads, dilations;
  /// Distance of neighbouring input elements with nothing in between; empty
  /// means 1. The stride of a transposed convolution.
  eval::Shape spread = {};
  size_t rank() const { return input.size(); }
};

/// Per dimension, the input index that tap 0 reads; may lie in the padding.
using WindowPosition = llvm::SmallVector<Value>;

/// The position of a window from its row-major output pixel.
WindowPosition windowOrigin(KernelBuilder &k, const WindowShape &window,
                            Value pixel);

/// What the tap at `indices` (one per dimension) reads: the row-major input
/// pixel, safe to load from in any case, and whether there is one.
struct TapPlace {
  Value pixel, valid;
};
TapPlace tapPlace(KernelBuilder &k, const WindowShape &window,
                  const WindowPosition &origin, mlir::ValueRange indices);

/// Loops over all taps: body(row-major tap, row-major input pixel, whether it
/// lies inside the input). The pixel is safe to load from in either case.
void forEachTap(
    KernelBuilder &k, const WindowShape &window, const WindowPosition &origin,
    llvm::function_ref<void(Value tap, Value pixel, Value valid)> body);

/// Folds over the taps of a window: step(carried, input pixel, valid).
Value foldTaps(
    KernelBuilder &k, const WindowShape &window, const WindowPosition &origin,
    Value start,
    llvm::function_ref<Value(Value carried, Value pixel, Value valid)> step);

} // namespace tally::cpu

#endif // TALLY_CPU_LOWER_WINDOW_H
