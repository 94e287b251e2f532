//===- Winograd.cpp - 3x3 convolutions of bytes by squares ----------------===//
//
// Transformed codes V and steps U are numbers of 16 bits, and at each of 36
// points their products are a matrix product over the channels, squares by
// columns, which is made in tiles of pairs (HalfTile.h). With the schedule 6x4,
// 24 squares and 64 channels at a time:
//
//     for 64 columns, for 24 squares of an image             (by threads)
//       for 64 channels
//         V of these squares and channels                    (111 KB)
//         U of these columns and channels                    (297 KB)
//         for 36 points
//           for two registers of columns, for 6 squares
//             M += V x U                                     (221 KB)
//       for 24 squares
//         A^T M A, / 9 * 2^shift, plus starts: sums of 16 pixels
//         finish those that are results
//
// Pairs of channels lie as in a product of halves, so that a word of packed
// steps is taken apart once for 8 columns, and both halves are transformed. The
// points of V and of U are a few bytes more than their contents apart: else the
// 36 stores of a transform would meet in the same lines of the cache.
//
// Cost: squares * columns / 8 * channels / 2 * 36 times two operations, a
// quarter of those of the product itself; and the transforms, each about a
// tenth of that for 64 columns (V), 16 squares (U), 64 channels (M).
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/kernels/Winograd.h"
#include "tally/cpu/kernels/Blocks.h"
#include "tally/cpu/kernels/DotSchedules.h"
#include "tally/cpu/kernels/HalfTile.h"
#include "tally/cpu/kernels/HalfWords.h"
#include "tally/cpu/kernels/WinogradSchedules.h"
#include "tally/cpu/kernels/WinogradTransforms.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/ADT/SetVector.h"

#include <algorithm>

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

bool tally::cpu::hasSquares(Tier tier) { return tier == Tier::Avx2; }

namespace {
/// Columns of a block.
struct Part {
  Value first;
  int64_t count;
};

/// Squares of a block: all have as many, but for the last one. There is one
/// text for both, where the count is a value.
struct SquarePart {
  Value first, count;
};

class Squares {
public:
  Squares(KernelBuilder &k, const PatchSource &source, const ByteShape &shape,
          const ByteColumns &columns, const ProductSchedule &schedule,
          FinishPixel finish)
      : k(k), source(source), shape(shape), columns(columns),
        schedule(schedule), finish(finish), sizes(schedule),
        patches(k, source, sizes.channels), words(columns.words(k)) {}
  void emit();

private:
  int64_t registerLanes() const { return registerLanesOf(k.tier); }
  VectorType registerOf() const {
    return VectorType::get({registerLanes()}, k.i32());
  }
  int64_t registersOf(int64_t lanes) const {
    return (lanes + registerLanes() - 1) / registerLanes();
  }
  bool isOnePiece() const { return sizes.channels == source.channels; }

  void makeMemory();
  int64_t blockSquares(int64_t blocks) const;
  SquarePart squaresOf(Value block) const;
  void emitBlock(Part lanes, const SquarePart &squares);

  void fillCodes(ChannelRange channels, const SquarePart &squares);
  void fillSteps(ChannelRange channels, Part lanes);
  Value quadOf(int64_t y, int64_t x, Value channelQuad);
  void fillWord(ChannelRange channels, Value lane, Value within, Value quad,
                Value half, Value place);

  /// The sums of the block's square `i` at a point: from `lane` on, or register
  /// j of a strip.
  Value sumPlace(Value i, Value point, Value lane);
  Value sumPlace(Value i, Value point, const Strip &strip, int64_t j);
  Value loadSums(Value place);
  void clearSums(Part lanes, const SquarePart &squares);
  void multiplyTile(ChannelRange channels, Value point, Value at, int64_t rows,
                    const Strip &strip);
  void multiplyTiles(ChannelRange channels, Value point, const Strip &strip,
                     const SquarePart &squares);
  void multiply(ChannelRange channels, Part lanes, const SquarePart &squares);

  void transformBack(Value i, Value lane, Value within);
  void finishPixel(Part lanes, const SquarePlace &at, ValueRange pixel);
  void finishSquares(Part lanes, const SquarePart &squares);

