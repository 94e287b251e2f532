//===- ReduceMax.cpp - largest of the reduced elements --------------------===//

#include "tally/eval/Reduction.h"
#include "tally/ops/Ops.h"

using namespace tally;
using namespace tally::nn;

Status ReduceMaxOp::evaluate(eval::Request &request) {
  return eval::evaluateReduction(request, eval::Reduction::Max, getAxes());
}
