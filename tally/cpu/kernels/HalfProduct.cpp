//===- HalfProduct.cpp - products of many rows in halves of words ---------===//
//
// One step of a tile of 2 rows and one register of lanes, of pairs of terms in
// 16 bits:
//
//     x  = lanes[pair]                       8 lanes of 2 terms
//     s0 += vpmaddwd(x, spread(rows[0][pair]))
//     s1 += vpmaddwd(x, spread(rows[1][pair]))
//
// Two operations for each register of sums and nothing else: the words of both
// sides are taken apart before, those of a block of lanes once for a group of
// rows, those of a tile's rows once for the block. A tile of 6 rows and two
// registers of lanes takes, of 16 registers, 12 for sums, two for lanes and one
// for a row. With the schedule 6x4, 96 rows and 32 steps at a time:
//
//     for 64 lanes, for 96 rows                              (by threads)
//       for 32 words
//         lanes[pair]: 64 lanes of these words in halves     (16 KB)
//         for 6 rows
//           rows[pair]: the rows' words in halves            (1.5 KB)
//           for two registers of lanes
//             sums of the tile
//
// A piece of the words stays in the nearest cache; between pieces the sums of
// the group wait in memory. With each tile a share of the next piece is asked
// for, if the schedule says so. A pair is half 0 of words 0, 1, ..., then half
// 1 of them.
//
// Cost: rows * registers * pairs times two operations. Taking apart is a 16th
// to a 32nd of that for 64 lanes and 96 rows.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/kernels/HalfProduct.h"
#include "tally/cpu/kernels/Blocks.h"
#include "tally/cpu/kernels/DotSchedules.h"
#include "tally/cpu/kernels/HalfTile.h"
#include "tally/cpu/kernels/HalfWords.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <algorithm>

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

/// Words of a row that a register of AVX2 holds.
static constexpr int64_t kRunQuads = 8;

namespace {
/// Words [first, first + quads) of each sum.
struct Piece {
  Value first;
  int64_t quads;

  int64_t pairs() const { return 2 * quads; }
};

/// Rows or lanes of a block or group.
struct Part {
  Value first;
  int64_t count;
};

class HalfProduct {
public:
  HalfProduct(KernelBuilder &k, const DotShape &shape,
              const DotOperands &operands, const ProductSchedule &schedule,
              llvm::function_ref<Value(Value, Value)> start,
              llvm::function_ref<void(const DotSums &)> finish)
      : k(k), shape(shape), operands(operands), schedule(schedule),
        start(start), finish(finish) {}
  void emit();

private:
  int64_t registerLanes() const { return registerLanesOf(k.tier); }
  VectorType registerOf() const {
    return VectorType::get({registerLanes()}, k.i32());
  }
  int64_t runQuads() const;
  bool isOnePiece() const { return schedule.stepBlock == shape.quads; }
  int64_t blockLanes() const { return schedule.vectors * kDotLanes; }
  int64_t groupRows(int64_t blocks) const;

  void makeMemory(int64_t rows);
  void emitGroup(Part lanes, Part rows);
  void emitPieces(Part lanes, Part rows);

  void prefetchShare(const Piece &piece, Part lanes, Value at, Part rows);
  void fillLanes(const Piece &piece, Part lanes);
  void fillRows(const Piece &piece, Part rows);
  void fillRun(const Piece &piece, Value row, Value i, Value quad,
               int64_t count);
  void fillWords(const Piece &piece, Value place, Value i, Value quad,
                 int64_t count);

  Value loadLanes(const Strip &strip, Value lane, Value quad, int64_t j);
  Value startOf(Value row, Value lane, const Strip &strip, int64_t j);

  SmallVector<Value> addPairs(const Piece &piece, int64_t rows,
                              const Strip &strip, ValueRange starts);
  /// The sums of a tile's strip, in `sums` from row `at` on.
  SmallVector<Value> loadSums(Value at, int64_t rows, const Strip &strip);
  void storeSums(ValueRange values, Value at, int64_t rows, const Strip &strip);
  SmallVector<Value> starts(Part rows, Value lane, const Strip &strip);

  KernelBuilder &k;
  const DotShape &shape;
  const DotOperands &operands;
  const ProductSchedule &schedule;
  llvm::function_ref<Value(Value, Value)> start;
  llvm::function_ref<void(const DotSums &)> finish;
  // Made in the outermost loop: each thread has its own.
  Value sums, rowPairs, lanePairs;
};
} // namespace

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// Words of a row that are taken apart together.
int64_t HalfProduct::runQuads() const {
  return operands.rows.offsets ? operands.rows.run : kRunQuads;
}

/// Those of the schedule; fewer where threads would have no block of their own.
int64_t HalfProduct::groupRows(int64_t blocks) const {
  if (!k.canSplitHere())
    return schedule.rowBlock;
  int64_t groups = (k.parts + blocks - 1) / blocks;
  int64_t tiles =
      (shape.rows + groups * schedule.rows - 1) / (groups * schedule.rows);
  return std::min(schedule.rowBlock, tiles * schedule.rows);
}

