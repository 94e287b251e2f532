//===- ReduceLogSumExp.cpp - logarithm of the sum of exponentials ---------===//

#include "tally/eval/Reduction.h"
#include "tally/ops/Ops.h"

using namespace tally;
using namespace tally::nn;

Status ReduceLogSumExpOp::evaluate(eval::Request &request) {
  return eval::evaluateReduction(request, eval::Reduction::LogSumExp,
                                 getAxes());
}
