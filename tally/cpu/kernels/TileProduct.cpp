//===- TileProduct.cpp - products of bytes in tiles -----------------------===//
//
// Two tiles of rows by two of columns have four tiles of sums; each step of up
// to 64 terms loads four tiles and multiplies four times, and all eight
// registers are in use:
//
//               B0  B1            c00 += A0 B0    c01 += A0 B1
//          A0  c00 c01            c10 += A1 B0    c11 += A1 B1
//          A1  c10 c11
//
// Rows are cut into equal tiles, since a tile takes about as many cycles as it
// has rows: 49 rows are four tiles of 13 in two blocks. All blocks have whole
// tiles; the last block and its last tile begin as far ahead of the end as they
// are high, and what they compute again is not finished again. So there is one
// height, one number of terms (ByteShape's pieces) and one configuration of the
// registers. Up to sixteen rows are one tile, which meets three of columns: the
// sum of a multiplication is ready after 52 cycles, and another may begin after
// 16.
//
// Blocks are walked in panels of columns whose steps stay in the second-level
// cache; in a panel a row of blocks after the other. The rows of a block stay
// in the first level, and the steps pass it by (loadTile's `once`): 32 rows of
// 768 terms with all 768 columns run at 88 % of what tiles in the first level
// give, against 58 % when the columns stay and rows pass. Many terms are cut
// into parts (TileSchedules.cpp), between which the sums of a row of blocks
// wait in memory.
//
// While a block is multiplied, the one before is finished: a few of its rows
// after each step, in the shadow of the multiplications. For 768 terms this
// brings requantized results from 64 % to 81 %.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/kernels/TileProduct.h"
#include "tally/cpu/kernels/TileSchedules.h"

#include <algorithm>

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

/// Bytes of a panel's steps, half of the second-level cache.
static constexpr int64_t kPanelBytes = int64_t(1) << 20;

static int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

//===----------------------------------------------------------------------===//
// How a product is cut
//===----------------------------------------------------------------------===//

namespace {
struct Cut {
  Cut(const ByteShape &shape, const ProductSchedule &schedule);

  /// Rows of a block, and the index of the last place where one can begin.
  int64_t blockRows() const { return height * down; }

  int64_t height;    ///< rows of a tile
  int64_t down;      ///< tiles of rows in a block
  int64_t rowBlocks; ///< rows of blocks
  int64_t across;    ///< tiles of columns in a block
  int64_t steps;     ///< pieces of a row
  int64_t parts;     ///< of the steps
  int64_t partSteps; ///< of all parts but the last, which can have fewer

  int64_t lastSteps() const { return steps - (parts - 1) * partSteps; }
  /// Rows of the block before that are finished in a step.
  int64_t finishedRows() const {
    return ceilDiv(blockRows(), std::min(partSteps, lastSteps()));
  }
};
} // namespace

Cut::Cut(const ByteShape &shape, const ProductSchedule &schedule) {
  TileBlock block = tileBlockOf(shape.rows, shape.columns);
  down = block.down;
  height = block.height;
  rowBlocks = ceilDiv(shape.rows, blockRows());
  across = block.across;
  steps = shape.quads() * kDotTerms / shape.pieceBytes();
  partSteps = schedule.stepBlock * kDotTerms / shape.pieceBytes();
  parts = ceilDiv(steps, partSteps);
}

namespace {
/// Columns of blocks [first, first + count) of one width, `columns` columns of
/// the product in each, from column `begin` on.
struct Columns {
  int64_t begin, count, across, columns;
};

/// One block on its way: which part of its terms, and where it is.
struct SumBlock {
  Value part;
  Value begin; ///< its first row that is finished
  Value row;   ///< the first row of its tiles
  Value count; ///< rows to finish
  Value column;
  Value slot; ///< where its sums are: rows from slot * blockRows on
};

class TileEmitter {
public:
  TileEmitter(KernelBuilder &k, const ByteShape &shape, const Cut &cut,
              const ByteRows &rows, const ByteColumns &columns,
              llvm::function_ref<void(const ByteSums &)> finish);

  void emit(const Columns &run);

private:
  void emitStrip(Value firstRow, Value rowCount, Value firstColumn,
                 Value columnCount);
  SumBlock blockAt(Value t) const;
  Value tileRow(const SumBlock &block, int64_t i) const;
  TilePlace sumPlace(const SumBlock &block, int64_t i, int64_t j) const;
  SmallVector<Value> loadSums(const SumBlock &block) const;
  SmallVector<Value> step(Value piece, ArrayRef<Value> lefts, Value right,
                          ValueRange sums) const;
  void multiply(const SumBlock &block, const SumBlock &before, Value isBefore);
  void finishRows(const SumBlock &block, Value from, Value to);

