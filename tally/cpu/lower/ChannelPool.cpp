//===- ChannelPool.cpp - pooling of blocks of channels --------------------===//
//
// For each output pixel and block of up to 64 channels, the taps' bytes are
// loaded as vectors and folded. Which taps lie in the input depends on the
// pixel alone.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/lower/ChannelPool.h"
#include "tally/cpu/LaneCodes.h"
#include "tally/cpu/lower/ChannelBlocks.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

namespace {
/// One window in a block of channels: the position of its tap 0, the elements
/// of the block's first channel in the input's pixel 0 and in the result, and
/// the output pixel.
struct ChannelWindow {
  WindowPosition origin;
  Value base, element, pixel;
  int64_t lanes;
};
} // namespace

/// Calls body for all windows and blocks of channels, where both tensors are
/// stored channels last.
static void
forEachChannelWindow(KernelBuilder &k, const PoolSizes &s,
                     llvm::function_ref<void(const ChannelWindow &)> body) {
  k.parallelLoops({s.input.shape[0], s.pixels}, [&](ValueRange at) {
    WindowPosition origin = windowOrigin(k, s.window, at[1]);
    Value pixel = k.mulIndex(at[1], s.resultStrides.back());
    forEachChannelBlock(k, s.channels, 64, [&](Value first, int64_t lanes) {
      Value element = placeIn(k, s.resultStrides, at[0], first);
      body({origin, placeIn(k, s.inputStrides, at[0], first),
            k.addIndex(element, pixel), at[1], lanes});
    });
  });
}

/// Taps that are written out one after the other.
static constexpr int64_t kMaxUnrolled = 32;

/// As foldTaps.
static Value
foldChannelTaps(KernelBuilder &k, const WindowShape &window,
                const ChannelWindow &at, Value carried,
                llvm::function_ref<Value(Value, Value, Value)> step) {
  int64_t taps = eval::elementCount(window.kernel);
  if (taps > kMaxUnrolled)
    return foldTaps(k, window, at.origin, carried, step);
  eval::Shape strides = eval::stridesOf(window.kernel);
  for (int64_t tap = 0; tap < taps; ++tap) {
    SmallVector<Value> indices;
    for (size_t d = 0; d < window.rank(); ++d)
      indices.push_back(k.index(tap / strides[d] % window.kernel[d]));
    TapPlace place = tapPlace(k, window, at.origin, indices);
    carried = step(carried, place.pixel, place.valid);
  }
  return carried;
}

static void storeChangedBlock(KernelBuilder &k, const PoolSizes &s,
                              const GridChange &change, Value block,
                              Value element) {
  int64_t lanes = lanesOf(block);
  if (change.takesLanes())
    return k.storeLanes(change.apply(k, block), element, lanes, s.channels);
  for (int64_t i = 0; i < lanes; ++i) {
    Value lane = vector::ExtractOp::create(k.b, block, i);
    k.storeResult(change.apply(k, lane), k.addIndex(element, k.index(i)));
  }
}

void tally::cpu::emitChannelMaxima(KernelBuilder &k, const PoolSizes &s,
                                   const GridChange &change) {
  Value input = k.flatOperand(0), least = lowest(k, s.input);
  forEachChannelWindow(k, s, [&](const ChannelWindow &at) {
    Value best = foldChannelTaps(
        k, s.window, at, spreadBlock(k, least, at.lanes),
        [&](Value carried, Value pixel, Value valid) -> Value {
          Value x =
              loadBlock(k, input, s.inputElement(k, at.base, pixel), at.lanes);
          x = larger(k, s.input.element, carried, x);
          return arith::SelectOp::create(k.b, valid, x, carried);
        });
    storeChangedBlock(k, s, change, best, at.element);
  });
}

void tally::cpu::emitChannelMeans(KernelBuilder &k, const PoolSizes &s,
                                  RequantizeTables &requantize, Value records) {
  Value input = k.flatOperand(0);
  forEachChannelWindow(k, s, [&](const ChannelWindow &at) {
    auto type = VectorType::get({at.lanes}, k.i32());
    auto spread = [&](int64_t value) {
      return spreadBlock(k, k.integer(k.i32(), value), at.lanes);
    };
    Value zeroPoint = spread(s.input.quant->zeroPoint());
    Value sums = foldChannelTaps(
        k, s.window, at, spread(0),
        [&](Value carried, Value pixel, Value valid) -> Value {
          Value block =
              loadBlock(k, input, s.inputElement(k, at.base, pixel), at.lanes);
          Value steps = arith::SubIOp::create(
              k.b, k.widen(block, s.input.element, type), zeroPoint);
          Value sum = arith::AddIOp::create(k.b, carried, steps);
          return arith::SelectOp::create(k.b, valid, sum, carried);
        });
    Value record = k.toIndex(k.load(records, at.pixel), /*isSigned=*/false);
    k.storeLanes(requantize.codes(sums, record, s.result.element), at.element,
                 at.lanes, s.channels);
  });
}
