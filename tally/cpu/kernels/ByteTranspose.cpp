//===- ByteTranspose.cpp - rows of bytes become columns -------------------===//
//
// Tiles of 16 x 16 go through registers: interleaving the bytes of row i with
// those of row i + 8 moves every byte's address bits one place around,
//
//     row r3 r2 r1 r0, byte c3 c2 c1 c0   =>   row r2 r1 r0 c3, byte c2 c1 c0
//     r3
//
// and after four such rounds rows and bytes have changed places: 64 shuffles
// for 256 bytes. Up to four rows, the colours of an image, are one shuffle for
// sixteen columns.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/kernels/ByteTranspose.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <algorithm>

using namespace mlir;
using namespace tally::cpu;

static constexpr int64_t kSide = 16, kFewRows = 4;

void tally::cpu::forEachFullBlock(
    KernelBuilder &k, int64_t count, int64_t block,
    llvm::function_ref<void(Value, int64_t)> body) {
  int64_t size = std::min(count, block);
  if (size == 0)
    return;
  k.loop((count + size - 1) / size, [&](Value i) {
    Value begin = k.mulIndex(i, size);
    if (count % size)
      begin = arith::MinSIOp::create(k.b, begin, k.index(count - size));
    body(begin, size);
  });
}

static Value shuffled(KernelBuilder &k, Value a, Value b,
                      ArrayRef<int64_t> mask) {
  return vector::ShuffleOp::create(k.b, a, b, mask);
}

/// The bytes of a and b in turn, from byte `first` on.
static Value interleaved(KernelBuilder &k, Value a, Value b, int64_t first) {
  SmallVector<int64_t> mask;
  for (int64_t i = 0; i < kSide / 2; ++i) {
    mask.push_back(first + i);
    mask.push_back(kSide + first + i);
  }
  return shuffled(k, a, b, mask);
}

static SmallVector<Value> transposed(KernelBuilder &k,
                                     SmallVector<Value> rows) {
  for (int64_t round = 0; round < 4; ++round) {
    SmallVector<Value> next;
    for (int64_t i = 0; i < kSide / 2; ++i)
      for (int64_t first : {int64_t(0), kSide / 2})
        next.push_back(interleaved(k, rows[i], rows[i + kSide / 2], first));
    rows = std::move(next);
  }
  return rows;
}

namespace {
struct Transpose {
  KernelBuilder &k;
  const ByteMatrix &from, &to;
  uint8_t flip;

  static Value place(KernelBuilder &k, const ByteMatrix &matrix, Value row,
                     Value column) {
    Value start = k.addIndex(matrix.base, k.mulIndex(row, matrix.pitch));
    return k.addIndex(start, column);
  }
  Value flipped(Value bytes) const {
    if (!flip)
      return bytes;
    Value mask = k.integer(k.i8(), static_cast<int8_t>(flip));
    if (isa<VectorType>(bytes.getType()))
      mask = vector::BroadcastOp::create(k.b, bytes.getType(), mask);
    return arith::XOrIOp::create(k.b, bytes, mask);
  }
  Value loadRow(Value row, Value column) const {
    auto type = VectorType::get({kSide}, k.i8());
    Value bytes = vector::LoadOp::create(
        k.b, type, from.bytes, ValueRange{place(k, from, row, column)});
    return flipped(bytes);
  }
  void store(Value bytes, Value row, Value column) const {
    vector::StoreOp::create(k.b, bytes, to.bytes,
                            ValueRange{place(k, to, row, column)});
  }

  void tile(Value row, Value column) const {
    SmallVector<Value> rows;
    for (int64_t i = 0; i < kSide; ++i)
      rows.push_back(loadRow(k.addIndex(row, k.index(i)), column));
    for (auto [i, bytes] : llvm::enumerate(transposed(k, std::move(rows))))
      store(bytes, k.addIndex(column, k.index(static_cast<int64_t>(i))), row);
  }

  /// Sixteen columns of all rows, which are dense in the result.
  void fewRows(int64_t rows, Value column) const {
    auto row = [&](int64_t i) {
      return loadRow(k.index(std::min(i, rows - 1)), column);
    };
    auto join = [&](Value a, Value b) {
      int64_t lanes = 2 * cast<VectorType>(a.getType()).getNumElements();
      return shuffled(k, a, b, llvm::to_vector(llvm::seq<int64_t>(0, lanes)));
    };
    Value all = join(join(row(0), row(1)), join(row(2), row(3)));
    SmallVector<int64_t> mask;
    for (int64_t c = 0; c < kSide; ++c)
      for (int64_t r = 0; r < rows; ++r)
        mask.push_back(r * kSide + c);
    store(shuffled(k, all, all, mask), column, k.index(0));
  }

  void single(int64_t rows, int64_t columns) const {
    k.loops({columns, rows}, [&](ValueRange at) {
      Value byte = k.load(from.bytes, place(k, from, at[1], at[0]));
      k.store(flipped(byte), to.bytes, place(k, to, at[0], at[1]));
    });
  }
};
} // namespace

void tally::cpu::emitByteTranspose(KernelBuilder &k, const ByteMatrix &from,
                                   const ByteMatrix &to, int64_t rows,
                                   int64_t columns, uint8_t flip) {
  Transpose transpose = {k, from, to, flip};
  bool areFew = rows <= kFewRows && to.pitch == rows;
  if (columns < kSide || (rows < kSide && !areFew))
    return transpose.single(rows, columns);
  forEachFullBlock(k, columns, kSide, [&](Value column, int64_t) {
    if (areFew)
      return transpose.fewRows(rows, column);
    forEachFullBlock(k, rows, kSide,
                     [&](Value row, int64_t) { transpose.tile(row, column); });
  });
}
