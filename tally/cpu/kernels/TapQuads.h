//===- TapQuads.h - words of four taps --------------------------*- C++ -*-===//

#ifndef TALLY_CPU_KERNELS_TAPQUADS_H
#define TALLY_CPU_KERNELS_TAPQUADS_H

#include "tally/cpu/kernels/PixelWords.h"

namespace tally::cpu {

/// Four taps of one kernel row to a word, for groups of so few channels that
/// words of channels would be mostly empty: depthwise convolutions.
class TapQuads : public PixelWords {
public:
  TapQuads(PixelAxis y, PixelAxis x, int64_t channels);

  int64_t pitch() const override { return x.output; }
  std::vector<Step> steps() const override;
  Value prepare(KernelBuilder &k, const PixelCodes &codes) override;
  void copyFrom(KernelBuilder &k, const PixelCodes &codes,
                Value base) const override;

private:
  int64_t rowQuads() const { return quadsOf(x.kernel); }
  int64_t planeWords() const { return y.pitch() * pitch(); }
  int64_t channelWords() const {
    return planeWords() * rowQuads() * phases.size();
  }
  int64_t planeStart(size_t phase, int64_t rowQuad) const {
    return (phase * rowQuads() + rowQuad) * planeWords();
  }
  /// Sizes of the padded bytes of a channel.
  int64_t paddedRows() const { return y.pitch() * y.stride; }
  int64_t paddedColumns() const {
    return (x.output - 1) * x.stride +
           (rowQuads() * kDotTerms - 1) * x.dilation + 1;
  }
  void pad(KernelBuilder &k, const PixelCodes &codes, Value channel) const;
  void copyPlane(KernelBuilder &k, size_t phase, int64_t rowQuad,
                 Value start) const;

  std::vector<int64_t> phases; ///< of rows, those that some tap reads
  Value padded, copy;
};

} // namespace tally::cpu

#endif // TALLY_CPU_KERNELS_TAPQUADS_H
