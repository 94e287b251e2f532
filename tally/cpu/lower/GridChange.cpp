//===- GridChange.cpp - codes moved to another grid -----------------------===//

#include "tally/cpu/lower/GridChange.h"
#include "tally/cpu/Requantize.h"
#include "tally/graph/Locations.h"
#include "tally/quant/UnaryTable.h"

#include <cmath>

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

static tally::quant::Grid quantGrid(const eval::Quantization &grid) {
  return tally::quant::Grid::perTensor(codeType(grid), grid.scale(),
                                       static_cast<int32_t>(grid.zeroPoint()));
}

Result<GridChange> GridChange::make(KernelBuilder &k, const eval::Tensor &from,
                                    const eval::Tensor &to) {
  GridChange change;
  if (!from.isQuantized() || *from.quant == *to.quant)
    return change;
  auto table = tally::quant::buildUnaryTable(
      {tally::quant::UnaryKind::Identity}, quantGrid(*from.quant),
      quantGrid(*to.quant),
      k.profile == eval::Profile::OnnxRuntime
          ? tally::quant::Profile::OnnxRuntime
          : tally::quant::Profile::Ideal);
  if (!table) {
    tally::Diagnostic failure = table.takeError();
    failure.node = nn::nodeName(k.op);
    return failure;
  }
  eval::Tensor codes;
  codes.shape = {static_cast<int64_t>(table->codes.size())};
  codes.element = to.element;
  codes.allocate();
  for (auto [i, code] : llvm::enumerate(table->codes))
    eval::storeInt(codes, static_cast<int64_t>(i), code);
  change.table = k.constant(codes);
  change.mask = table->input.count() - 1;
  return change;
}

Value GridChange::apply(KernelBuilder &k, Value element) const {
  if (!table)
    return element;
  // A table is indexed by the code's own bits; those of a code below 8 bits
  // are the low ones of its byte.
  Value bits = arith::ExtUIOp::create(k.b, k.i32(), element);
  bits = arith::AndIOp::create(k.b, bits, k.integer(k.i32(), mask));
  return k.load(table, k.toIndex(bits, /*isSigned=*/false));
}

int64_t tally::cpu::codeOfReal(float value, const eval::Quantization &grid) {
  if (std::isnan(value))
    return grid.qmin;
  if (std::isinf(value))
    return value > 0 ? grid.qmax : grid.qmin;
  if (value == 0)
    return grid.zeroPoint();
  // The code of one step of size |value|, up or down.
  tally::quant::RequantizeProblem problem;
  problem.inputScale = std::fabs(value);
  problem.outputScale = grid.scale();
  problem.result = codeType(grid);
  problem.zeroPoint = static_cast<int32_t>(grid.zeroPoint());
  return tally::quant::applyIdeal(problem, value > 0 ? 1 : -1);
}
