//===- DotLoops.cpp - the loops around tiles of a product of bytes --------===//
//
// A schedule (ProductSchedule.h) says which loops stand around a tile. Without
// blocks of rows or steps they are
//
//     for columns in blocks of `vectors`, the weights: once     (by threads)
//       for rows in tiles of `rows`
//         [ask for a share of the next block's words]
//         sums of the tile, from the starts; finish them
//
// With blocks of steps, the sums of all rows wait in memory; they begin as the
// starts, each block adds its products, and all are finished at the end. With
// blocks of rows, the same is done for some rows after the others. Schedules
// that copy are HalfProduct.cpp's.
//
// Cost: that of the tiles, which are as many whatever the order.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/kernels/Blocks.h"
#include "tally/cpu/kernels/DotTile.h"
#include "tally/cpu/kernels/HalfProduct.h"

using namespace mlir;
using namespace tally::cpu;

namespace {
/// The loops of a schedule around its tiles.
class DotLoops {
public:
  DotLoops(KernelBuilder &k, const DotShape &shape, const DotOperands &operands,
           const ProductSchedule &schedule,
           llvm::function_ref<Value(Value, Value)> start,
           llvm::function_ref<void(const DotSums &)> finish);
  void emit();

private:
  int64_t width() const { return schedule.vectors * kDotLanes; }
  DotTile tile(int64_t rows, int64_t lanes, QuadRange quads) const {
    return {k, rows, lanes, quads, operands};
  }
  void emitTile(Value lane, int64_t lanes, Value row, int64_t rows);
  void emitBlock(Value firstRow, int64_t rows, Value lane, int64_t lanes);
  void emitInParts(Value firstRow, int64_t rows, Value lane, int64_t lanes);
  void prefetchShare(Value row, int64_t rows, Value lane);

  KernelBuilder &k;
  const DotShape &shape;
  const DotOperands &operands;
  const ProductSchedule &schedule;
  llvm::function_ref<Value(Value, Value)> start;
  llvm::function_ref<void(const DotSums &)> finish;
  // Made in the outermost loop of blocks: each thread has its own.
  Value sums, waiting;
};
} // namespace

DotLoops::DotLoops(KernelBuilder &k, const DotShape &shape,
                   const DotOperands &operands, const ProductSchedule &schedule,
                   llvm::function_ref<Value(Value, Value)> start,
                   llvm::function_ref<void(const DotSums &)> finish)
    : k(k), shape(shape), operands(operands), schedule(schedule), start(start),
      finish(finish) {}

void DotLoops::emitTile(Value lane, int64_t lanes, Value row, int64_t rows) {
  if (!sums)
    sums = k.scratch({schedule.rows, width()}, k.i32());
  DotTile emitter = tile(rows, lanes, {{}, shape.quads});
  ValueRange results =
      emitter.loop(row, lane, emitter.starts(row, lane, start));
  emitter.store(results, sums, {});
  finish({sums, row, lane, rows, lanes});
}

/// Asks for the share of the tile at `row`, counted in its block of `rows`, of
/// the words that the next block of columns has. The last block asks for its
/// own again, so that nothing behind them is named.
void DotLoops::prefetchShare(Value row, int64_t rows, Value lane) {
  int64_t tiles = Blocks{rows, schedule.rows}.blocks();
  int64_t share = Blocks{shape.quads, tiles}.blocks();
  Value last = k.index((vectorsOf(shape.lanes) - 1) * kDotLanes);
  Value first = arith::DivUIOp::create(k.b, row, k.index(schedule.rows));
  first = k.mulIndex(first, share);
  k.loop(share, [&](Value i) {
    Value quad = arith::MinUIOp::create(k.b, k.addIndex(first, i),
                                        k.index(shape.quads - 1));
    for (int64_t j = 0; j < schedule.vectors; ++j) {
      Value next = k.addIndex(lane, k.index(width() + j * kDotLanes));
      next = arith::MinUIOp::create(k.b, next, last);
      memref::PrefetchOp::create(k.b, operands.laneWords,
                                 operands.place(quad, next), /*isWrite=*/false,
                                 /*localityHint=*/2, /*isDataCache=*/true);
    }
  });
}

/// All steps of a block of columns for rows [firstRow, firstRow + rows). No
/// first row is 0.
void DotLoops::emitBlock(Value firstRow, int64_t rows, Value lane,
                         int64_t lanes) {
  if (schedule.stepBlock < shape.quads)
    return emitInParts(firstRow, rows, lane, lanes);
  forEachBlock(k, rows, schedule.rows, [&](Value row, int64_t count) {
    if (schedule.prefetches)
      prefetchShare(row, rows, lane);
    emitTile(lane, lanes, firstRow ? k.addIndex(firstRow, row) : row, count);
  });
}

/// The same a few steps at a time, between which the sums of all these rows
/// wait in memory.
void DotLoops::emitInParts(Value firstRow, int64_t rows, Value lane,
                           int64_t lanes) {
  if (!waiting)
    waiting = k.scratch({schedule.rowBlock, width()}, k.i32());
  auto rowOf = [&](Value row) {
    return firstRow ? k.addIndex(firstRow, row) : row;
  };
  forEachBlock(k, rows, schedule.rows, [&](Value row, int64_t count) {
    if (schedule.prefetches)
      prefetchShare(row, rows, lane);
    DotTile emitter = tile(count, lanes, {{}, 0});
    emitter.store(emitter.starts(rowOf(row), lane, start), waiting, row);
  });
  forEachBlock(
      k, shape.quads, schedule.stepBlock, [&](Value first, int64_t steps) {
        forEachBlock(k, rows, schedule.rows, [&](Value row, int64_t count) {
          DotTile emitter = tile(count, lanes, {first, steps});
          ValueRange results =
              emitter.loop(rowOf(row), lane, emitter.load(waiting, row));
          emitter.store(results, waiting, row);
        });
      });
  finish({waiting, firstRow ? firstRow : k.index(0), lane, rows, lanes});
}

void DotLoops::emit() {
  if (schedule.copies)
    return emitHalfProduct(k, shape, operands, schedule, start, finish);
  Blocks lanes = {shape.lanes, width()};
  if (schedule.rowBlock < shape.rows)
    return forEachTileInParallel(
        k, {shape.rows, schedule.rowBlock}, lanes,
        [&](Value row, int64_t rows, Value lane, int64_t n) {
          emitBlock(row, rows, lane, n);
        });
  bool areTilesApart =
      !schedule.prefetches && schedule.stepBlock == shape.quads;
  if (areTilesApart)
    return forEachTileInParallel(
        k, lanes, {shape.rows, schedule.rows},
        [&](Value lane, int64_t n, Value row, int64_t rows) {
          emitTile(lane, n, row, rows);
        });
  forEachBlockInParallel(k, shape.lanes, width(), [&](Value lane, int64_t n) {
    emitBlock({}, shape.rows, lane, n);
  });
}

void tally::cpu::emitDotProduct(
    KernelBuilder &k, const DotShape &shape, const DotOperands &operands,
    const ProductSchedule &schedule,
    llvm::function_ref<Value(Value, Value)> start,
    llvm::function_ref<void(const DotSums &)> finish) {
  DotLoops(k, shape, operands, schedule, start, finish).emit();
}
