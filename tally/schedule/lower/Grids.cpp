//===- Grids.cpp - codes on another grid ----------------------------------===//

#include "tally/schedule/lower/Grids.h"
#include "tally/graph/Types.h"
#include "tally/ops/CodeProblems.h"
#include "tally/ops/Contract.h"
#include "tally/quant/UnaryBlockBytes.h"
#include "tally/schedule/lower/Steps.h"

using namespace mlir;
using namespace tally;
using namespace tally::schedule;

Result<Tensor> tally::schedule::ontoGrid(Scheduler &s, const Tensor &tensor,
                                         RankedTensorType from,
                                         RankedTensorType to) {
  if (from.getElementType() == to.getElementType())
    return tensor;
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
  Steps steps(s);
  Tensor moved = steps.apply(work, tensor, *elementTypeOf(to));
  if (Status status = steps.finish(); !status)
    return status.takeError();
  return moved;
}
