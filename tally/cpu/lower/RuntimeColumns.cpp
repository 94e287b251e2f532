//===- RuntimeColumns.cpp - products of two operands of a run -------------===//
//
// Where the columns of a term follow one another, four terms of sixteen columns
// are interleaved in registers:
//
//     a0 a1 a2 ...   b0 b1 b2 ...   c0 c1 c2 ...   d0 d1 d2 ...
//     a0 c0 a1 c1 ...               b0 d0 b1 d1 ...
//     a0 b0 c0 d0 a1 b1 c1 d1 ...
//
// where the terms of a column do, words of four terms are moved. Signs are
// flipped on the way where instructions want the columns signed.
//
// Cost: one pass over the right operand, which each row of the left one reads
// once more.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/lower/RuntimeColumns.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

bool tally::cpu::canPackAtRunTime(const KernelBuilder &k, int64_t terms,
                                  const RightCodes &right) {
  ByteShape shape = {1, 1, {0}, terms};
  return hasDotProducts(k.tier) &&
         (right.constant || right.columnStride == 1 ||
          (right.termStride == 1 && shape.bytesBehind() == 0));
}

namespace {
/// Packs the columns of one product.
struct ColumnPacker {
  KernelBuilder &k;
  const ByteShape &shape;
  const RightCodes &right;
  bool flips;   ///< the sign bits
  Value packed; ///< where they go
  Value sums;   ///< of a constant's columns, a flat memref of i32

  void pack();
  void packLines() const;
  void packWords() const;
  Value line(Value term, Value column) const;
  Value sumsOf(Value vector) const;

private:
  void packConstant();

  Value at(Value element) const {
    return right.base ? k.addIndex(right.base, element) : element;
  }
  Value place(Value vector, Value quad) const {
    Value words = k.addIndex(k.mulIndex(vector, shape.quads()), quad);
    return k.mulIndex(words, kDotLanes * kDotTerms);
  }
};
} // namespace

/// The term of each packed byte of a column, -1 where the byte is 0.
static std::vector<int32_t> packedTerms(const ByteShape &shape) {
  std::vector<int32_t> terms;
  int64_t next = 0;
  for (int64_t quad = 0; quad < shape.quads(); ++quad)
    for (int64_t i = 0; i < kDotTerms; ++i) {
      int64_t term = shape.quadOffset(quad) + i;
      bool isNew = term == next && term < shape.chunkBytes;
      terms.push_back(isNew ? static_cast<int32_t>(term) : -1);
      next += isNew;
    }
  return terms;
}

/// Sixteen columns of a term, 0 for a term of -1.
Value ColumnPacker::line(Value term, Value column) const {
  auto &b = k.b;
  auto type = VectorType::get({kDotLanes}, k.i8());
  Value zero = k.integer(k.i32(), 0);
  Value isTerm =
      arith::CmpIOp::create(b, arith::CmpIPredicate::sge, term, zero);
  Value safe = k.toIndex(arith::MaxSIOp::create(b, term, zero), true);
  Value from = at(k.addIndex(k.mulIndex(safe, right.termStride), column));
  Value none = arith::ConstantOp::create(b, b.getZeroAttr(type));
  Value bytes;
  if (shape.columns % kDotLanes == 0) {
    bytes = vector::LoadOp::create(b, type, right.codes, from);
  } else {
    Value count = arith::SubIOp::create(b, k.index(shape.columns), column);
    SmallVector<int32_t> lanes(kDotLanes);
    std::iota(lanes.begin(), lanes.end(), 0);
    auto counts = VectorType::get({kDotLanes}, k.i32());
    Value here = arith::ConstantOp::create(
        b, DenseIntElementsAttr::get(counts, ArrayRef<int32_t>(lanes)));
    Value all = vector::BroadcastOp::create(
        b, counts, arith::IndexCastOp::create(b, k.i32(), count).getResult());
    Value mask = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, here, all);
    bytes =
        vector::MaskedLoadOp::create(b, type, right.codes, from, mask, none);
  }
  if (flips) {
    Value signs = vector::BroadcastOp::create(b, type, k.integer(k.i8(), -128));
    bytes = arith::XOrIOp::create(b, bytes, signs);
  }
  return arith::SelectOp::create(b, isTerm, bytes, none);
}