void HalfProduct::makeMemory(int64_t rows) {
  if (sums)
    return;
  int64_t pairs = 2 * schedule.stepBlock;
  sums =
      k.scratch({isOnePiece() ? schedule.rows : rows, blockLanes()}, k.i32());
  rowPairs = k.scratch({schedule.rows * pairs}, k.i32());
  lanePairs = k.scratch({blockLanes() * pairs}, k.i32());
}

//===----------------------------------------------------------------------===//
// Taking words apart
//===----------------------------------------------------------------------===//

Value HalfProduct::loadLanes(const Strip &strip, Value lane, Value quad,
                             int64_t j) {
  Value place = operands.place(quad, k.addIndex(lane, strip.lane));
  place = k.addIndex(place, k.index(strip.within + j * registerLanes()));
  return vector::LoadOp::create(k.b, registerOf(), operands.laneWords, place);
}

/// lanePairs: strip after strip, in each a pair after the other.
void HalfProduct::fillLanes(const Piece &piece, Part lanes) {
  forEachStrip(k, lanes.count, [&](Strip strip) {
    Value begin = strip.place(k, piece.pairs());
    k.loop(piece.quads, [&](Value quad) {
      for (int64_t j = 0; j < strip.registers; ++j) {
        Value words =
            loadLanes(strip, lanes.first, k.addIndex(piece.first, quad), j);
        for (int64_t half = 0; half < 2; ++half) {
          Value terms = halfOf(k, words, half, /*isSigned=*/true);
          Value pair = k.addIndex(quad, k.index(half * piece.quads));
          vector::StoreOp::create(
              k.b, vector::BitCastOp::create(k.b, registerOf(), terms),
              lanePairs, pairPlace(k, begin, pair, strip.registers, j));
        }
      }
    });
  });
}

/// The halves of `count` words of row i of a tile, from word `quad` of the
/// piece on, that lie side by side from `place` on.
void HalfProduct::fillWords(const Piece &piece, Value place, Value i,
                            Value quad, int64_t count) {
  auto bytes = VectorType::get({count * kDotTerms}, k.i8());
  auto type = VectorType::get({count}, k.i32());
  Value words = vector::BitCastOp::create(
      k.b, type,
      vector::LoadOp::create(k.b, bytes, operands.rows.bytes, place));
  Value first = k.addIndex(k.mulIndex(i, piece.pairs()), quad);
  for (int64_t half = 0; half < 2; ++half) {
    Value terms = halfOf(k, words, half, /*isSigned=*/false);
    vector::StoreOp::create(k.b, vector::BitCastOp::create(k.b, type, terms),
                            rowPairs,
                            k.addIndex(first, k.index(half * piece.quads)));
  }
}

/// The same of a run of words, eight, four, two or one at a time.
void HalfProduct::fillRun(const Piece &piece, Value row, Value i, Value quad,
                          int64_t count) {
  const DotRows &source = operands.rows;
  Value at = k.addIndex(piece.first, quad);
  Value offset = source.offsets ? k.toIndex(k.load(source.offsets, at), true)
                                : k.mulIndex(at, kDotTerms);
  Value place = k.addIndex(source.base, k.mulIndex(row, source.pitch));
  place = k.addIndex(place, offset);
  for (int64_t done = 0, step = kRunQuads; done < count; done += step) {
    while (done + step > count)
      step /= 2;
    fillWords(piece, k.addIndex(place, k.index(done * kDotTerms)), i,
              k.addIndex(quad, k.index(done)), step);
  }
}

/// rowPairs: row after row, in each a pair after the other.
void HalfProduct::fillRows(const Piece &piece, Part rows) {
  k.loop(rows.count, [&](Value i) {
    Value row = k.addIndex(rows.first, i);
    forEachBlock(k, piece.quads, runQuads(), [&](Value quad, int64_t count) {
      fillRun(piece, row, i, quad, count);
    });
  });
}

/// With the tile of rows from `at` of a group on, asks for a share of the words
/// that the next piece takes apart; behind the last word there is none.
void HalfProduct::prefetchShare(const Piece &piece, Part lanes, Value at,
                                Part rows) {
  int64_t tiles = (rows.count + schedule.rows - 1) / schedule.rows;
  int64_t share = (piece.quads + tiles - 1) / tiles;
  Value tile = arith::DivUIOp::create(k.b, at, k.index(schedule.rows));
  Value first = k.addIndex(k.addIndex(piece.first, k.index(piece.quads)),
                           k.mulIndex(tile, share));
  k.loops({vectorsOf(lanes.count), share}, [&](ValueRange i) {
    Value quad = arith::MinUIOp::create(k.b, k.addIndex(first, i[1]),
                                        k.index(shape.quads - 1));
    Value lane = k.addIndex(lanes.first, k.mulIndex(i[0], kDotLanes));
    memref::PrefetchOp::create(k.b, operands.laneWords,
                               operands.place(quad, lane), /*isWrite=*/false,
                               /*localityHint=*/2, /*isDataCache=*/true);
  });
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

SmallVector<Value> HalfProduct::addPairs(const Piece &piece, int64_t rows,
                                         const Strip &strip,
                                         ValueRange starts) {
  HalfTile tile = {rows,
                   strip.registers,
                   piece.pairs(),
                   lanePairs,
                   strip.place(k, piece.pairs()),
                   rowPairs,
                   {},
                   piece.pairs()};
  return tally::cpu::addPairs(k, tile, starts);
}

SmallVector<Value> HalfProduct::loadSums(Value at, int64_t rows,
                                         const Strip &strip) {
  SmallVector<Value> loaded;
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < strip.registers; ++j) {
      Value lane = k.index(strip.within + j * registerLanes());
      loaded.push_back(
          vector::LoadOp::create(k.b, registerOf(), sums,
                                 ValueRange{k.addIndex(at, k.index(i)),
                                            k.addIndex(strip.lane, lane)}));
    }
  return loaded;
}

