//===- BlockTranspose.cpp - transposed copies in registers ----------------===//
//
// Sixteen rows of sixteen elements are loaded, transposed in four rounds and
// stored. A round of distance d exchanges, in each pair of rows i and i + d,
// the right half of every 2d elements of row i with the left half of row i + d.
// With 2 x 2:
//
//     a b        a c
//     c d   =>   b d
//
// Cost: 64 shuffles, 16 loads and 16 stores for 256 elements; element by
// element it is 256 of each.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/kernels/BlockTranspose.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tally::cpu;

static constexpr int64_t kSide = 16;

static Value elementAt(KernelBuilder &k, const StridedMatrix &matrix, Value row,
                       Value column) {
  Value line = k.addIndex(matrix.base, k.mulIndex(row, matrix.stride));
  return k.addIndex(line, column);
}

/// Exchanges halves of the rows `a` and `b`, `distance` elements at a time.
static void exchange(KernelBuilder &k, Value &a, Value &b, int64_t distance) {
  SmallVector<int64_t> left, right;
  for (int64_t lane = 0; lane < kSide; ++lane) {
    bool isRight = lane & distance;
    left.push_back(isRight ? kSide + lane - distance : lane);
    right.push_back(isRight ? kSide + lane : lane + distance);
  }
  Value first = vector::ShuffleOp::create(k.b, a, b, left);
  b = vector::ShuffleOp::create(k.b, a, b, right);
  a = first;
}

static void transposeSquare(KernelBuilder &k, const StridedMatrix &from,
                            const StridedMatrix &to, Value row, Value column) {
  auto memory = cast<MemRefType>(from.memref.getType());
  auto type = VectorType::get({kSide}, memory.getElementType());
  SmallVector<Value> lines;
  for (int64_t i = 0; i < kSide; ++i)
    lines.push_back(vector::LoadOp::create(
        k.b, type, from.memref,
        elementAt(k, from, k.addIndex(row, k.index(i)), column)));
  for (int64_t distance = kSide / 2; distance > 0; distance /= 2)
    for (int64_t i = 0; i < kSide; ++i)
      if (!(i & distance))
        exchange(k, lines[i], lines[i + distance], distance);
  for (int64_t i = 0; i < kSide; ++i)
    vector::StoreOp::create(
        k.b, lines[i], to.memref,
        elementAt(k, to, k.addIndex(column, k.index(i)), row));
}

/// Rows [firstRow, rows) x columns [firstColumn, columns), one by one.
static void transposeRest(KernelBuilder &k, const StridedMatrix &from,
                          const StridedMatrix &to, int64_t firstRow,
                          int64_t rows, int64_t firstColumn, int64_t columns) {
  if (firstRow == rows || firstColumn == columns)
    return;
  k.loops({columns - firstColumn, rows - firstRow}, [&](ValueRange at) {
    Value column = k.addIndex(at[0], k.index(firstColumn));
    Value row = k.addIndex(at[1], k.index(firstRow));
    k.store(k.load(from.memref, elementAt(k, from, row, column)), to.memref,
            elementAt(k, to, column, row));
  });
}

void tally::cpu::emitBlockTranspose(KernelBuilder &k, const StridedMatrix &from,
                                    const StridedMatrix &to, int64_t rows,
                                    int64_t columns) {
  auto memory = cast<MemRefType>(from.memref.getType());
  bool isWide = memory.getElementTypeBitWidth() > 32;
  int64_t squareRows = isWide ? 0 : rows / kSide * kSide;
  int64_t squareColumns = squareRows ? columns / kSide * kSide : 0;
  if (squareColumns)
    k.loops({squareRows / kSide, squareColumns / kSide}, [&](ValueRange at) {
      transposeSquare(k, from, to, k.mulIndex(at[0], kSide),
                      k.mulIndex(at[1], kSide));
    });
  transposeRest(k, from, to, 0, squareRows, squareColumns, columns);
  transposeRest(k, from, to, squareRows, rows, 0, columns);
}
