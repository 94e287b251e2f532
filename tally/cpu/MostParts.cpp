//===- MostParts.cpp - into how many parts work is split ------------------===//

#include "tally/cpu/MostParts.h"
#include "tally/ops/Cost.h"
#include "tally/ops/Ops.h"

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

/// Products of bytes that a core does in a cycle, about.
static int64_t productsInOneCycle(Tier tier) {
  switch (tier) {
  case Tier::Baseline:
  case Tier::Neon:
    return 8;
  case Tier::Avx2:
    return 16;
  case Tier::I8mm:
    return 32;
  case Tier::AvxVnni:
    return 64;
  case Tier::Avx512:
    return 128;
  case Tier::Amx:
    return 512;
  }
  return 8;
}

int64_t tally::cpu::partsOf(Operation *op, Tier tier,
                            const CpuOptions &options) {
  constexpr int64_t kElements = 2;
  int64_t elements = 0;
  for (Value result : op->getResults())
    elements += nn::describe(cast<RankedTensorType>(result.getType())).count();
  int64_t products = nn::multiplyAdds(op).value_or(0);
  int64_t cycles = products / productsInOneCycle(tier) + elements / kElements;
  return cycles < options.leastSplit ? 1 : mostParts(options);
}
