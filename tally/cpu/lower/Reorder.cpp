//===- Reorder.cpp - from one order in memory to the other ----------------===//
//
// To turn an image of [channels][pixels] into [pixels][channels] is to
// transpose a matrix, and so is the way back. Bytes go through registers
// (ByteTranspose.h), others one by one in tiles of 16 x 16, whose lines fit the
// nearest cache on both sides.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/lower/Reorder.h"
#include "tally/cpu/kernels/ByteTranspose.h"

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

static constexpr int64_t kTile = 16;

namespace {
/// Rows are those of the result.
struct Matrices {
  Value input;
  int64_t rows, columns;
};
} // namespace

static void moveElements(KernelBuilder &k, const Matrices &m, Value base) {
  auto move = [&](Value r, Value c) {
    Value from = k.addIndex(k.mulIndex(c, m.rows), r);
    Value to = k.addIndex(k.mulIndex(r, m.columns), c);
    k.storeResult(k.load(m.input, k.addIndex(base, from)),
                  k.addIndex(base, to));
  };
  forEachFullBlock(k, m.rows, kTile, [&](Value row, int64_t height) {
    forEachFullBlock(k, m.columns, kTile, [&](Value column, int64_t width) {
      k.loops({height, width}, [&](ValueRange at) {
        move(k.addIndex(row, at[0]), k.addIndex(column, at[1]));
      });
    });
  });
}

void tally::cpu::emitReorder(KernelBuilder &k) {
  eval::Tensor info = k.resultInfo();
  int64_t images = info.shape[0], channels = info.shape[1];
  int64_t pixels = info.count() / (images * channels);
  bool isToLast = k.resultOrder() == Order::ChannelsLast;
  Matrices m = {k.flatOperand(0), isToLast ? pixels : channels,
                isToLast ? channels : pixels};
  bool areBytes = eval::byteSize(info.element) == 1 && k.copies == 0;
  Value result = k.flatResult();
  k.loop(images, [&](Value image) {
    Value base = k.mulIndex(image, channels * pixels);
    if (areBytes)
      emitByteTranspose(k, {m.input, base, m.rows}, {result, base, m.columns},
                        m.columns, m.rows);
    else
      moveElements(k, m, base);
  });
}
