//===- GridChange.cpp - codes moved to another grid -----------------------===//

#include "tally/cpu/lower/GridChange.h"
#include "tally/cpu/lower/Elementwise.h"

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
  change.table = codeTable(k, table->codes, to.element);
  change.from = table->input;
  return change;
}

Value GridChange::apply(KernelBuilder &k, Value element) const {
  return table ? k.load(table, tableIndex(k, element, from)) : element;
}
