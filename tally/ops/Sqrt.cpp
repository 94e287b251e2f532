//===- Sqrt.cpp - the square root -----------------------------------------===//

#include "tally/eval/Elementwise.h"
#include "tally/ops/Inference.h"

#include <cmath>

using namespace tally;
using namespace tally::nn;

quant::UnaryFunction SqrtOp::unaryFunction() {
  return {quant::UnaryKind::Sqrt};
}

Status SqrtOp::evaluate(eval::Request &request) {
  eval::UnaryMeaning meaning;
  meaning.f32 = [](float x) { return std::sqrt(x); };
  meaning.f64 = [](double x) { return std::sqrt(x); };
  meaning.real = eval::sqrtFunction();
  return eval::evaluateUnary(request, meaning);
}
