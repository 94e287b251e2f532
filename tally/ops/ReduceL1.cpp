//===- ReduceL1.cpp - sum of the magnitudes -------------------------------===//

#include "tally/eval/Reduction.h"
#include "tally/ops/Ops.h"

using namespace tally;
using namespace tally::nn;

Status ReduceL1Op::evaluate(eval::Request &request) {
  return eval::evaluateReduction(request, eval::Reduction::L1, getAxes());
}
