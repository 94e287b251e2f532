//===- PixelWords.h - activations as operands of dot products ---*- C++ -*-===//
//
// A copy of the input of a convolution in words of four bytes, in which no tap
// needs a bound check and the words that one step of the product wants for
// neighbouring output pixels are neighbours. Subclasses differ in which four
// terms stand in a word.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_CPU_KERNELS_PIXELWORDS_H
#define TALLY_CPU_KERNELS_PIXELWORDS_H

#include "tally/cpu/KernelBuilder.h"
#include "tally/cpu/kernels/DotProduct.h"

#include <array>
#include <set>

namespace tally::cpu {

/// One spatial dimension: sizes, and the padding before the input.
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

/// What the copy is made from: a flat memref of 8-bit codes. Signed codes
/// become code + 128, and `zero` is the zero point of what comes out.
struct PixelCodes {
  Value input;
  bool isSigned;
  int64_t zero;
};

class PixelWords {
public:
  PixelWords(PixelAxis y, PixelAxis x, int64_t channels)
      : y(y), x(x), channels(channels) {}
  virtual ~PixelWords() = default;

  const PixelAxis y, x;
  const int64_t channels;

  /// Output pixel (y, x) has lane y * pitch + x. Lanes between rows, if any,
  /// belong to no pixel.
  virtual int64_t pitch() const = 0;

  /// One word of the product: where that of lane 0 is, and its four terms as
  /// channel * taps + tap, or -1 for a byte that no term has.
  struct Step {
    int64_t offset;
    std::array<int64_t, kDotTerms> terms;
  };
  virtual std::vector<Step> steps() const = 0;

  /// Reserves the copy, a flat memref of i32, and writes its padding, once per
  /// kernel. Whole vectors of lanes can be read from it.
  virtual Value prepare(KernelBuilder &k, const PixelCodes &codes) = 0;
  /// Copies the channels that start at flat element `base` of the input.
  virtual void copyFrom(KernelBuilder &k, const PixelCodes &codes,
                        Value base) const = 0;
};

} // namespace tally::cpu

#endif // TALLY_CPU_KERNELS_PIXELWORDS_H
