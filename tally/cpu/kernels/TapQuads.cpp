//===- TapQuads.cpp - words of four taps ----------------------------------===//
//
// Each channel's plane is copied with its padding first; of a padded row
//
//     p a b c d p      the words of a kernel row of 3 taps are
//     pab. abc. bcd. cdp.
//
// one for each output pixel, also when the stride leaves pixels out. The fourth
// byte meets a weight of 0. A kernel row of more than four taps has several
// such words, each in a plane of its own, and rows that a stride tells apart
// are in planes of their own, so that the words of a kernel row are one run for
// all pixels.
//
// Cost: two passes over the input, then one product of four terms where words
// of channels would hold one.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/kernels/TapQuads.h"

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

TapQuads::TapQuads(PixelAxis y, PixelAxis x, int64_t channels)
    : PixelWords(y, x, channels) {
  for (int64_t phase : y.phases())
    phases.push_back(phase);
}

std::vector<PixelWords::Step> TapQuads::steps() const {
  std::vector<Step> steps;
  for (int64_t c = 0; c < channels; ++c)
    for (int64_t ty = 0; ty < y.kernel; ++ty)
      for (int64_t quad = 0; quad < rowQuads(); ++quad) {
        int64_t row = ty * y.dilation;
        size_t phase = llvm::find(phases, row % y.stride) - phases.begin();
        Step step = {c * channelWords() + planeStart(phase, quad) +
                         row / y.stride * pitch(),
                     {}};
        for (int64_t i = 0; i < kDotTerms; ++i) {
          int64_t tx = quad * kDotTerms + i;
          step.terms[i] =
              tx < x.kernel ? (c * y.kernel + ty) * x.kernel + tx : -1;
        }
        steps.push_back(step);
      }
  return steps;
}

Value TapQuads::prepare(KernelBuilder &k, const PixelCodes &codes) {
  copy = k.scratch({channels * channelWords() + kDotLanes}, k.i32());
  int64_t bytes = paddedRows() * paddedColumns();
  padded = k.scratch({bytes}, k.i8());
  Value zero = k.integer(k.i8(), static_cast<int8_t>(codes.zero));
  k.loop(bytes, [&](Value i) { k.store(zero, padded, i); });
  return copy;
}

/// Copies the plane at flat element `channel` into the padded bytes.
void TapQuads::pad(KernelBuilder &k, const PixelCodes &codes,
                   Value channel) const {
  auto range = [](const PixelAxis &axis, int64_t size) {
    int64_t first = std::clamp<int64_t>(axis.pad, 0, size);
    return std::pair(first, std::clamp(axis.input + axis.pad, first, size));
  };
  auto [firstRow, lastRow] = range(y, paddedRows());
  auto [firstColumn, lastColumn] = range(x, paddedColumns());
  int64_t from = (firstRow - y.pad) * x.input + firstColumn - x.pad;
  int64_t to = firstRow * paddedColumns() + firstColumn;
  int64_t rows = lastRow - firstRow, columns = lastColumn - firstColumn;
  k.loops({rows, columns}, [&](ValueRange at) {
    Value element = k.addIndex(k.mulIndex(at[0], x.input), at[1]);
    element = k.addIndex(k.addIndex(channel, k.index(from)), element);
    Value code = k.load(codes.input, element);
    if (codes.isSigned)
      code = arith::XOrIOp::create(k.b, code, k.integer(k.i8(), -128));
    Value place = k.addIndex(k.mulIndex(at[0], paddedColumns()), at[1]);
    k.store(code, padded, k.addIndex(place, k.index(to)));
  });
}

/// The words of one plane of a channel, whose words begin at `start`.
void TapQuads::copyPlane(KernelBuilder &k, size_t phase, int64_t rowQuad,
                         Value start) const {
  int64_t from =
      phases[phase] * paddedColumns() + rowQuad * kDotTerms * x.dilation;
  k.loops({y.pitch(), pitch()}, [&](ValueRange at) {
    Value first = k.addIndex(k.mulIndex(at[0], y.stride * paddedColumns()),
                             k.mulIndex(at[1], x.stride));
    Value word;
    for (int64_t i = 0; i < kDotTerms; ++i) {
      Value place = k.addIndex(first, k.index(from + i * x.dilation));
      Value byte = arith::ExtUIOp::create(k.b, k.i32(), k.load(padded, place));
      if (i)
        byte = arith::ShLIOp::create(k.b, byte, k.integer(k.i32(), 8 * i));
      word = word ? arith::OrIOp::create(k.b, word, byte).getResult() : byte;
    }
    Value lane = k.addIndex(k.mulIndex(at[0], pitch()), at[1]);
    lane = k.addIndex(lane, k.index(planeStart(phase, rowQuad)));
    k.store(word, copy, k.addIndex(start, lane));
  });
}

void TapQuads::copyFrom(KernelBuilder &k, const PixelCodes &codes,
                        Value base) const {
  k.loop(channels, [&](Value c) {
    pad(k, codes, k.addIndex(base, k.mulIndex(c, y.input * x.input)));
    for (size_t phase = 0; phase < phases.size(); ++phase)
      for (int64_t quad = 0; quad < rowQuads(); ++quad)
        copyPlane(k, phase, quad, k.mulIndex(c, channelWords()));
  });
}