  KernelBuilder &k;
  const PatchSource &source;
  const ByteShape &shape;
  const ByteColumns &columns;
  const ProductSchedule &schedule;
  FinishPixel finish;
  const SquareSizes sizes;
  Patches patches;
  Value words;
  Value image;          ///< that is in work
  int64_t perBlock = 0; ///< squares of each block but the last
  // Made in the outermost loop: each thread has its own.
  Value codes, steps, sums, pixels;
};
} // namespace

static Value isEqual(KernelBuilder &k, Value value, int64_t number) {
  return arith::CmpIOp::create(k.b, arith::CmpIPredicate::eq, value,
                               k.index(number));
}

static void onlyIf(KernelBuilder &k, Value condition,
                   llvm::function_ref<void()> body) {
  auto branch = scf::IfOp::create(k.b, condition);
  OpBuilder::InsertionGuard guard(k.b);
  k.b.setInsertionPointToStart(branch.thenBlock());
  body();
}

void Squares::makeMemory() {
  if (codes)
    return;
  codes = k.scratch({kPoints * sizes.codePitch()}, k.i32());
  steps = k.scratch({kPoints * sizes.stepPitch()}, k.i32());
  sums = k.scratch({sizes.squares * kPoints * sizes.lanes}, k.i32());
  pixels = k.scratch({kSquare * kSquare * sizes.lanes}, k.i32());
}

//===----------------------------------------------------------------------===//
// Codes and steps
//===----------------------------------------------------------------------===//

void Squares::fillCodes(ChannelRange channels, const SquarePart &squares) {
  forEachOf(k, squares.count, [&](Value i) {
    PatchPairs to = {codes, k.mulIndex(i, channels.pairs()), sizes.codePitch()};
    Value square = k.addIndex(squares.first, i);
    patches.transform(placeOf(k, source, image, square), channels, to);
  });
}

/// The word of a column's steps that meets word `channelQuad` of pixel (y, x).
/// The last piece of a chunk may overlap the one before.
Value Squares::quadOf(int64_t y, int64_t x, Value channelQuad) {
  int64_t inPiece = quadsOf(shape.pieceBytes());
  int64_t perChunk = shape.pieces() * inPiece;
  int64_t overlap = perChunk - quadsOf(shape.chunkBytes);
  Value quad = k.addIndex(channelQuad, k.index(x * quadsOf(source.channels)));
  if (overlap) {
    Value isLast = arith::CmpIOp::create(k.b, arith::CmpIPredicate::uge, quad,
                                         k.index(perChunk - inPiece));
    Value moved = k.addIndex(quad, k.index(overlap));
    quad = arith::SelectOp::create(k.b, isLast, moved, quad);
  }
  return k.addIndex(quad, k.index(y * perChunk));
}

/// One half of word `quad` of these channels, for the register of lanes from
/// `lane` on: a pair that goes to `place`.
void Squares::fillWord(ChannelRange channels, Value lane, Value within,
                       Value quad, Value half, Value place) {
  LaneOps ops = {k};
  Value first = arith::DivUIOp::create(k.b, channels.first, k.index(kDotTerms));
  Value channelQuad = k.addIndex(first, quad);
  Square<Value, kKernel> kernel;
  for (int64_t y = 0; y < kKernel; ++y)
    for (int64_t x = 0; x < kKernel; ++x) {
      Value at = columns.wordOf(k, shape, quadOf(y, x, channelQuad), lane);
      Value word = vector::LoadOp::create(k.b, registerOf(), words,
                                          k.addIndex(at, within));
      kernel[y][x] = halfOf(k, word, half, /*isSigned=*/true);
    }
  auto points = transformBoth<kPatch>(
      kernel, [&](const auto &line) { return transformSteps(ops, line); });
  for (int64_t n = 0; n < kPoints; ++n)
    vector::StoreOp::create(
        k.b,
        vector::BitCastOp::create(k.b, registerOf(),
                                  points[n / kPatch][n % kPatch]),
        steps, k.addIndex(place, k.index(n * sizes.stepPitch())));
}

