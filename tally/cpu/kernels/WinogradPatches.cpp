//===- WinogradPatches.cpp - the codes of squares, transformed ------------===//
//
// The patch of a square in the middle of an image is read where it is. At the
// edges it is copied, with the zero point where the image ends. A word of four
// channels of a pixel is taken apart (HalfWords.h), so lanes are channels, and
// sixteen of them are transformed at once:
//
//     for 8 words of 4 channels                                     (32 codes)
//       for half 0, half 1
//         36 registers of 16 channels     6 lines, then 6 columns, through B^T
//         36 stores, one for each point
//
// Cost: for 16 channels of a square 228 additions and shifts and 36 loads and
// stores, beside 1,152 operations of the products with 16 columns.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/kernels/WinogradPatches.h"
#include "tally/cpu/kernels/Blocks.h"
#include "tally/cpu/kernels/DotProduct.h"
#include "tally/cpu/kernels/HalfWords.h"
#include "tally/cpu/kernels/WinogradTransforms.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <algorithm>

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

/// Words of 4 channels that a register holds.
static constexpr int64_t kRunWords = 8;
/// Codes that are copied at once.
static constexpr int64_t kCopiedCodes = 16;

static int64_t squaresAlong(const PixelAxis &axis) {
  return (axis.output + kSquare - 1) / kSquare;
}
int64_t PatchSource::down() const { return squaresAlong(y); }
int64_t PatchSource::across() const { return squaresAlong(x); }

SquarePlace tally::cpu::placeOf(KernelBuilder &k, const PatchSource &source,
                                Value image, Value square) {
  Value across = k.index(source.across());
  Value y = arith::DivUIOp::create(k.b, square, across);
  Value x = arith::RemUIOp::create(k.b, square, across);
  return {image, k.mulIndex(y, kSquare), k.mulIndex(x, kSquare)};
}

//===----------------------------------------------------------------------===//
// Patches
//===----------------------------------------------------------------------===//

static bool areAllInside(const PixelAxis &axis) {
  int64_t last = (squaresAlong(axis) - 1) * kSquare + kPatch;
  return axis.pad == 0 && last <= axis.input;
}

bool Patches::areAllInside() const {
  return ::areAllInside(source.y) && ::areAllInside(source.x);
}

static Value isBelow(KernelBuilder &k, Value at, int64_t bound) {
  return arith::CmpIOp::create(k.b, arith::CmpIPredicate::ult, at,
                               k.index(std::max<int64_t>(bound, 0)));
}

/// Whether the patch of the square at (y, x) has no padding; what is in front
/// of the input is large without sign.
Value Patches::isInside(Value y, Value x) {
  auto fits = [&](Value at, const PixelAxis &axis) {
    return isBelow(k, k.addIndex(at, k.index(-axis.pad)),
                   axis.input - kPatch + 1);
  };
  return arith::AndIOp::create(k.b, fits(y, source.y), fits(x, source.x));
}

/// The first of these channels at pixel (y, x) of an image.
static Value elementOf(KernelBuilder &k, const PatchSource &source, Value image,
                       Value y, Value x, Value channel) {
  Value line = k.addIndex(k.mulIndex(image, source.y.input), y);
  Value pixel = k.addIndex(k.mulIndex(line, source.x.input), x);
  return k.addIndex(k.mulIndex(pixel, source.channels), channel);
}

Patches::Patch Patches::inPlace(const SquarePlace &at, ChannelRange channels) {
  Value y = k.addIndex(at.y, k.index(-source.y.pad));
  Value x = k.addIndex(at.x, k.index(-source.x.pad));
  return {source.codes, elementOf(k, source, at.image, y, x, channels.first),
          source.x.input * source.channels, source.channels};
}

