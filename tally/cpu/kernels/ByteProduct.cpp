//===- ByteProduct.cpp - products of rows and columns of bytes ------------===//
//
// Steps are packed sixteen columns after sixteen; in them a word of four terms
// after the other, and for each word a column after the other:
//
//     column      0            1                  15
//     word 0      t0 t1 t2 t3  t0 t1 t2 t3  ...   t0 t1 t2 t3
//     word 1      t4 t5 t6 t7  t4 t5 t6 t7  ...   t4 t5 t6 t7
//
// so sixteen words of sixteen columns are a tile of 1 KiB, and a word of
// sixteen columns is a vector.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/kernels/ByteProduct.h"
#include "tally/cpu/kernels/Blocks.h"
#include "tally/cpu/kernels/DotSchedules.h"
#include "tally/cpu/kernels/TileProduct.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <algorithm>

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

/// Bytes of a row that one tile holds.
static constexpr int64_t kPieceBytes = 64;

bool tally::cpu::hasByteProducts(Tier tier) { return hasDotProducts(tier); }

bool tally::cpu::readsSignedRows(Tier tier) { return hasTiles(tier); }

//===----------------------------------------------------------------------===//
// Pieces and words
//===----------------------------------------------------------------------===//

int64_t ByteShape::pieces() const {
  return (chunkBytes + kPieceBytes - 1) / kPieceBytes;
}

int64_t ByteShape::pieceBytes() const {
  int64_t bytes = (chunkBytes + pieces() - 1) / pieces();
  return quadsOf(bytes) * kDotTerms;
}

int64_t ByteShape::quads() const {
  int64_t count = static_cast<int64_t>(chunks.size());
  return count * pieces() * pieceBytes() / kDotTerms;
}

int64_t ByteShape::quadOffset(int64_t quad) const {
  int64_t byte = quad * kDotTerms, piece = byte / pieceBytes();
  int64_t last = std::max<int64_t>(chunkBytes - pieceBytes(), 0);
  int64_t begin = std::min(piece % pieces() * pieceBytes(), last);
  return chunks[piece / pieces()] + begin + byte % pieceBytes();
}

int64_t ByteShape::bytesBehind() const {
  return std::max<int64_t>(pieceBytes() - chunkBytes, 0);
}

//===----------------------------------------------------------------------===//
// Packing
//===----------------------------------------------------------------------===//

/// The byte of a chunk whose step stands at byte `at` of the chunk's pieces; -1
/// where the step is 0.
static int64_t packedByte(const ByteShape &shape, int64_t at) {
  int64_t size = shape.pieceBytes(), piece = at / size;
  int64_t last = std::max<int64_t>(shape.chunkBytes - size, 0);
  int64_t byte = std::min(piece * size, last) + at % size;
  return byte >= piece * size && byte < shape.chunkBytes ? byte : -1;
}

eval::Tensor tally::cpu::packColumns(const ByteShape &shape, int64_t products,
                                     ByteStep step) {
  int64_t vectors = vectorsOf(shape.columns), quads = shape.quads();
  int64_t perChunk = shape.pieces() * shape.pieceBytes();
  std::vector<int64_t> bytes; // of a chunk's words
  bytes.reserve(static_cast<size_t>(perChunk));
  for (int64_t at = 0; at < perChunk; ++at)
    bytes.push_back(packedByte(shape, at));
  eval::Tensor packed;
  packed.element = eval::Element::I8;
  packed.shape = {products * vectors * quads * kDotLanes * kDotTerms};
  packed.allocate();
  std::fill_n(packed.data<int8_t>(), packed.count(), int8_t(0));
  for (int64_t vector = 0; vector < products * vectors; ++vector) {
    int64_t first = vector % vectors * kDotLanes;
    int64_t lanes = std::min(kDotLanes, shape.columns - first);
    int64_t column = vector / vectors * shape.columns + first;
    auto *words =
        packed.data<int8_t>() + vector * quads * kDotLanes * kDotTerms;
    for (int64_t at = 0; at < quads * kDotTerms; ++at) {
      int64_t chunk = at / perChunk, byte = bytes[at % perChunk];
      auto *to =
          words + at / kDotTerms * kDotLanes * kDotTerms + at % kDotTerms;
      for (int64_t lane = 0; byte >= 0 && lane < lanes; ++lane)
        to[lane * kDotTerms] =
            static_cast<int8_t>(step(column + lane, chunk, byte));
    }
  }
  return packed;
}

/// All that packed columns depend on beside their steps.
static std::string shapeText(const ByteShape &shape, int64_t products) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << products << "x" << shape.columns << "x" << shape.chunkBytes;
  for (int64_t chunk : shape.chunks)
    os << "," << chunk;
  return text;
}

Value tally::cpu::packedColumns(KernelBuilder &k, const ByteShape &shape,
                                int64_t products, ByteStep step) {
  return k.constant(
      k.once<eval::Tensor>("columns " + shapeText(shape, products),
                           [&] { return packColumns(shape, products, step); }));
}

