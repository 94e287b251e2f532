//===- PixelAxis.h - one spatial dimension of a convolution -----*- C++ -*-===//

#ifndef TALLY_CPU_KERNELS_PIXELAXIS_H
#define TALLY_CPU_KERNELS_PIXELAXIS_H

#include <cstdint>
#include <set>

namespace tally::cpu {

/// Sizes along one spatial dimension, and the padding before the input.
struct PixelAxis {
  int64_t input, output, kernel, stride, pad, dilation;

  /// What the taps of all windows reach, padding included.
  int64_t reach() const {
    return (output - 1) * stride + (kernel - 1) * dilation + 1;
  }
  /// Padded positions p with p % stride == phase: how many there are, and
  /// which of them, [first, last), are the input's.
  int64_t pitch() const { return (reach() + stride - 1) / stride; }
  int64_t first(int64_t phase) const;
  int64_t last(int64_t phase) const;
  /// The phases that some tap reads, ascending.
  std::set<int64_t> phases() const;
};

} // namespace tally::cpu

#endif // TALLY_CPU_KERNELS_PIXELAXIS_H
