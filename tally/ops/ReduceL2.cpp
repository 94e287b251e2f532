//===- ReduceL2.cpp - root of the sum of squares --------------------------===//

#include "tally/eval/Reduction.h"
#include "tally/ops/Ops.h"

using namespace tally;
using namespace tally::nn;

Status ReduceL2Op::evaluate(eval::Request &request) {
  return eval::evaluateReduction(request, eval::Reduction::L2, getAxes());
}