void HalfProduct::storeSums(ValueRange values, Value at, int64_t rows,
                            const Strip &strip) {
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < strip.registers; ++j) {
      Value lane = k.index(strip.within + j * registerLanes());
      vector::StoreOp::create(
          k.b, values[i * strip.registers + j], sums,
          ValueRange{k.addIndex(at, k.index(i)), k.addIndex(strip.lane, lane)});
    }
}

/// Register j of what the sums of a row start from.
Value HalfProduct::startOf(Value row, Value lane, const Strip &strip,
                           int64_t j) {
  Value all = start(row, k.addIndex(lane, strip.lane));
  int64_t first = strip.within + j * registerLanes();
  auto lanes = llvm::to_vector(llvm::seq(first, first + registerLanes()));
  return vector::ShuffleOp::create(k.b, all, all, lanes);
}

SmallVector<Value> HalfProduct::starts(Part rows, Value lane,
                                       const Strip &strip) {
  SmallVector<Value> values;
  for (int64_t i = 0; i < rows.count; ++i)
    for (int64_t j = 0; j < strip.registers; ++j)
      values.push_back(
          startOf(k.addIndex(rows.first, k.index(i)), lane, strip, j));
  return values;
}

//===----------------------------------------------------------------------===//
// Groups of rows
//===----------------------------------------------------------------------===//

/// All words are one piece: each tile is finished when it is there.
void HalfProduct::emitGroup(Part lanes, Part rows) {
  Piece all = {k.index(0), shape.quads};
  fillLanes(all, lanes);
  forEachBlock(k, rows.count, schedule.rows, [&](Value at, int64_t count) {
    Part tile = {k.addIndex(rows.first, at), count};
    fillRows(all, tile);
    forEachStrip(k, lanes.count, [&](Strip strip) {
      storeSums(addPairs(all, count, strip, starts(tile, lanes.first, strip)),
                k.index(0), count, strip);
    });
    finish({sums, tile.first, lanes.first, count, lanes.count});
  });
}

/// The same with sums that wait from one piece to the next.
void HalfProduct::emitPieces(Part lanes, Part rows) {
  k.loop(rows.count, [&](Value i) {
    forEachStrip(k, lanes.count, [&](Strip strip) {
      Part row = {k.addIndex(rows.first, i), 1};
      storeSums(starts(row, lanes.first, strip), i, 1, strip);
    });
  });
  forEachBlock(
      k, shape.quads, schedule.stepBlock, [&](Value first, int64_t quads) {
        Piece piece = {first, quads};
        fillLanes(piece, lanes);
        forEachBlock(k, rows.count, schedule.rows,
                     [&](Value at, int64_t count) {
                       if (schedule.prefetches)
                         prefetchShare(piece, lanes, at, rows);
                       fillRows(piece, {k.addIndex(rows.first, at), count});
                       forEachStrip(k, lanes.count, [&](Strip strip) {
                         storeSums(addPairs(piece, count, strip,
                                            loadSums(at, count, strip)),
                                   at, count, strip);
                       });
                     });
      });
  finish({sums, rows.first, lanes.first, rows.count, lanes.count});
}

void HalfProduct::emit() {
  Blocks lanes = {shape.lanes, blockLanes()};
  int64_t size = groupRows(lanes.blocks());
  forEachTileInParallel(
      k, lanes, {shape.rows, size},
      [&](Value lane, int64_t laneCount, Value row, int64_t rowCount) {
        makeMemory(size);
        if (isOnePiece())
          emitGroup({lane, laneCount}, {row, rowCount});
        else
          emitPieces({lane, laneCount}, {row, rowCount});
      });
}

void tally::cpu::emitHalfProduct(
    KernelBuilder &k, const DotShape &shape, const DotOperands &operands,
    const ProductSchedule &schedule,
    llvm::function_ref<Value(Value, Value)> start,
    llvm::function_ref<void(const DotSums &)> finish) {
  HalfProduct(k, shape, operands, schedule, start, finish).emit();
}
