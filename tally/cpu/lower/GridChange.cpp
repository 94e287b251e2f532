//===- GridChange.cpp - codes moved to another grid -----------------------===//

#include "tally/cpu/lower/GridChange.h"
#include "tally/cpu/lower/ChannelBlocks.h"
#include "tally/cpu/lower/Elementwise.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

Result<GridChange> GridChange::make(KernelBuilder &k, const eval::Tensor &from,
                                    const eval::Tensor &to) {
  GridChange change;
  if (!from.isQuantized() || *from.quant == *to.quant)
    return change;
  bool isRuntime = k.profile == eval::Profile::OnnxRuntime;
  auto table =
      gridTable(k, {tally::quant::UnaryKind::Identity}, "requantize", from, to,
                isRuntime ? tally::quant::Profile::OnnxRuntime
                          : tally::quant::Profile::Ideal);
  if (!table)
    return table.takeError();
  change.lookup.emplace(k, codeTable(k, table->codes, to.element),
                        table->input);
  return change;
}

Value GridChange::apply(KernelBuilder &k, Value element) const {
  return lookup ? lookup->apply(k, element) : element;
}

void GridChange::emitCopy(KernelBuilder &k, Value input, Value from,
                          Value output, Value to, int64_t count) const {
  // A plain copy is left to memcpy.
  if (!lookup || !takesLanes()) {
    k.loop(count, [&](Value i) {
      Value element = k.load(input, k.addIndex(from, i));
      k.store(apply(k, element), output, k.addIndex(to, i));
    });
    return;
  }
  constexpr int64_t lanesAtATime = 64;
  forEachChannelBlock(k, count, lanesAtATime, [&](Value i, int64_t lanes) {
    Value block = loadBlock(k, input, k.addIndex(from, i), lanes);
    vector::StoreOp::create(k.b, apply(k, block), output,
                            ValueRange{k.addIndex(to, i)});
  });
}