void Squares::fillSteps(ChannelRange channels, Part lanes) {
  forEachStrip(k, lanes.count, [&](Strip strip) {
    Value begin = strip.place(k, channels.pairs());
    Value lane = k.addIndex(lanes.first, strip.lane);
    int64_t pairLanes = strip.registers * registerLanes();
    k.loops({channels.quads(), strip.registers, 2}, [&](ValueRange at) {
      Value inPair = k.mulIndex(at[1], registerLanes());
      Value place = k.addIndex(k.mulIndex(at[0], pairLanes), inPair);
      Value half = k.mulIndex(at[2], channels.quads() * pairLanes);
      fillWord(channels, lane, k.addIndex(inPair, k.index(strip.within)), at[0],
               at[2], k.addIndex(begin, k.addIndex(place, half)));
    });
  });
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

Value Squares::sumPlace(Value i, Value point, Value lane) {
  Value place = k.addIndex(k.mulIndex(i, kPoints), point);
  return k.addIndex(k.mulIndex(place, sizes.lanes), lane);
}

Value Squares::sumPlace(Value i, Value point, const Strip &strip, int64_t j) {
  Value lane = k.index(strip.within + j * registerLanes());
  return sumPlace(i, point, k.addIndex(strip.lane, lane));
}

Value Squares::loadSums(Value place) {
  return vector::LoadOp::create(k.b, registerOf(), sums, place);
}

void Squares::clearSums(Part lanes, const SquarePart &squares) {
  Value zeros = k.integer(registerOf(), 0);
  forEachOf(k, squares.count, [&](Value i) {
    k.loops({kPoints, registersOf(lanes.count)}, [&](ValueRange at) {
      Value lane = k.mulIndex(at[1], registerLanes());
      vector::StoreOp::create(k.b, zeros, sums, sumPlace(i, at[0], lane));
    });
  });
}

/// One tile of `rows` squares from the block's square `at` on, at a point.
void Squares::multiplyTile(ChannelRange channels, Value point, Value at,
                           int64_t rows, const Strip &strip) {
  SmallVector<Value> places, starts;
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < strip.registers; ++j) {
      places.push_back(sumPlace(k.addIndex(at, k.index(i)), point, strip, j));
      starts.push_back(isOnePiece() ? k.integer(registerOf(), 0)
                                    : loadSums(places.back()));
    }
  int64_t pairs = channels.pairs();
  Value laneBegin =
      k.addIndex(k.mulIndex(point, sizes.stepPitch()), strip.place(k, pairs));
  Value rowBegin =
      k.addIndex(k.mulIndex(point, sizes.codePitch()), k.mulIndex(at, pairs));
  HalfTile tile = {rows,      strip.registers, pairs,    steps,
                   laneBegin, codes,           rowBegin, pairs};
  for (auto [value, place] : llvm::zip(addPairs(k, tile, starts), places))
    vector::StoreOp::create(k.b, value, sums, place);
}

/// The tiles of the block's squares, and a smaller one for what is left over,
/// which may be different in the last block.
void Squares::multiplyTiles(ChannelRange channels, Value point,
                            const Strip &strip, const SquarePart &squares) {
  int64_t rows = schedule.rows, all = source.squares();
  Value tiles = arith::DivUIOp::create(k.b, squares.count, k.index(rows));
  forEachOf(k, tiles, [&](Value tile) {
    multiplyTile(channels, point, k.mulIndex(tile, rows), rows, strip);
  });
  Value at = k.mulIndex(tiles, rows);
  Value rest = arith::SubIOp::create(k.b, squares.count, at);
  llvm::SmallSetVector<int64_t, 2> rests;
  if (all >= perBlock)
    rests.insert(perBlock % rows);
  rests.insert(all % perBlock % rows);
  for (int64_t count : rests)
    if (count)
      onlyIf(k, isEqual(k, rest, count),
             [&] { multiplyTile(channels, point, at, count, strip); });
}