  KernelBuilder &k;
  const ByteShape &shape;
  const ByteRows &rows;
  const ByteColumns &columns;
  const Cut cut;
  llvm::function_ref<void(const ByteSums &)> finish;
  Value offsets; ///< of the pieces; none when one follows another
  // Of the run and strip that are emitted.
  Columns run = {};
  Value sums, firstRow, firstColumn, columnCount;
};
} // namespace

/// Pieces that do not follow one another have their offsets in a table.
static Value pieceOffsets(KernelBuilder &k, const ByteShape &shape,
                          int64_t steps) {
  int64_t bytes = shape.pieceBytes();
  std::vector<int32_t> offsets;
  bool isLine = true;
  for (int64_t i = 0; i < steps; ++i) {
    int64_t offset = shape.quadOffset(i * bytes / kDotTerms);
    offsets.push_back(static_cast<int32_t>(offset));
    isLine &= offset == i * bytes;
  }
  return isLine ? Value() : k.constant<int32_t>(offsets);
}

TileEmitter::TileEmitter(KernelBuilder &k, const ByteShape &shape,
                         const Cut &cut, const ByteRows &rows,
                         const ByteColumns &columns,
                         llvm::function_ref<void(const ByteSums &)> finish)
    : k(k), shape(shape), rows(rows), columns(columns), cut(cut),
      finish(finish), offsets(pieceOffsets(k, shape, cut.steps)) {}

//===----------------------------------------------------------------------===//
// One block
//===----------------------------------------------------------------------===//

/// The first row of tile `i`.
Value TileEmitter::tileRow(const SumBlock &block, int64_t i) const {
  if (i == 0)
    return block.row;
  Value next = k.addIndex(block.row, k.index(i * cut.height));
  if (shape.rows % cut.blockRows() == 0)
    return next;
  return arith::MinSIOp::create(k.b, next, k.index(shape.rows - cut.height));
}

/// A row that is in two tiles is stored twice, with equal sums.
TilePlace TileEmitter::sumPlace(const SumBlock &block, int64_t i,
                                int64_t j) const {
  int64_t pitch = run.across * kTileBytes;
  Value row = arith::SubIOp::create(k.b, tileRow(block, i), block.row);
  row = k.addIndex(row, k.mulIndex(block.slot, cut.blockRows()));
  Value bytes = k.addIndex(k.mulIndex(row, pitch), k.index(j * kTileBytes));
  return {addressAt(k, addressOf(k, sums), bytes), k.integer(k.i64(), pitch)};
}

/// What the first part begins with is the row of starts, again and again;
/// others begin with what the part before has left.
SmallVector<Value> TileEmitter::loadSums(const SumBlock &block) const {
  SmallVector<Value> loaded;
  TileShape tile = {cut.height, kTileBytes};
  Value isFirst = arith::CmpIOp::create(k.b, arith::CmpIPredicate::eq,
                                        block.part, k.index(0));
  for (int64_t i = 0; i < cut.down; ++i)
    for (int64_t j = 0; j < run.across; ++j) {
      if (cut.parts == 1) {
        loaded.push_back(zeroTile(k, tile));
        continue;
      }
      TilePlace left = sumPlace(block, i, j);
      Value column = k.addIndex(block.column, k.index(j * kDotLanes));
      Value start = addressAt(
          k, addressOf(k, columns.starts),
          k.mulIndex(columns.startOf(k, shape, column), sizeof(int32_t)));
      loaded.push_back(
          loadTile(k, tile,
                   {arith::SelectOp::create(k.b, isFirst, start, left.address),
                    arith::SelectOp::create(k.b, isFirst, k.integer(k.i64(), 0),
                                            left.pitch)},
                   /*once=*/false));
    }
  return loaded;
}

