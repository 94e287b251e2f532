//===- Contract.cpp - what an operator promises ---------------------------===//

#include "tally/ops/Contract.h"

#include <algorithm>
#include <cmath>

using namespace tally;
using namespace tally::nn;

std::string_view nn::resultGridName(ResultGrid grid) {
  switch (grid) {
  case ResultGrid::None:
    return "none";
  case ResultGrid::Same:
    return "same";
  case ResultGrid::Free:
    return "free";
  }
  return "";
}

double GridPair::codeOf(double real) const {
  double code = std::nearbyint(real / result.scale()) + result.zeroPoint();
  return std::clamp(code, double(result.type.min()), double(result.type.max()));
}

bool Contract::accepts(std::string_view kind) const {
  return std::ranges::find(kinds, kind) != kinds.end();
}

std::vector<quant::BlockKind> Contract::blockKinds() const {
  std::vector<quant::BlockKind> result;
  result.reserve(blocks.size());
  for (const BlockContract &block : blocks)
    result.push_back(block.kind);
  return result;
}

const Contract *nn::findContract(std::string_view name) {
  auto found = std::ranges::lower_bound(contracts(), name, {}, &Contract::name);
  return found != contracts().end() && found->name == name ? &*found : nullptr;
}
