//===- PixelQuads.h - words of four channels --------------------*- C++ -*-===//

#ifndef TALLY_CPU_KERNELS_PIXELQUADS_H
#define TALLY_CPU_KERNELS_PIXELQUADS_H

#include "tally/cpu/kernels/PixelWords.h"

namespace tally::cpu {

/// Four channels of one pixel to a word; pixels that a stride tells apart are
/// in planes of their own. The tap (ty, tx) of channels 4q ... 4q + 3 is word
///     q * quadWords() + tapOffset(ty, tx) + lane.
class PixelQuads : public PixelWords {
public:
  PixelQuads(PixelAxis y, PixelAxis x, int64_t channels);

  int64_t pitch() const override { return x.pitch(); }
  std::vector<Step> steps() const override;
  Value prepare(KernelBuilder &k, const PixelCodes &codes) override;
  void copyFrom(KernelBuilder &k, const PixelCodes &codes,
                Value base) const override;

private:
  struct Phase {
    int64_t y, x;
  };
  int64_t planeWords() const { return y.pitch() * pitch(); }
  int64_t quadWords() const { return planeWords() * phases.size(); }
  int64_t tapOffset(int64_t ty, int64_t tx) const;
  bool hasPadding() const;
  void copyPlane(KernelBuilder &k, const PixelCodes &codes, Value firstChannel,
                 int64_t held, size_t plane, Value quadStart) const;

  std::vector<Phase> phases; ///< those that some tap reads
  Value copy;
};

} // namespace tally::cpu

#endif // TALLY_CPU_KERNELS_PIXELQUADS_H