SmallVector<Value> TileEmitter::step(Value piece, ArrayRef<Value> lefts,
                                     Value right, ValueRange sums) const {
  int64_t bytes = shape.pieceBytes(), quads = bytes / kDotTerms;
  Value offset = offsets ? k.toIndex(k.load(offsets, piece), true)
                         : k.mulIndex(piece, bytes);
  Value pitchA = k.integer(k.i64(), rows.pitch);
  Value pitchB = k.integer(k.i64(), kTileBytes);
  Value rightPiece = addressAt(k, right, k.mulIndex(piece, quads * kTileBytes));
  SmallVector<Value> a, b, next;
  for (int64_t j = 0; j < run.across; ++j) {
    Value to = k.index(j * shape.quads() * kTileBytes);
    b.push_back(loadTile(k, {quads, kTileBytes},
                         {addressAt(k, rightPiece, to), pitchB},
                         /*once=*/true));
  }
  for (Value left : lefts)
    a.push_back(loadTile(k, {cut.height, bytes},
                         {addressAt(k, left, offset), pitchA},
                         /*once=*/false));
  for (int64_t i = 0; i < cut.down; ++i)
    for (int64_t j = 0; j < run.across; ++j)
      next.push_back(multiplyTiles(k, cut.height, bytes,
                                   sums[i * run.across + j], a[i], b[j],
                                   {rows.areSigned, columns.areSigned}));
  return next;
}

/// Finishes rows [from, to) of a block, counted from its first.
void TileEmitter::finishRows(const SumBlock &block, Value from, Value to) {
  auto loop = scf::ForOp::create(k.b, from, to, k.index(1));
  OpBuilder::InsertionGuard guard(k.b);
  k.b.setInsertionPointToStart(loop.getBody());
  Value row = k.addIndex(block.begin, loop.getInductionVar());
  Value held = k.addIndex(arith::SubIOp::create(k.b, row, block.row),
                          k.mulIndex(block.slot, cut.blockRows()));
  finish({sums, held, row, block.column, run.columns, cut.parts > 1});
}

/// Multiplies one part of a block while `before`, if there is one, is finished.
void TileEmitter::multiply(const SumBlock &block, const SumBlock &before,
                           Value isBefore) {
  SmallVector<Value> lefts;
  Value base = addressOf(k, rows.bytes);
  if (rows.base)
    base = addressAt(k, base, rows.base);
  for (int64_t i = 0; i < cut.down; ++i)
    lefts.push_back(
        addressAt(k, base, k.mulIndex(tileRow(block, i), rows.pitch)));
  Value right = addressAt(k, addressOf(k, columns.packed),
                          k.mulIndex(columns.startOf(k, shape, block.column),
                                     shape.quads() * kDotTerms));
  Value from = k.mulIndex(block.part, cut.partSteps);
  Value to = arith::MinSIOp::create(
      k.b, k.addIndex(from, k.index(cut.partSteps)), k.index(cut.steps));
  Value count =
      arith::SelectOp::create(k.b, isBefore, before.count, k.index(0));
  auto loop = scf::ForOp::create(k.b, from, to, k.index(1), loadSums(block));
  {
    OpBuilder::InsertionGuard guard(k.b);
    k.b.setInsertionPointToStart(loop.getBody());
    Value piece = loop.getInductionVar();
    SmallVector<Value> next =
        step(piece, lefts, right, loop.getRegionIterArgs());
    int64_t each = cut.finishedRows();
    Value first = k.mulIndex(arith::SubIOp::create(k.b, piece, from), each);
    finishRows(
        before, first,
        arith::MinSIOp::create(k.b, k.addIndex(first, k.index(each)), count));
    scf::YieldOp::create(k.b, next);
  }
  for (int64_t i = 0; i < cut.down; ++i)
    for (int64_t j = 0; j < run.across; ++j)
      storeTile(k, {cut.height, kTileBytes}, sumPlace(block, i, j),
                loop.getResult(i * run.across + j));
}

//===----------------------------------------------------------------------===//
// All blocks
//===----------------------------------------------------------------------===//

/// SumBlock `t` of the strip: columns of blocks are innermost, then the parts
/// of the terms, then the rows of blocks.
SumBlock TileEmitter::blockAt(Value t) const {
  auto divide = [&](Value a, Value b) -> std::pair<Value, Value> {
    return {arith::DivUIOp::create(k.b, a, b),
            arith::RemUIOp::create(k.b, a, b)};
  };
  auto [line, column] = divide(t, columnCount);
  auto [rowBlock, part] = divide(line, k.index(cut.parts));
  int64_t whole = cut.blockRows();
  SumBlock block;
  block.part = part;
  block.slot = cut.parts > 1 ? column : k.index(0);
  block.begin = k.mulIndex(k.addIndex(firstRow, rowBlock), whole);
  block.row = block.begin;
  block.count = k.index(whole);
  block.column = k.addIndex(
      k.mulIndex(k.addIndex(firstColumn, column), run.across * kDotLanes),
      k.index(run.begin));
  if (shape.rows % whole == 0)
    return block;
  Value last = k.index(std::max<int64_t>(shape.rows - whole, 0));
  block.row = arith::MinSIOp::create(k.b, block.begin, last);
  Value rest = arith::SubIOp::create(k.b, k.index(shape.rows), block.begin);
  block.count = arith::MinSIOp::create(k.b, block.count, rest);
  return block;
}

