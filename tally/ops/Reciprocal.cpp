//===- Reciprocal.cpp - 1 / x ---------------------------------------------===//

#include "tally/eval/Elementwise.h"
#include "tally/ops/Inference.h"

using namespace tally;
using namespace tally::nn;

quant::UnaryFunction ReciprocalOp::unaryFunction() {
  return {quant::UnaryKind::Reciprocal};
}

Status ReciprocalOp::evaluate(eval::Request &request) {
  eval::UnaryMeaning meaning;
  meaning.f32 = [](float x) { return 1 / x; };
  meaning.f64 = [](double x) { return 1 / x; };
  meaning.real = eval::reciprocalFunction();
  return eval::evaluateUnary(request, meaning);
}
