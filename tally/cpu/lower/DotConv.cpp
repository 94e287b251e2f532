//===- DotConv.cpp - convolutions of bytes as dot products ----------------===//
//
// Rows are output channels, lanes are output pixels, and the common dimension
// is (four channels, tap): the words of PixelQuads are the lanes' operands
// where they stand, so no patch is gathered.
//
// A padded pixel is the zero point. Terms beyond the last channel have weight
// 0.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/lower/DotConv.h"
#include "tally/cpu/kernels/DotProduct.h"
#include "tally/cpu/kernels/PixelQuads.h"
#include "tally/cpu/lower/DotOperands.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

bool tally::cpu::isDotConv(const KernelBuilder &k, const ConvSizes &s,
                           const ConstantPanel &weights, bool wide) {
  bool fillsWords = s.group == 1 || s.channels >= kDotTerms;
  return canUseDots(k, s.input, weights, wide) && !s.isTransposed &&
         fillsWords && (s.window.rank() == 1 || s.window.rank() == 2);
}

/// The copy's layout. Pixels of a 1x1 convolution are one row.
static PixelQuads quadsFor(const ConvSizes &s) {
  const WindowShape &w = s.window;
  auto axis = [&](size_t d) {
    return PixelAxis{w.input[d],   w.output[d], w.kernel[d],
                     w.strides[d], w.pads[d],   w.dilations[d]};
  };
  PixelAxis one = {1, 1, 1, 1, 0, 1};
  if (w.rank() == 1)
    return {one, axis(0), s.channels};
  bool isPointwise = s.taps == 1 && w.input == w.output &&
                     llvm::all_of(w.strides, [](auto v) { return v == 1; }) &&
                     llvm::all_of(w.pads, [](auto v) { return v == 0; });
  if (isPointwise)
    return {one, {s.pixels, s.pixels, 1, 1, 0, 1}, s.channels};
  return {axis(0), axis(1), s.channels};
}

/// The weights with terms in the order (four channels, tap, channel of four).
static eval::Tensor weightWords(const ConvSizes &s,
                                const ConstantPanel &weights) {
  int64_t quads = quadsOf(s.channels) * s.taps;
  return dotWords(s.group * s.outputs, quads, [&](int64_t m, int64_t term) {
    int64_t quad = term / kDotTerms, tap = quad % s.taps;
    int64_t channel = quad / s.taps * kDotTerms + term % kDotTerms;
    if (channel >= s.channels)
      return int64_t(0);
    return eval::loadInt(weights.tensor, m * s.k_ + channel * s.taps + tap);
  });
}

/// Where the lanes' words of each step start.
static std::vector<int32_t> stepOffsets(const ConvSizes &s,
                                        const PixelQuads &pixels) {
  std::vector<int32_t> offsets;
  for (int64_t q = 0; q < quadsOf(s.channels); ++q)
    for (int64_t ty = 0; ty < pixels.y.kernel; ++ty)
      for (int64_t tx = 0; tx < pixels.x.kernel; ++tx)
        offsets.push_back(static_cast<int32_t>(q * pixels.quadWords() +
                                               pixels.tapOffset(ty, tx)));
  return offsets;
}

/// Hands the sums of all pixels of some rows to `store`.
static void storePixels(KernelBuilder &k, const ConvSizes &s,
                        const PixelQuads &pixels, const DotSums &block,
                        Value image, Value firstChannel,
                        llvm::function_ref<void(Value, Value, Value)> store) {
  k.loop(block.rows, [&](Value i) {
    Value channel = k.addIndex(firstChannel, k.addIndex(block.row, i));
    k.loops({pixels.y.output, pixels.x.output}, [&](ValueRange at) {
      Value lane = k.addIndex(k.mulIndex(at[0], pixels.pitch()), at[1]);
      Value pixel = k.addIndex(k.mulIndex(at[0], pixels.x.output), at[1]);
      store(channel, s.resultElement(k, image, channel, pixel),
            k.load(block.sums, {i, lane}));
    });
  });
}

void tally::cpu::emitDotConv(
    KernelBuilder &k, const ConvSizes &s, const ConstantPanel &weights,
    ArrayRef<int64_t> addends,
    llvm::function_ref<void(Value, Value, Value)> store) {
  PixelQuads pixels = quadsFor(s);
  DotShape shape = {s.outputs, pixels.lanes(), quadsOf(s.channels) * s.taps};
  Value input = k.flatOperand(0);
  Value words = k.constant(weightWords(s, weights));
  Value offsets = k.constant<int32_t>(stepOffsets(s, pixels));
  Value starts = k.constant<int32_t>(dotStarts(s.input, weights, addends));
  Value copy = k.scratch({pixels.words()}, k.i32());
  auto zero = static_cast<uint32_t>(unsignedZero(s.input));
  if (pixels.hasPadding())
    pixels.emitFill(k, copy, static_cast<int32_t>(zero * 0x01010101u));
  auto sumsType = VectorType::get({kDotLanes}, k.i32());
  k.loops({s.input.shape[0], s.group}, [&](ValueRange at) {
    Value firstInput = k.addIndex(k.mulIndex(at[0], s.group * s.channels),
                                  k.mulIndex(at[1], s.channels));
    pixels.emitCopy(k, input, k.mulIndex(firstInput, s.inputPixels),
                    eval::isSigned(s.input.element), copy);
    Value firstChannel = k.mulIndex(at[1], s.outputs);
    auto place = [&](Value quad, Value lane) {
      return k.addIndex(k.toIndex(k.load(offsets, quad), true), lane);
    };
    emitDotProduct(
        k, shape, {words, firstChannel, copy, place, /*areLanesUnsigned=*/true},
        DotOrder::RowsOutside,
        [&](Value row, Value) -> Value {
          Value start = k.load(starts, k.addIndex(firstChannel, row));
          return vector::BroadcastOp::create(k.b, sumsType, start);
        },
        [&](const DotSums &block) {
          storePixels(k, s, pixels, block, at[0], firstChannel, store);
        });
  });
}
