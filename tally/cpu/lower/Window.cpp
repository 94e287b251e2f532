//===- Window.cpp - sliding windows in generated code ---------------------===//

#include "tally/cpu/lower/Window.h"

using namespace mlir;
using namespace tally::cpu;

WindowPosition tally::cpu::windowOrigin(KernelBuilder &k,
                                        const WindowShape &window,
                                        Value pixel) {
  WindowPosition origin(window.rank());
  for (size_t d = window.rank(); d-- > 0;) {
    Value size = k.index(window.output[d]);
    Value at = arith::RemUIOp::create(k.b, pixel, size);
    pixel = arith::DivUIOp::create(k.b, pixel, size);
    origin[d] =
        k.addIndex(k.mulIndex(at, window.strides[d]), k.index(-window.pads[d]));
  }
  return origin;
}

/// One dimension: the input index that `at` falls on, and whether it is one.
static TapPlace placeIn(KernelBuilder &k, const WindowShape &window, size_t d,
                        Value at) {
  int64_t spread = window.spread.empty() ? 1 : window.spread[d];
  Value inside;
  if (spread != 1) {
    // A negative position is a huge unsigned one, which the division keeps
    // beyond any dimension.
    Value step = k.index(spread);
    Value rest = arith::RemUIOp::create(k.b, at, step);
    at = arith::DivUIOp::create(k.b, at, step);
    inside =
        arith::CmpIOp::create(k.b, arith::CmpIPredicate::eq, rest, k.index(0));
  }
  // One unsigned comparison covers both sides.
  Value fits = arith::CmpIOp::create(k.b, arith::CmpIPredicate::ult, at,
                                     k.index(window.input[d]));
  inside = inside ? arith::AndIOp::create(k.b, inside, fits).getResult() : fits;
  return {arith::SelectOp::create(k.b, inside, at, k.index(0)), inside};
}

TapPlace tally::cpu::tapPlace(KernelBuilder &k, const WindowShape &window,
                              const WindowPosition &origin,
                              ValueRange indices) {
  TapPlace result{k.index(0), {}};
  for (size_t d = 0; d < window.rank(); ++d) {
    Value at =
        k.addIndex(origin[d], k.mulIndex(indices[d], window.dilations[d]));
    TapPlace place = placeIn(k, window, d, at);
    result.pixel =
        k.addIndex(k.mulIndex(result.pixel, window.input[d]), place.pixel);
    result.valid =
        result.valid
            ? arith::AndIOp::create(k.b, result.valid, place.valid).getResult()
            : place.valid;
  }
  return result;
}

void tally::cpu::forEachTap(
    KernelBuilder &k, const WindowShape &window, const WindowPosition &origin,
    llvm::function_ref<void(Value, Value, Value)> body) {
  k.loops(window.kernel, [&](ValueRange indices) {
    Value tap = k.index(0);
    for (size_t d = 0; d < window.rank(); ++d)
      tap = k.addIndex(k.mulIndex(tap, window.kernel[d]), indices[d]);
    TapPlace place = tapPlace(k, window, origin, indices);
    body(tap, place.pixel, place.valid);
  });
}

Value tally::cpu::foldTaps(
    KernelBuilder &k, const WindowShape &window, const WindowPosition &origin,
    Value start, llvm::function_ref<Value(Value, Value, Value)> step) {
  int64_t taps = eval::elementCount(window.kernel);
  return k.fold(taps, start, [&](Value tap, Value carried) {
    SmallVector<Value> at(window.rank());
    for (size_t d = window.rank(); d-- > 0;) {
      Value size = k.index(window.kernel[d]);
      at[d] = arith::RemUIOp::create(k.b, tap, size);
      tap = arith::DivUIOp::create(k.b, tap, size);
    }
    TapPlace place = tapPlace(k, window, origin, at);
    return step(carried, place.pixel, place.valid);
  });
}