/// Copies pixel (y, x) of a patch.
void Patches::copyPixel(const SquarePlace &at, ChannelRange channels,
                        ValueRange pixel) {
  Value y = k.addIndex(at.y, k.addIndex(pixel[0], k.index(-source.y.pad)));
  Value x = k.addIndex(at.x, k.addIndex(pixel[1], k.index(-source.x.pad)));
  Value to = k.mulIndex(k.addIndex(k.mulIndex(pixel[0], kPatch), pixel[1]),
                        channels.count);
  auto codes = VectorType::get({kCopiedCodes}, k.i8());
  auto fill = [&](llvm::function_ref<Value(Value)> code) {
    k.loop(channels.count / kCopiedCodes, [&](Value i) {
      Value first = k.mulIndex(i, kCopiedCodes);
      vector::StoreOp::create(k.b, code(first), copy, k.addIndex(to, first));
    });
  };
  Value isPixel = arith::AndIOp::create(k.b, isBelow(k, y, source.y.input),
                                        isBelow(k, x, source.x.input));
  auto choice = scf::IfOp::create(k.b, isPixel, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(k.b);
  k.b.setInsertionPointToStart(choice.thenBlock());
  Value from = elementOf(k, source, at.image, y, x, channels.first);
  fill([&](Value first) -> Value {
    return vector::LoadOp::create(k.b, codes, source.codes,
                                  k.addIndex(from, first));
  });
  k.b.setInsertionPointToStart(choice.elseBlock());
  fill([&](Value) {
    return k.integer(codes, static_cast<int8_t>(source.zero));
  });
}

Patches::Patch Patches::copied(const SquarePlace &at, ChannelRange channels) {
  k.loops({kPatch, kPatch},
          [&](ValueRange pixel) { copyPixel(at, channels, pixel); });
  return {copy, k.index(0), kPatch * channels.count, channels.count};
}

void Patches::transform(const SquarePlace &at, ChannelRange channels,
                        const PatchPairs &to) {
  if (areAllInside())
    return transformPatch(inPlace(at, channels), channels, to);
  if (!copy)
    copy = k.scratch({kPoints * mostChannels}, k.i8());
  auto choice = scf::IfOp::create(k.b, isInside(at.y, at.x),
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(k.b);
  k.b.setInsertionPointToStart(choice.thenBlock());
  transformPatch(inPlace(at, channels), channels, to);
  k.b.setInsertionPointToStart(choice.elseBlock());
  transformPatch(copied(at, channels), channels, to);
}

//===----------------------------------------------------------------------===//
// Transforms
//===----------------------------------------------------------------------===//

/// One half of `words` words of pixel (y, x), as numbers of 16 bits.
Value Patches::loadHalf(const Patch &patch, Value quad, int64_t words,
                        Value half, int64_t y, int64_t x) {
  auto bytes = VectorType::get({words * kDotTerms}, k.i8());
  Value place = k.addIndex(k.addIndex(patch.begin, k.mulIndex(quad, kDotTerms)),
                           k.index(y * patch.linePitch + x * patch.pixelPitch));
  Value codes = vector::LoadOp::create(k.b, bytes, patch.codes, place);
  if (source.areSigned)
    codes = arith::XOrIOp::create(k.b, codes, k.integer(bytes, -128));
  Value asWords =
      vector::BitCastOp::create(k.b, VectorType::get({words}, k.i32()), codes);
  return halfOf(k, asWords, half, /*isSigned=*/false);
}

/// One half of `words` words from `quad` on to the pairs from `pair` on.
void Patches::transformWords(const Patch &patch, Value quad, int64_t words,
                             Value half, Value pair, const PatchPairs &to) {
  LaneOps ops = {k};
  Square<Value, kPatch> codes;
  for (int64_t y = 0; y < kPatch; ++y)
    for (int64_t x = 0; x < kPatch; ++x)
      codes[y][x] = loadHalf(patch, quad, words, half, y, x);
  auto points = transformBoth<kPatch>(
      codes, [&](const auto &line) { return transformCodes(ops, line); });
  auto type = VectorType::get({words}, k.i32());
  Value begin = k.addIndex(to.begin, pair);
  for (int64_t n = 0; n < kPoints; ++n)
    vector::StoreOp::create(
        k.b,
        vector::BitCastOp::create(k.b, type, points[n / kPatch][n % kPatch]),
        to.memory, k.addIndex(begin, k.index(n * to.pointPitch)));
}

void Patches::transformPatch(const Patch &patch, ChannelRange channels,
                             const PatchPairs &to) {
  forEachBlock(k, channels.quads(), kRunWords, [&](Value quad, int64_t words) {
    k.loop(2, [&](Value half) {
      Value pair = k.addIndex(quad, k.mulIndex(half, channels.quads()));
      transformWords(patch, quad, words, half, pair, to);
    });
  });
}
