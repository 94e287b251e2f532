//===- IsInf.cpp - whether x is an infinity -------------------------------===//

#include "tally/eval/Elementwise.h"
#include "tally/ops/Inference.h"

#include <cmath>

using namespace tally;
using namespace tally::nn;

Status IsInfOp::evaluate(eval::Request &request) {
  bool negative = getNegative(), positive = getPositive();
  return eval::evaluateClassification(request, [=](double x) {
    return std::isinf(x) && (x < 0 ? negative : positive);
  });
}
