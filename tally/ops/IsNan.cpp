//===- IsNan.cpp - whether x is NaN ---------------------------------------===//

#include "tally/eval/Elementwise.h"
#include "tally/ops/Inference.h"

#include <cmath>

using namespace tally;
using namespace tally::nn;

Status IsNanOp::evaluate(eval::Request &request) {
  return eval::evaluateClassification(request,
                                      [](double x) { return std::isnan(x); });
}
