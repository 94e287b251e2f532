//===- ReduceLogSum.cpp - logarithm of the sum ----------------------------===//

#include "tally/eval/Reduction.h"
#include "tally/ops/Ops.h"

using namespace tally;
using namespace tally::nn;

Status ReduceLogSumOp::evaluate(eval::Request &request) {
  return eval::evaluateReduction(request, eval::Reduction::LogSum, getAxes());
}
