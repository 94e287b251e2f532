//===- ReduceSumSquare.cpp - sum of the squares ---------------------------===//

#include "tally/eval/Reduction.h"
#include "tally/ops/Ops.h"

using namespace tally;
using namespace tally::nn;

Status ReduceSumSquareOp::evaluate(eval::Request &request) {
  return eval::evaluateReduction(request, eval::Reduction::SumSquare,
                                 getAxes());
}
