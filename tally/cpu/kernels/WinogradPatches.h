//===- WinogradPatches.h - the codes of squares, transformed ----*- C++ -*-===//
//
// A square of 4 x 4 results depends on a patch of 6 x 6 pixels. The squares of
// an image are counted through, line after line, from the upper left result on.
// Those at the right and lower edge may reach beyond the results.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_CPU_KERNELS_WINOGRADPATCHES_H
#define TALLY_CPU_KERNELS_WINOGRADPATCHES_H

#include "tally/cpu/KernelBuilder.h"
#include "tally/cpu/kernels/PixelAxis.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace tally::cpu {

/// Additions of lanes, for WinogradTransforms.h.
struct LaneOps {
  KernelBuilder &k;

  Value add(Value a, Value b) const {
    return mlir::arith::AddIOp::create(k.b, a, b);
  }
  Value sub(Value a, Value b) const {
    return mlir::arith::SubIOp::create(k.b, a, b);
  }
  Value twice(Value a, int64_t n) const {
    return mlir::arith::ShLIOp::create(k.b, a, k.integer(a.getType(), n));
  }
};

/// The input of a convolution, and its axes: kernel 3, stride and dilation 1.
struct PatchSource {
  Value codes; ///< flat memref of i8, channels last
  bool areSigned;
  int64_t zero; ///< the code where the padding is
  int64_t images, channels;
  PixelAxis y, x;

  /// Squares of an image, each way, and all.
  int64_t down() const;
  int64_t across() const;
  int64_t squares() const { return down() * across(); }
};

/// Where a square is: its image, and its first result.
struct SquarePlace {
  Value image, y, x;
};
SquarePlace placeOf(KernelBuilder &k, const PatchSource &source, Value image,
                    Value square);

/// Channels [first, first + count) of a pixel; `count` is a multiple of 16.
struct ChannelRange {
  Value first;
  int64_t count;

  int64_t quads() const { return count / 4; }
  int64_t pairs() const { return count / 2; }
};

/// Where transformed codes go, a flat memref of i32: pair p of point n begins
/// at begin + n * pointPitch + p. Pairs are half 0 of words 0, 1, ..., then
/// half 1 of them (HalfWords.h).
struct PatchPairs {
  Value memory, begin;
  int64_t pointPitch;
};

/// Transforms the patches of squares (B^T d B), of codes without sign: signed
/// ones plus 128.
class Patches {
public:
  /// `mostChannels` is the longest range that comes.
  Patches(KernelBuilder &k, const PatchSource &source, int64_t mostChannels)
      : k(k), source(source), mostChannels(mostChannels) {}

  void transform(const SquarePlace &at, ChannelRange channels,
                 const PatchPairs &to);

private:
  /// Codes of a patch: those of pixel (y, x) begin at
  /// begin + y * linePitch + x * pixelPitch.
  struct Patch {
    Value codes, begin;
    int64_t linePitch, pixelPitch;
  };

  bool areAllInside() const;
  Value isInside(Value y, Value x);
  Patch inPlace(const SquarePlace &at, ChannelRange channels);
  Patch copied(const SquarePlace &at, ChannelRange channels);
  void copyPixel(const SquarePlace &at, ChannelRange channels,
                 ValueRange pixel);
  void transformPatch(const Patch &patch, ChannelRange channels,
                      const PatchPairs &to);
  void transformWords(const Patch &patch, Value quad, int64_t words, Value half,
                      Value pair, const PatchPairs &to);
  Value loadHalf(const Patch &patch, Value quad, int64_t words, Value half,
                 int64_t y, int64_t x);

  KernelBuilder &k;
  const PatchSource &source;
  int64_t mostChannels;
  Value copy; ///< of a patch at the edge, made where it is first needed
};

} // namespace tally::cpu

#endif // TALLY_CPU_KERNELS_WINOGRADPATCHES_H
