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

void tally::cpu::forEachTap(
    KernelBuilder &k, const WindowShape &window, const WindowPosition &origin,
    llvm::function_ref<void(Value, Value, Value)> body) {
  k.loops(window.kernel, [&](ValueRange taps) {
    Value tap = k.index(0), pixel = k.index(0), valid;
    for (size_t d = 0; d < window.rank(); ++d) {
      tap = k.addIndex(k.mulIndex(tap, window.kernel[d]), taps[d]);
      Value at =
          k.addIndex(origin[d], k.mulIndex(taps[d], window.dilations[d]));
      // One unsigned comparison covers both sides.
      Value size = k.index(window.input[d]);
      Value inside =
          arith::CmpIOp::create(k.b, arith::CmpIPredicate::ult, at, size);
      Value safe = arith::SelectOp::create(k.b, inside, at, k.index(0));
      pixel = k.addIndex(k.mulIndex(pixel, window.input[d]), safe);
      valid = valid ? arith::AndIOp::create(k.b, valid, inside).getResult()
                    : inside;
    }
    body(tap, pixel, valid);
  });
}
