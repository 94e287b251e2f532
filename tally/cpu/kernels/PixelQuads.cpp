//===- PixelQuads.cpp - words of four channels ----------------------------===//
//
// A window of 3 taps with stride 1 over a row a b c d of the input, padded by
// one on both sides, reads of the copied row
//
//     p a b c d p      tap 0 of pixels 0 ... 3 at words 0 ... 3,
//                      tap 1 at words 1 ... 4, tap 2 at 2 ... 5;
//
// with stride 2 the copy has the planes  p b d  and  a c p, and tap 0 of pixels
// 0 and 1 is at words 0 and 1 of the first, tap 1 of the second, tap 2 at 1 and
// 2 of the first. Rows follow each other at the same pitch, so the lanes of all
// output rows are one run, with a few lanes between rows whose sums are
// dropped.
//
// Cost: one pass over the input, and kernel - 1 dropped lanes per output row.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/kernels/PixelQuads.h"

#include <algorithm>

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

/// ceil(a / b) for b > 0.
static int64_t ceilDiv(int64_t a, int64_t b) {
  return a >= 0 ? (a + b - 1) / b : -(-a / b);
}

int64_t PixelAxis::first(int64_t phase) const {
  return std::clamp<int64_t>(ceilDiv(pad - phase, stride), 0, pitch());
}

int64_t PixelAxis::last(int64_t phase) const {
  return std::clamp<int64_t>(ceilDiv(input + pad - phase, stride), first(phase),
                             pitch());
}

std::set<int64_t> PixelAxis::phases() const {
  std::set<int64_t> phases;
  for (int64_t tap = 0; tap < kernel; ++tap)
    phases.insert(tap * dilation % stride);
  return phases;
}

PixelQuads::PixelQuads(PixelAxis y, PixelAxis x, int64_t channels)
    : PixelWords(y, x, channels) {
  for (int64_t phaseY : y.phases())
    for (int64_t phaseX : x.phases())
      phases.push_back({phaseY, phaseX});
}

int64_t PixelQuads::tapOffset(int64_t ty, int64_t tx) const {
  int64_t py = ty * y.dilation, px = tx * x.dilation;
  auto isOwn = [&](const Phase &phase) {
    return phase.y == py % y.stride && phase.x == px % x.stride;
  };
  int64_t plane = llvm::find_if(phases, isOwn) - phases.begin();
  return plane * planeWords() + py / y.stride * pitch() + px / x.stride;
}

std::vector<PixelWords::Step> PixelQuads::steps() const {
  std::vector<Step> steps;
  int64_t taps = y.kernel * x.kernel;
  for (int64_t q = 0; q < quadsOf(channels); ++q)
    for (int64_t tap = 0; tap < taps; ++tap) {
      int64_t place = tapOffset(tap / x.kernel, tap % x.kernel);
      Step step = {q * quadWords() + place, {}};
      for (int64_t i = 0; i < kDotTerms; ++i) {
        int64_t channel = q * kDotTerms + i;
        step.terms[i] = channel < channels ? channel * taps + tap : -1;
      }
      steps.push_back(step);
    }
  return steps;
}

bool PixelQuads::hasPadding() const {
  auto isFull = [](const PixelAxis &axis, int64_t phase) {
    return axis.first(phase) == 0 && axis.last(phase) == axis.pitch();
  };
  return !llvm::all_of(phases, [&](const Phase &phase) {
    return isFull(y, phase.y) && isFull(x, phase.x);
  });
}

Value PixelQuads::prepare(KernelBuilder &k, const PixelCodes &codes) {
  int64_t words = quadsOf(channels) * quadWords() + kDotLanes;
  copy = k.scratch({words}, k.i32());
  if (!hasPadding())
    return copy;
  auto padding = static_cast<uint32_t>(codes.zero) * 0x01010101u;
  Value word = k.integer(k.i32(), static_cast<int32_t>(padding));
  k.loop(words, [&](Value i) { k.store(word, copy, i); });
  return copy;
}

/// `held` channels of the pixel at flat element `element`, lowest byte first.
static Value loadWord(KernelBuilder &k, const PixelCodes &codes, Value element,
                      int64_t planePixels, int64_t held) {
  Value word;
  for (int64_t c = 0; c < held; ++c) {
    Value at = k.addIndex(element, k.index(c * planePixels));
    Value byte = arith::ExtUIOp::create(k.b, k.i32(), k.load(codes.input, at));
    if (c)
      byte = arith::ShLIOp::create(k.b, byte, k.integer(k.i32(), 8 * c));
    word = word ? arith::OrIOp::create(k.b, word, byte).getResult() : byte;
  }
  if (codes.isSigned)
    word = arith::XOrIOp::create(
        k.b, word, k.integer(k.i32(), static_cast<int32_t>(0x80808080)));
  return word;
}

/// The pixels of one phase, `held` channels from flat element `firstChannel`.
void PixelQuads::copyPlane(KernelBuilder &k, const PixelCodes &codes,
                           Value firstChannel, int64_t held, size_t plane,
                           Value quadStart) const {
  Phase phase = phases[plane];
  int64_t rowFirst = y.first(phase.y), columnFirst = x.first(phase.x);
  int64_t rows = y.last(phase.y) - rowFirst;
  int64_t columns = x.last(phase.x) - columnFirst;
  // Of the first pixel that is copied.
  int64_t inputY = rowFirst * y.stride + phase.y - y.pad;
  int64_t inputX = columnFirst * x.stride + phase.x - x.pad;
  int64_t from = inputY * x.input + inputX;
  int64_t to = plane * planeWords() + rowFirst * pitch() + columnFirst;
  k.loops({rows, columns}, [&](ValueRange at) {
    Value element = k.addIndex(k.mulIndex(at[0], y.stride * x.input),
                               k.mulIndex(at[1], x.stride));
    element = k.addIndex(k.addIndex(firstChannel, k.index(from)), element);
    Value place = k.addIndex(k.mulIndex(at[0], pitch()), at[1]);
    place = k.addIndex(k.addIndex(quadStart, k.index(to)), place);
    k.store(loadWord(k, codes, element, y.input * x.input, held), copy, place);
  });
}

void PixelQuads::copyFrom(KernelBuilder &k, const PixelCodes &codes,
                          Value base) const {
  int64_t planePixels = y.input * x.input;
  auto quad = [&](Value index, int64_t held) {
    Value first = k.addIndex(base, k.mulIndex(index, kDotTerms * planePixels));
    for (size_t plane = 0; plane < phases.size(); ++plane)
      copyPlane(k, codes, first, held, plane, k.mulIndex(index, quadWords()));
  };
  int64_t full = channels / kDotTerms;
  k.loop(full, [&](Value index) { quad(index, kDotTerms); });
  if (int64_t rest = channels % kDotTerms)
    quad(k.index(full), rest);
}
