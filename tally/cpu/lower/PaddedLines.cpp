//===- PaddedLines.cpp - lines of pixels with their padding ---------------===//
//
// A line of padding is written as such. In another one, what may be padding at
// its ends becomes it first, in all segments alike, and the input's columns are
// written over what is none: a 3x3 window on lines of eight pixels with padding
// 1, in segments of four,
//
//     - . . . . - -      then    - a b c d e f
//     - . . . . - -      then    d e f g h - -
//
// so that ends need neither conditions in the loop nor loops of their own.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/lower/PaddedLines.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <algorithm>

using namespace mlir;
using namespace tally::cpu;

/// One row of the kernel in the copy.
struct PaddedLines::Row {
  KernelBuilder &k;
  int64_t row, columns, lanes;
  Value channel, copy;

  VectorType type() const { return VectorType::get({lanes}, k.i8()); }
  void store(Value bytes, Value column) const {
    Value at = k.addIndex(column, k.index(row * columns));
    vector::StoreOp::create(k.b, bytes, copy,
                            ValueRange{k.mulIndex(at, lanes)});
  }
};

static void loopFrom(KernelBuilder &k, Value from, Value to,
                     llvm::function_ref<void(Value)> body) {
  auto loop = scf::ForOp::create(k.b, from, to, k.index(1));
  OpBuilder::InsertionGuard guard(k.b);
  k.b.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

/// Columns [first, first + count) become padding.
void PaddedLines::pad(const Row &row, int64_t first, int64_t count) const {
  // LLVM makes a call of a loop, which takes longer than a few stores.
  constexpr int64_t kMostStores = 4;
  KernelBuilder &k = row.k;
  Value bytes = k.integer(row.type(), padding);
  auto one = [&](Value i) { row.store(bytes, k.addIndex(k.index(first), i)); };
  if (count > kMostStores)
    return k.loop(count, one);
  for (int64_t i = 0; i < count; ++i)
    one(k.index(i));
}

/// The row from a line, counted through all images.
void PaddedLines::copyColumns(const Row &row, const LineSegment &segment,
                              Value line) const {
  KernelBuilder &k = row.k;
  int64_t behind = columnsOf(x.output) - x.pad - x.input;
  behind = std::clamp<int64_t>(behind, 0, row.columns);
  pad(row, 0, std::min(x.pad, row.columns));
  pad(row, row.columns - behind, behind);
  Value start =
      k.addIndex(k.mulIndex(segment.pixel, x.stride), k.index(-x.pad));
  auto bound = [&](int64_t column, Value low) -> Value {
    Value at = arith::SubIOp::create(k.b, k.index(column), start);
    at = arith::MaxSIOp::create(k.b, at, low);
    return arith::MinSIOp::create(k.b, at, k.index(row.columns));
  };
  Value from = bound(0, k.index(0));
  Value first = k.addIndex(k.mulIndex(line, x.input), start);
  loopFrom(k, from, bound(x.input, from), [&](Value column) {
    Value pixel = k.mulIndex(k.addIndex(first, column), channels);
    row.store(
        vector::LoadOp::create(k.b, row.type(), input,
                               ValueRange{k.addIndex(pixel, row.channel)}),
        column);
  });
}

void PaddedLines::emitCopy(KernelBuilder &k, const LineSegment &segment,
                           Value channel, int64_t lanes, Value copy) const {
  for (int64_t ty = 0; ty < y.kernel; ++ty) {
    Row row = {k, ty, columnsOf(segment.pixels), lanes, channel, copy};
    Value line = k.addIndex(k.mulIndex(segment.line, y.stride),
                            k.index(ty * y.dilation - y.pad));
    auto copyIt = [&] {
      copyColumns(row, segment,
                  k.addIndex(k.mulIndex(segment.image, y.input), line));
    };
    if (y.pad == 0 && y.reach() <= y.input) {
      copyIt();
      continue;
    }
    Value isIn = arith::CmpIOp::create(k.b, arith::CmpIPredicate::ult, line,
                                       k.index(y.input));
    auto branch = scf::IfOp::create(k.b, isIn, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(k.b);
    k.b.setInsertionPointToStart(branch.thenBlock());
    copyIt();
    k.b.setInsertionPointToStart(branch.elseBlock());
    pad(row, 0, row.columns);
  }
}