void TileEmitter::emitStrip(Value rowBegin, Value rowCount, Value columnBegin,
                            Value columns) {
  firstRow = rowBegin;
  firstColumn = columnBegin;
  columnCount = columns;
  Value blocks = arith::MulIOp::create(k.b, rowCount, columns);
  Value total = k.mulIndex(blocks, cut.parts);
  auto loop = scf::ForOp::create(k.b, k.index(0), total, k.index(1));
  auto beforeOf = [&](Value t) {
    return blockAt(arith::SubIOp::create(k.b, t, k.index(1)));
  };
  {
    OpBuilder::InsertionGuard guard(k.b);
    k.b.setInsertionPointToStart(loop.getBody());
    Value t = loop.getInductionVar();
    Value isFirst =
        arith::CmpIOp::create(k.b, arith::CmpIPredicate::eq, t, k.index(0));
    SumBlock before = beforeOf(arith::MaxSIOp::create(k.b, t, k.index(1)));
    Value isReady = arith::CmpIOp::create(k.b, arith::CmpIPredicate::eq,
                                          before.part, k.index(cut.parts - 1));
    Value isBefore =
        arith::SelectOp::create(k.b, isFirst, k.integer(k.i1(), 0), isReady);
    multiply(blockAt(t), before, isBefore);
  }
  SumBlock last = beforeOf(total);
  finishRows(last, k.index(0), last.count);
}

/// Blocks of a strip, so that finishing the last one does not count.
static constexpr int64_t kStripBlocks = 16;
/// Strips that few threads share well.
static constexpr int64_t kFewStrips = 4;

void TileEmitter::emit(const Columns &columns) {
  run = columns;
  int64_t blockBytes = run.across * shape.quads() * kDotLanes * kDotTerms;
  int64_t panels =
      ceilDiv(run.count, std::max<int64_t>(kPanelBytes / blockBytes, 1));
  if (k.canSplitHere() && panels * cut.rowBlocks < kFewStrips)
    panels = std::min(run.count, ceilDiv(kFewStrips, cut.rowBlocks));
  int64_t panel = ceilDiv(run.count, panels);
  panels = ceilDiv(run.count, panel);
  int64_t stripRows =
      std::clamp<int64_t>(kStripBlocks / panel, 1, cut.rowBlocks);
  int64_t strips = ceilDiv(cut.rowBlocks, stripRows);
  auto part = [&](Value i, int64_t size, int64_t all) -> Value {
    return arith::MinSIOp::create(
        k.b, k.index(size),
        arith::SubIOp::create(k.b, k.index(all), k.mulIndex(i, size)));
  };
  k.parallelLoops({panels, strips}, [&](ValueRange at) {
    sums = k.scratch(
        {(cut.parts > 1 ? panel : 1) * cut.blockRows(), run.across * kDotLanes},
        k.i32());
    emitStrip(k.mulIndex(at[1], stripRows),
              part(at[1], stripRows, cut.rowBlocks), k.mulIndex(at[0], panel),
              part(at[0], panel, run.count));
  });
}

static ProductTask taskOf(KernelBuilder &k, const ByteShape &shape,
                          const ByteRows &rows) {
  int64_t last = shape.quads() - 1;
  bool isStraight = shape.quadOffset(last) == last * kDotTerms;
  return {k.tier,        ProductTask::Kind::Tiles,
          shape.rows,    shape.columns,
          shape.quads(), rows.pitch,
          isStraight,    shape.pieceBytes() / kDotTerms};
}

void tally::cpu::emitTileProduct(
    KernelBuilder &k, const ByteShape &shape, const ByteRows &rows,
    const ByteColumns &columns,
    llvm::function_ref<void(const ByteSums &)> finish) {
  ProductSchedule schedule = k.scheduleOf(taskOf(k, shape, rows));
  Cut cut(shape, schedule);
  TileEmitter emitter(k, shape, cut, rows, columns, finish);
  int64_t width = cut.across * kDotLanes;
  int64_t whole = shape.columns / width, rest = shape.columns % width;
  if (whole)
    emitter.emit({0, whole, cut.across, width});
  if (rest)
    emitter.emit({whole * width, 1, vectorsOf(rest), rest});
}