void ColumnPacker::packConstant() {
  std::vector<int32_t> columnSums(shape.paddedColumns());
  packed = k.constant(
      packColumns(shape, 1, [&](int64_t column, int64_t, int64_t term) {
        int64_t element = term * right.termStride + column * right.columnStride;
        int64_t code = eval::loadInt(*right.constant, element);
        code -= flips ? 128 : 0;
        columnSums[column] += static_cast<int32_t>(code);
        return code;
      }));
  sums = k.constant<int32_t>(columnSums);
}

void ColumnPacker::pack() {
  if (right.constant)
    return packConstant();
  packed =
      k.scratch({shape.paddedColumns() * shape.quads() * kDotTerms}, k.i8());
  if (right.columnStride == 1)
    packLines();
  else
    packWords();
}

void ColumnPacker::packLines() const {
  Value terms = k.constant<int32_t>(packedTerms(shape));
  k.parallelLoop(vectorsOf(shape.columns), [&](Value vector) {
    Value column = k.mulIndex(vector, kDotLanes);
    k.loop(shape.quads(), [&](Value quad) {
      SmallVector<Value> lines;
      for (int64_t i = 0; i < kDotTerms; ++i) {
        Value place = k.addIndex(k.mulIndex(quad, kDotTerms), k.index(i));
        lines.push_back(line(k.load(terms, place), column));
      }
      Value even = vector::InterleaveOp::create(k.b, lines[0], lines[2]);
      Value odd = vector::InterleaveOp::create(k.b, lines[1], lines[3]);
      vector::StoreOp::create(k.b, vector::InterleaveOp::create(k.b, even, odd),
                              packed, place(vector, quad));
    });
  });
}

void ColumnPacker::packWords() const {
  std::vector<int32_t> offsets, masks, terms = packedTerms(shape);
  for (int64_t quad = 0; quad < shape.quads(); ++quad) {
    offsets.push_back(static_cast<int32_t>(shape.quadOffset(quad)));
    masks.push_back(dotWord([&](int64_t byte) {
      return terms[quad * kDotTerms + byte] < 0 ? 0 : 0xff;
    }));
  }
  Value offsetTable = k.constant<int32_t>(offsets);
  Value maskTable = k.constant<int32_t>(masks);
  auto four = VectorType::get({kDotTerms}, k.i8());
  auto one = VectorType::get({1}, k.i32());
  k.parallelLoop(shape.columns, [&](Value column) {
    Value lanes = k.index(kDotLanes);
    Value vector = arith::DivUIOp::create(k.b, column, lanes);
    Value lane = arith::RemUIOp::create(k.b, column, lanes);
    Value from = at(k.mulIndex(column, right.columnStride));
    k.loop(shape.quads(), [&](Value quad) {
      Value offset = k.toIndex(k.load(offsetTable, quad), true);
      Value bytes = vector::LoadOp::create(k.b, four, right.codes,
                                           k.addIndex(from, offset));
      Value word = vector::ExtractOp::create(
          k.b, vector::BitCastOp::create(k.b, one, bytes), int64_t(0));
      if (flips)
        word = arith::XOrIOp::create(k.b, word,
                                     k.integer(k.i32(), int32_t(0x80808080)));
      word = arith::AndIOp::create(k.b, word, k.load(maskTable, quad));
      Value to = k.addIndex(place(vector, quad), k.mulIndex(lane, kDotTerms));
      Value wordVector = vector::BroadcastOp::create(k.b, one, word);
      vector::StoreOp::create(
          k.b, vector::BitCastOp::create(k.b, four, wordVector), packed, to);
    });
  });
}

/// The sums of the packed bytes of sixteen columns: products with ones.
Value ColumnPacker::sumsOf(Value vector) const {
  auto &b = k.b;
  auto type = VectorType::get({kDotLanes}, k.i32());
  auto byteType = VectorType::get({kDotLanes * kDotTerms}, k.i8());
  Value ones = vector::BroadcastOp::create(
      b, type, k.integer(k.i32(), int32_t(0x01010101)));
  bool areSigned = right.areSigned || flips;
  if (sums)
    return vector::LoadOp::create(b, type, sums, k.mulIndex(vector, kDotLanes));
  return k.fold(shape.quads(),
                arith::ConstantOp::create(b, b.getZeroAttr(type)),
                [&](Value quad, Value partial) -> Value {
                  Value bytes = vector::LoadOp::create(b, byteType, packed,
                                                       place(vector, quad));
                  Value words = vector::BitCastOp::create(b, type, bytes);
                  return addDots(k, partial, areSigned ? ones : words,
                                 areSigned ? words : ones);
                });
}

