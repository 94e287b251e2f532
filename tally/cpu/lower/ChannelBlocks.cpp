//===- ChannelBlocks.cpp - neighbouring channels as lanes -----------------===//

#include "tally/cpu/lower/ChannelBlocks.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tally::cpu;

void tally::cpu::forEachChannelBlock(
    KernelBuilder &k, int64_t count, int64_t most,
    llvm::function_ref<void(Value, int64_t)> body) {
  if (int64_t full = count / most)
    k.loop(full, [&](Value i) { body(k.mulIndex(i, most), most); });
  int64_t done = count / most * most;
  for (int64_t lanes = most / 2; lanes > 0; lanes /= 2)
    if (count - done >= lanes) {
      body(k.index(done), lanes);
      done += lanes;
    }
}

Value tally::cpu::loadBlock(KernelBuilder &k, Value memref, Value element,
                            int64_t lanes) {
  Type scalar = cast<MemRefType>(memref.getType()).getElementType();
  return vector::LoadOp::create(k.b, VectorType::get({lanes}, scalar), memref,
                                ValueRange{element});
}

Value tally::cpu::spreadBlock(KernelBuilder &k, Value scalar, int64_t lanes) {
  auto type = VectorType::get({lanes}, scalar.getType());
  return vector::BroadcastOp::create(k.b, type, scalar);
}
