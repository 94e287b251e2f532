//===- Window.h - sliding windows over n spatial dimensions -----*- C++ -*-===//

#ifndef TALLY_EVAL_WINDOW_H
#define TALLY_EVAL_WINDOW_H

#include "tally/eval/Tensor.h"

namespace tally::eval {

/// Sliding-window geometry of n spatial dimensions; every list has n entries
/// but `pads`, which lists n begins, then n ends. Tap t of the window of
/// output o reads position `o * stride - padBegin + t * dilation`.
struct WindowGeometry {
  Shape input, output, kernel; ///< spatial sizes
  Shape strides, pads, dilations;
  /// Distance of neighbouring input elements, positions in between hold
  /// nothing; empty means 1 everywhere. A transposed convolution's stride.
  Shape spread = {};

  size_t rank() const { return input.size(); }
  int64_t taps() const { return elementCount(kernel); }
  int64_t pixels() const { return elementCount(output); }
  int64_t inputPixels() const { return elementCount(input); }
};

/// The input pixel that each tap of each window reads.
class WindowTaps {
public:
  explicit WindowTaps(const WindowGeometry &geometry);

  /// Fills taps[t] for every tap of the window at `pixel` (both row-major):
  /// the row-major input pixel, or -1 where there is none.
  void at(int64_t pixel, int64_t *taps) const;
  /// The same for `count` windows from `first` on, one after the other.
  void block(int64_t first, int64_t count, std::vector<int64_t> &taps) const;

private:
  const WindowGeometry &geometry;
  /// Per dimension: [output][tap] -> position times the stride of that
  /// dimension, or -1.
  std::vector<Shape> tables;
};

} // namespace tally::eval

#endif // TALLY_EVAL_WINDOW_H