void Squares::multiply(ChannelRange channels, Part lanes,
                       const SquarePart &squares) {
  k.loop(kPoints, [&](Value point) {
    forEachStrip(k, lanes.count, [&](Strip strip) {
      multiplyTiles(channels, point, strip, squares);
    });
  });
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// The sums of the pixels of the block's square `i`, for a register of lanes
/// `within` behind the block's first.
void Squares::transformBack(Value i, Value lane, Value within) {
  LaneOps ops = {k};
  Square<Value, kPatch> points;
  for (int64_t n = 0; n < kPoints; ++n)
    points[n / kPatch][n % kPatch] = loadSums(sumPlace(i, k.index(n), within));
  auto results = transformBoth<kSquare>(
      points, [&](const auto &line) { return transformSums(ops, line); });
  Value column = k.addIndex(lane, within);
  Value start = vector::LoadOp::create(k.b, registerOf(), columns.starts,
                                       columns.startOf(k, shape, column));
  Value inverse = k.integer(registerOf(), static_cast<int32_t>(kInverseOf9));
  for (int64_t n = 0; n < kSquare * kSquare; ++n) {
    int64_t y = n / kSquare, x = n % kSquare;
    Value shift = k.integer(registerOf(), kResultShifts[y] + kResultShifts[x]);
    Value sum = arith::MulIOp::create(k.b, results[y][x], inverse);
    sum = arith::ShRSIOp::create(k.b, sum, shift);
    vector::StoreOp::create(k.b, ops.add(sum, start), pixels,
                            k.addIndex(k.index(n * sizes.lanes), within));
  }
}

/// Pixel (y, x) of a square, whose result lies at `at` plus that.
void Squares::finishPixel(Part lanes, const SquarePlace &at, ValueRange pixel) {
  Value y = k.addIndex(at.y, pixel[0]), x = k.addIndex(at.x, pixel[1]);
  auto emit = [&] {
    Value place = k.addIndex(k.mulIndex(pixel[0], kSquare), pixel[1]);
    Value begin = k.mulIndex(place, sizes.lanes);
    Value result = k.addIndex(k.mulIndex(y, source.x.output), x);
    finishColumns(k, lanes.count, [&](Value first, int64_t count) {
      auto type = VectorType::get({vectorsOf(count) * kDotLanes}, k.i32());
      Value all =
          vector::LoadOp::create(k.b, type, pixels, k.addIndex(begin, first));
      finish(at.image, result, k.addIndex(lanes.first, first), count, all);
    });
  };
  if (source.y.output % kSquare == 0 && source.x.output % kSquare == 0)
    return emit();
  auto isBelow = [&](Value value, int64_t bound) -> Value {
    return arith::CmpIOp::create(k.b, arith::CmpIPredicate::ult, value,
                                 k.index(bound));
  };
  Value isResult = arith::AndIOp::create(k.b, isBelow(y, source.y.output),
                                         isBelow(x, source.x.output));
  onlyIf(k, isResult, emit);
}

void Squares::finishSquares(Part lanes, const SquarePart &squares) {
  forEachOf(k, squares.count, [&](Value i) {
    k.loop(registersOf(lanes.count), [&](Value j) {
      transformBack(i, lanes.first, k.mulIndex(j, registerLanes()));
    });
    SquarePlace at = placeOf(k, source, image, k.addIndex(squares.first, i));
    k.loops({kSquare, kSquare},
            [&](ValueRange pixel) { finishPixel(lanes, at, pixel); });
  });
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

void Squares::emitBlock(Part lanes, const SquarePart &squares) {
  if (!isOnePiece())
    clearSums(lanes, squares);
  forEachBlock(k, source.channels, sizes.channels,
               [&](Value first, int64_t count) {
                 ChannelRange channels = {first, count};
                 fillCodes(channels, squares);
                 fillSteps(channels, lanes);
                 multiply(channels, lanes, squares);
               });
  finishSquares(lanes, squares);
}

/// Those of the schedule; fewer where threads would have no block of their own.
int64_t Squares::blockSquares(int64_t blocks) const {
  if (!k.canSplitHere())
    return sizes.squares;
  int64_t groups = (k.parts + blocks - 1) / blocks;
  return std::min(sizes.squares, (source.squares() + groups - 1) / groups);
}

SquarePart Squares::squaresOf(Value block) const {
  int64_t all = source.squares();
  Value first = k.mulIndex(block, perBlock);
  if (all % perBlock == 0)
    return {first, k.index(perBlock)};
  Value left = arith::SubIOp::create(k.b, k.index(all), first);
  return {first, arith::MinUIOp::create(k.b, left, k.index(perBlock))};
}

void Squares::emit() {
  Blocks lanes = {shape.columns, sizes.lanes};
  perBlock = blockSquares(lanes.blocks());
  Blocks squares = {source.squares(), perBlock};
  k.loop(source.images, [&](Value at) {
    image = at;
    forEachTileInParallel(
        k, lanes, {squares.blocks(), 1},
        [&](Value lane, int64_t laneCount, Value block, int64_t) {
          makeMemory();
          emitBlock({lane, laneCount}, squaresOf(block));
        });
  });
}

void tally::cpu::emitSquares(KernelBuilder &k, const PatchSource &source,
                             const ByteShape &shape, const ByteColumns &columns,
                             const ProductSchedule &schedule,
                             FinishPixel finish) {
  Squares(k, source, shape, columns, schedule, finish).emit();
}
