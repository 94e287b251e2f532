//===- ChannelSums.cpp - sums of channels-last codes ----------------------===//

#include "tally/cpu/lower/ChannelSums.h"
#include "tally/cpu/lower/ChannelBlocks.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

void tally::cpu::sumChannels(KernelBuilder &k, int64_t pixels,
                             RequantizeTables &requantize) {
  eval::Tensor in = k.operandInfo(0), out = k.resultInfo();
  int64_t channels = in.shape[1];
  auto shift = static_cast<int32_t>(pixels * in.quant->zeroPoint());
  Value input = k.flatOperand(0), output = k.flatResult();
  auto emitBlock = [&](Value image, Value first, int64_t lanes) {
    auto type = VectorType::get({lanes}, k.i32());
    Value base = k.addIndex(k.mulIndex(image, pixels * channels), first);
    Value start = spreadBlock(k, k.integer(k.i32(), -shift), lanes);
    Value sums = k.fold(pixels, start, [&](Value i, Value carried) {
      Value place = k.addIndex(base, k.mulIndex(i, channels));
      Value block = loadBlock(k, input, place, lanes);
      return arith::AddIOp::create(k.b, carried,
                                   k.widen(block, in.element, type))
          .getResult();
    });
    Value to = k.addIndex(k.mulIndex(image, channels), first);
    vector::StoreOp::create(
        k.b, requantize.codes(sums, k.index(0), out.element), output, to);
  };
  k.loop(in.shape[0], [&](Value image) {
    forEachChannelBlock(k, channels, 64, [&](Value first, int64_t lanes) {
      emitBlock(image, first, lanes);
    });
  });
}
