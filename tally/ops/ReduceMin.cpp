//===- ReduceMin.cpp - smallest of the reduced elements -------------------===//

#include "tally/eval/Reduction.h"
#include "tally/ops/Ops.h"

using namespace tally;
using namespace tally::nn;

Status ReduceMinOp::evaluate(eval::Request &request) {
  return eval::evaluateReduction(request, eval::Reduction::Min, getAxes());
}
