//===- Grids.cpp - codes on another grid ----------------------------------===//

#include "tally/schedule/lower/Grids.h"
#include "tally/graph/Types.h"
#include "tally/ops/CodeProblems.h"
#include "tally/ops/Contract.h"
#include "tally/quant/UnaryBlockBytes.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace tally;
using namespace tally::schedule;

Result<std::optional<Work>> tally::schedule::gridChange(Scheduler &s, Type from,
                                                        Type to) {
  if (getElementTypeOrSelf(from) == getElementTypeOrSelf(to))
    return std::optional<Work>();
  auto in = nn::quantizedElement(from), out = nn::quantizedElement(to);
  if (!in || !out || !nn::gridOf(in).perTensor() ||
      !nn::gridOf(out).perTensor())
    return s.unsupported("a grid that differs by channel");
  auto block = tally::quant::deriveBlock(
      {tally::quant::UnaryKind::Identity}, nn::quantGrid(nn::gridOf(in)),
      nn::quantGrid(nn::gridOf(out)),
      nn::findContract("requantize")->blockKinds());
  if (!block)
    return s.unsupported(block.error().message + " [" + block.error().rule +
                         "]");
  Work work;
  work.code = isa::CommandCode::VectorBlock;
  work.parameters = tally::quant::encodeBlock(*block);
  return std::optional(std::move(work));
}
