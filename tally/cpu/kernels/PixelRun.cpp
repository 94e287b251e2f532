//===- PixelRun.cpp - output pixels as rows of products of bytes ----------===//
//
// A window of 3 x 3 with stride 1 over lines  a b c  and  d e f  of the input,
// padded by one on all sides, reads the run
//
//     p p p p | p a b c | p d e f | p p p p | p
//
// in which the padding behind a line is that in front of the next. Row r of the
// product reads the pixels r, r + 1, r + 2 (chunk 0), those four further (chunk
// 1) and eight further (chunk 2). Rows 0, 1, 2 are the first line of the
// output; row 3 is between lines and belongs to no pixel; rows 4, 5, 6 are the
// second.
//
// With stride 2, rows are two pixels apart, and the lines of even and of odd
// number are in planes of their own, so that in each the next line of the
// output is the next line.
//
// Cost: one pass over the input, and a few rows between lines.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/kernels/PixelRun.h"
#include "tally/cpu/kernels/ByteTranspose.h"

#include <algorithm>

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

PixelRun::PixelRun(PixelAxis y, PixelAxis x, int64_t channels, int64_t slice)
    : y(y), x(x), channels(channels), slice(slice) {
  for (int64_t phase : y.phases())
    phases.push_back(phase);
}

bool PixelRun::readsInPlace() const {
  auto isInside = [](const PixelAxis &axis) {
    return axis.pad == 0 && axis.reach() <= axis.input;
  };
  bool isOneLine = y.output == 1;
  return isInside(y) && isInside(x) &&
         (isOneLine || (x.stride == 1 && y.stride == 1));
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

int64_t PixelRun::reach() const { return isThinned() ? x.output : x.reach(); }

int64_t PixelRun::frontPixels() const {
  return isThinned() ? x.first(0) : std::min(x.pad, x.reach());
}

int64_t PixelRun::inputPixels() const {
  if (isThinned())
    return x.last(0) - x.first(0);
  return std::clamp<int64_t>(x.reach() - x.pad, 0, x.input);
}

int64_t PixelRun::linePixels() const {
  if (!isCopied)
    return y.output == 1 ? x.output : x.input;
  int64_t held =
      std::max(frontPixels() + inputPixels(), reach() - frontPixels());
  return std::max((held + step() - 1) / step(), x.output);
}

int64_t PixelRun::planeLines() const {
  bool readsOn = reach() > linePixels() * step();
  return y.pitch() + (readsOn ? 1 : 0);
}

int64_t PixelRun::copyBytes() const {
  return planeBytes() * static_cast<int64_t>(phases.size());
}

int64_t PixelRun::tapOffset(int64_t ty, int64_t tx) const {
  int64_t along = tx * x.dilation * channels, down = ty * y.dilation;
  if (!isCopied)
    return down * x.input * channels + along;
  int64_t plane = llvm::find(phases, down % y.stride) - phases.begin();
  return plane * planeBytes() + down / y.stride * lineBytes() + along;
}

std::vector<int64_t> PixelRun::chunks() const {
  std::vector<int64_t> chunks;
  for (int64_t ty = 0; ty < y.kernel; ++ty)
    for (int64_t tx = 0; tx < (isLineChunk() ? 1 : x.kernel); ++tx)
      chunks.push_back(tapOffset(ty, tx));
  return chunks;
}

std::pair<int64_t, int64_t> PixelRun::term(int64_t chunk, int64_t byte) const {
  if (isLineChunk())
    return {byte % channels, chunk * x.kernel + byte / channels};
  return {byte, chunk};
}

std::vector<int32_t> PixelRun::pixels() const {
  std::vector<int32_t> pixels;
  for (int64_t row = 0; row < rows(); ++row) {
    int64_t line = row / linePixels(), at = row % linePixels();
    bool isPixel = at < x.output;
    pixels.push_back(isPixel ? static_cast<int32_t>(line * x.output + at) : -1);
  }
  return pixels;
}

//===----------------------------------------------------------------------===//
// The copy
//===----------------------------------------------------------------------===//

static void fill(KernelBuilder &k, Value copy, Value to, int64_t bytes,
                 int64_t zero) {
  Value padding = k.integer(k.i8(), static_cast<int8_t>(zero));
  if (bytes)
    k.loop(bytes, [&](Value i) { k.store(padding, copy, k.addIndex(to, i)); });
}

/// The pixels of one line, whose first element is `line`, to `to`.
void PixelRun::emitLine(KernelBuilder &k, const PixelSource &from, Value line,
                        Value copy, Value to) const {
  int64_t front = frontPixels(), held = inputPixels();
  int64_t inputStep = isThinned() ? x.stride : 1;
  int64_t first = isThinned() ? front * x.stride - x.pad : 0;
  line = k.addIndex(line, k.index(first * from.pixelStride));
  fill(k, copy, to, front * channels, from.zero);
  Value data = k.addIndex(to, k.index(front * channels));
  auto move = [&](Value element, Value place) {
    Value code = k.load(from.codes, k.addIndex(line, element));
    if (from.flipsSign)
      code = arith::XOrIOp::create(k.b, code, k.integer(k.i8(), -128));
    k.store(code, copy, k.addIndex(data, place));
  };
  if (from.isChannelsLast() && inputStep == 1)
    k.loop(held * channels, [&](Value i) { move(i, i); });
  else if (from.pixelStride == 1 && inputStep == 1)
    emitByteTranspose(k, {from.codes, line, from.channelStride},
                      {copy, data, channels}, channels, held,
                      from.flipsSign ? 0x80 : 0);
  else
    k.loops({held, channels}, [&](ValueRange at) {
      Value pixel = k.mulIndex(at[0], inputStep * from.pixelStride);
      move(k.addIndex(pixel, k.mulIndex(at[1], from.channelStride)),
           k.addIndex(k.mulIndex(at[0], channels), at[1]));
    });
  fill(k, copy, k.addIndex(data, k.index(held * channels)),
       lineBytes() - (front + held) * channels, from.zero);
}

/// Calls inside() for [first, last) of [0, count), and outside() elsewhere.
static void branch(KernelBuilder &k, Value i, int64_t first, int64_t last,
                   int64_t count, llvm::function_ref<void()> inside,
                   llvm::function_ref<void()> outside) {
  if (first == 0 && last == count)
    return inside();
  Value at = k.addIndex(i, k.index(-first));
  Value isInside = arith::CmpIOp::create(k.b, arith::CmpIPredicate::ult, at,
                                         k.index(last - first));
  auto choice = scf::IfOp::create(k.b, isInside, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(k.b);
  k.b.setInsertionPointToStart(choice.thenBlock());
  inside();
  k.b.setInsertionPointToStart(choice.elseBlock());
  outside();
}

void PixelRun::emitCopy(KernelBuilder &k, const PixelSource &from, Value base,
                        Value copy) const {
  for (auto [plane, phase] : llvm::enumerate(phases)) {
    int64_t start = static_cast<int64_t>(plane) * planeBytes();
    int64_t first = y.first(phase), last = y.last(phase);
    k.parallelLoop(planeLines(), [&, phase = phase](Value i) {
      Value to = k.addIndex(k.index(start), k.mulIndex(i, lineBytes()));
      Value line = k.addIndex(k.mulIndex(i, y.stride), k.index(phase - y.pad));
      line = k.mulIndex(line, x.input * from.pixelStride);
      branch(
          k, i, first, last, planeLines(),
          [&] { emitLine(k, from, k.addIndex(base, line), copy, to); },
          [&] { fill(k, copy, to, lineBytes(), from.zero); });
    });
  }
}
