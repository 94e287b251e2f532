//===- Grids.cpp - codes on another grid ----------------------------------===//

#include "tally/schedule/lower/Grids.h"
#include "tally/graph/Types.h"
#include "tally/quant/UnaryBlockBytes.h"
#include "tally/schedule/lower/Epilogue.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace tally;
using namespace tally::schedule;

Result<std::optional<Work>> tally::schedule::gridChange(Scheduler &s, Type from,
                                                        Type to) {
  if (getElementTypeOrSelf(from) == getElementTypeOrSelf(to))
    return std::optional<Work>();
  auto in = nn::quantizedElement(from), out = nn::quantizedElement(to);
  if (!in || !out)
    return s.unsupported("codes beside plain numbers");
  auto block = unitRequantize(s, nn::gridOf(in), nn::gridOf(out));
  if (!block)
    return block.takeError();
  Work work;
  work.code = isa::CommandCode::VectorBlock;
  work.parameters = tally::quant::encodeBlock(*block);
  return std::optional(std::move(work));
}