eval::Tensor tally::cpu::packStarts(const ByteShape &shape, int64_t products,
                                    ArrayRef<int32_t> starts) {
  int64_t padded = shape.paddedColumns();
  eval::Tensor packed;
  packed.element = eval::Element::I32;
  packed.shape = {products * padded};
  packed.allocate();
  for (int64_t i = 0; i < packed.shape[0]; ++i) {
    int64_t column = i % padded;
    bool isStart = column < shape.columns && !starts.empty();
    packed.data<int32_t>()[i] =
        isStart ? starts[i / padded * shape.columns + column] : 0;
  }
  return packed;
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// Where each word of a row begins, if they do not follow one another.
static std::vector<int32_t> apartOffsets(const ByteShape &shape) {
  std::vector<int32_t> offsets;
  bool isLine = true;
  for (int64_t quad = 0, e = shape.quads(); quad < e; ++quad) {
    offsets.push_back(static_cast<int32_t>(shape.quadOffset(quad)));
    isLine &= offsets.back() == quad * kDotTerms;
  }
  if (isLine)
    offsets.clear();
  return offsets;
}

static Value quadOffsets(KernelBuilder &k, const ByteShape &shape) {
  std::vector<int32_t> offsets = apartOffsets(shape);
  return offsets.empty() ? Value() : k.constant<int32_t>(offsets);
}

/// Words that are copied together stay together.
ProductTask tally::cpu::dotTask(Tier tier, const ByteShape &shape,
                                int64_t pitch) {
  bool isStraight = apartOffsets(shape).empty();
  bool isCut = hasHalves(tier) && !isStraight;
  return {tier,          ProductTask::Kind::Dots,
          shape.rows,    shape.columns,
          shape.quads(), pitch,
          isStraight,    isCut ? shape.pieceBytes() / kDotTerms : 1,
          shape.squares, shape.channels};
}

Value ByteColumns::words(KernelBuilder &k) const {
  int64_t bytes = cast<MemRefType>(packed.getType()).getNumElements();
  auto type = MemRefType::get({bytes / kDotTerms}, k.i32());
  return memref::ViewOp::create(k.b, type, packed, k.index(0), ValueRange());
}

Value ByteColumns::wordOf(KernelBuilder &k, const ByteShape &shape, Value quad,
                          Value column) const {
  return k.addIndex(k.mulIndex(startOf(k, shape, column), shape.quads()),
                    k.mulIndex(quad, kDotLanes));
}

Value ByteColumns::startOf(KernelBuilder &k, const ByteShape &shape,
                           Value column) const {
  if (!product)
    return column;
  return k.addIndex(k.mulIndex(product, shape.paddedColumns()), column);
}

static VectorType sumVector(KernelBuilder &k, int64_t columns) {
  return VectorType::get({vectorsOf(columns) * kDotLanes}, k.i32());
}

/// Emits the sums, `finish` being called with each row of a tile.
static void emitDots(KernelBuilder &k, const ByteShape &shape,
                     const ByteRows &rows, const ByteColumns &columns,
                     llvm::function_ref<void(const ByteSums &)> finish) {
  Value words = columns.words(k);
  auto place = [&](Value quad, Value lane) {
    return columns.wordOf(k, shape, quad, lane);
  };
  DotRows source = {rows.bytes, rows.base ? rows.base : k.index(0), rows.pitch,
                    quadOffsets(k, shape), shape.pieceBytes() / kDotTerms};
  emitDotProduct(
      k, {shape.rows, shape.columns, shape.quads()}, {source, words, place},
      k.scheduleOf(dotTask(k.tier, shape, rows.pitch)),
      [&](Value, Value lane) -> Value {
        return vector::LoadOp::create(k.b, sumVector(k, kDotLanes),
                                      columns.starts,
                                      columns.startOf(k, shape, lane));
      },
      [&](const DotSums &block) {
        k.loop(block.rows, [&](Value i) {
          finish({block.sums, i, k.addIndex(block.row, i), block.lane,
                  block.lanes, /*areStarted=*/true});
        });
      });
}

static void emitRows(KernelBuilder &k, const ByteShape &shape,
                     const ByteRows &rows, const ByteColumns &columns,
                     llvm::function_ref<void(const ByteSums &)> finish) {
  if (hasTiles(k.tier))
    return emitTileProduct(k, shape, rows, columns, finish);
  emitDots(k, shape, rows, columns, finish);
}

/// Columns that go through the epilogue together. With all 64 their tables'
/// entries are prepared outside of the loop over rows; of plain x86-64 these
/// would be many registers.
static int64_t finishedColumns(Tier tier) {
  return tier == Tier::Baseline ? kDotLanes : 4 * kDotLanes;
}

void tally::cpu::finishColumns(
    KernelBuilder &k, int64_t count,
    llvm::function_ref<void(Value first, int64_t count)> finish) {
  forEachBlock(k, count, finishedColumns(k.tier), finish);
}

/// Columns [first, first + count) of a row that is ready.
static void finishPart(KernelBuilder &k, const ByteShape &shape,
                       const ByteColumns &columns, const ByteSums &row,
                       Value first, int64_t count, FinishLanes finish) {
  VectorType type = sumVector(k, count);
  Value column = k.addIndex(row.column, first);
  Value sums =
      vector::LoadOp::create(k.b, type, row.sums, ValueRange{row.held, first});
  if (!row.areStarted) {
    Value start = vector::LoadOp::create(k.b, type, columns.starts,
                                         columns.startOf(k, shape, column));
    sums = arith::AddIOp::create(k.b, sums, start);
  }
  finish(row.row, column, count, sums);
}

void tally::cpu::emitByteProduct(KernelBuilder &k, const ByteShape &shape,
                                 const ByteRows &rows,
                                 const ByteColumns &columns,
                                 FinishLanes finish) {
  emitRows(k, shape, rows, columns, [&](const ByteSums &row) {
    finishColumns(k, row.columns, [&](Value first, int64_t count) {
      finishPart(k, shape, columns, row, first, count, finish);
    });
  });
}
