//===- Less.cpp - a < b, broadcast ----------------------------------------===//

#include "tally/eval/Elementwise.h"
#include "tally/ops/Inference.h"

using namespace tally;
using namespace tally::nn;

Status LessOp::evaluate(eval::Request &request) {
  return eval::evaluateComparison(
      request, [](std::partial_ordering order) { return order < 0; });
}