//===----------------------------------------------------------------------===//
// Zero points
//===----------------------------------------------------------------------===//

/// A zero point of codes that were moved by `by`.
static CodeZero moved(KernelBuilder &k, CodeZero zero, int64_t by) {
  if (zero.known)
    return {*zero.known + by, k.integer(k.i32(), *zero.known + by)};
  if (by)
    zero.value = arith::AddIOp::create(k.b, zero.value, k.integer(k.i32(), by));
  return zero;
}

/// starts[column] = za (terms zb - sum b).
static Value packedStarts(KernelBuilder &k, const ByteShape &shape,
                          const ColumnPacker &packer, CodeZero zeroA,
                          CodeZero zeroB) {
  auto &b = k.b;
  Value starts = k.scratch({shape.paddedColumns()}, k.i32());
  auto type = VectorType::get({kDotLanes}, k.i32());
  auto spread = [&](Value value) -> Value {
    return vector::BroadcastOp::create(b, type, value);
  };
  k.parallelLoop(vectorsOf(shape.columns), [&](Value vector) {
    Value start = arith::ConstantOp::create(b, b.getZeroAttr(type));
    if (zeroA.known != 0) {
      Value constant = arith::MulIOp::create(
          b, zeroB.value, k.integer(k.i32(), shape.chunkBytes));
      Value each =
          arith::SubIOp::create(b, spread(constant), packer.sumsOf(vector));
      start = arith::MulIOp::create(b, spread(zeroA.value), each);
    }
    vector::StoreOp::create(b, start, starts, k.mulIndex(vector, kDotLanes));
  });
  return starts;
}

/// corrections[row] = - zb sum a; none when that is 0.
static Value rowCorrections(KernelBuilder &k, const ByteShape &shape,
                            const ByteRows &rows, CodeZero zeroB) {
  if (zeroB.known == 0)
    return {};
  Value corrections = k.scratch({shape.rows}, k.i32());
  eval::Element element =
      rows.areSigned ? eval::Element::I8 : eval::Element::U8;
  Value minus = arith::SubIOp::create(k.b, k.integer(k.i32(), 0), zeroB.value);
  k.parallelLoop(shape.rows, [&](Value row) {
    Value from = k.mulIndex(row, rows.pitch);
    if (rows.base)
      from = k.addIndex(rows.base, from);
    Value sum =
        k.fold(shape.chunkBytes, k.integer(k.i32(), 0),
               [&](Value term, Value carried) -> Value {
                 Value code = k.load(rows.bytes, k.addIndex(from, term));
                 return arith::AddIOp::create(k.b, carried,
                                              k.widen(code, element, k.i32()));
               });
    k.store(arith::MulIOp::create(k.b, sum, minus), corrections, row);
  });
  return corrections;
}

//===----------------------------------------------------------------------===//
// The product
//===----------------------------------------------------------------------===//

void tally::cpu::emitRuntimeProduct(KernelBuilder &k, int64_t rows,
                                    int64_t terms, int64_t columns,
                                    const LeftCodes &left, CodeZero leftZero,
                                    const RightCodes &right, CodeZero rightZero,
                                    FinishLanes finish) {
  ByteShape shape = {rows, columns, {0}, terms};
  bool isLeftSigned = eval::isSigned(k.operandInfo(0).element);
  bool takesAnySign = readsSignedRows(k.tier);
  bool flips = !right.areSigned && !takesAnySign;
  ColumnPacker packer = {k, shape, right, flips, {}, {}};
  packer.pack();
  leftZero = moved(k, leftZero, isLeftSigned && !takesAnySign ? 128 : 0);
  rightZero = moved(k, rightZero, flips ? -128 : 0);
  Value starts = packedStarts(k, shape, packer, leftZero, rightZero);
  ByteRows source = rowsOf(k, shape, left);
  Value corrections = rowCorrections(k, shape, source, rightZero);
  emitByteProduct(k, shape, source,
                  {packer.packed, starts, {}, right.areSigned || flips},
                  [&](Value row, Value column, int64_t count, Value sums) {
                    if (corrections) {
                      Value correction = vector::BroadcastOp::create(
                          k.b, sums.getType(), k.load(corrections, row));
                      sums = arith::AddIOp::create(k.b, sums, correction);
                    }
                    finish(row, column, count, sums);
                  });
}
