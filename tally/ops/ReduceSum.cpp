//===- ReduceSum.cpp - sum of the reduced elements ------------------------===//

#include "tally/eval/Reduction.h"
#include "tally/ops/Ops.h"

using namespace tally;
using namespace tally::nn;

Status ReduceSumOp::evaluate(eval::Request &request) {
  return eval::evaluateReduction(request, eval::Reduction::Sum, getAxes());
}
