//===- ReduceProd.cpp - product of the reduced elements -------------------===//

#include "tally/eval/Reduction.h"
#include "tally/ops/Ops.h"

using namespace tally;
using namespace tally::nn;

Status ReduceProdOp::evaluate(eval::Request &request) {
  return eval::evaluateReduction(request, eval::Reduction::Prod, getAxes());
}
