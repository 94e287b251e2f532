//===- PixelQuads.h - activations in words of four channels -----*- C++ -*-===//
//
// A copy of the input of a convolution in which no tap needs a bound check and
// every tap of neighbouring output pixels is a run of neighbouring words: four
// channels to a word, the padding written out, and the pixels that a stride
// tells apart in planes of their own.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_CPU_KERNELS_PIXELQUADS_H
#define TALLY_CPU_KERNELS_PIXELQUADS_H

#include "tally/cpu/KernelBuilder.h"

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
};

/// The layout of the copy. Output pixel (y, x) has lane y * pitch + x; its tap
/// (ty, tx) of channels 4q ... 4q + 3 is word
///     q * quadWords() + tapOffset(ty, tx) + lane.
class PixelQuads {
public:
  PixelQuads(PixelAxis y, PixelAxis x, int64_t channels);

  const PixelAxis y, x;
  const int64_t channels;

  int64_t pitch() const { return x.pitch(); }
  /// Lanes of an image; those between two rows belong to no pixel.
  int64_t lanes() const { return (y.output - 1) * pitch() + x.output; }
  int64_t quadWords() const { return planeWords() * phases.size(); }
  int64_t tapOffset(int64_t ty, int64_t tx) const;
  /// All words, and those that reading whole vectors of lanes reaches.
  int64_t words() const;

  /// Whether some word is no pixel of the input.
  bool hasPadding() const;
  /// Sets every word to `word`, which stands where there is padding.
  void emitFill(KernelBuilder &k, Value copy, int32_t word) const;
  /// Copies the input. `base` is the flat element of the first channel in
  /// `input`, a memref of 8-bit codes; signed codes become code + 128.
  void emitCopy(KernelBuilder &k, Value input, Value base, bool isSigned,
                Value copy) const;

private:
  struct Phase {
    int64_t y, x;
  };
  int64_t planeWords() const { return y.pitch() * pitch(); }
  void emitPlane(KernelBuilder &k, Value input, Value firstChannel,
                 int64_t held, bool isSigned, size_t plane, Value copy,
                 Value quadStart) const;

  std::vector<Phase> phases; ///< those that some tap reads
};

} // namespace tally::cpu

#endif // TALLY_CPU_KERNELS_PIXELQUADS_H
