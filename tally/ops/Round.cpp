//===- Round.cpp - the nearest integer, ties to even ----------------------===//

#include "tally/eval/Elementwise.h"
#include "tally/ops/Inference.h"

#include <cmath>

using namespace tally;
using namespace tally::nn;

quant::UnaryFunction RoundOp::unaryFunction() {
  return {quant::UnaryKind::Round};
}

Status RoundOp::evaluate(eval::Request &request) {
  eval::UnaryMeaning meaning;
  meaning.f32 = [](float x) { return std::nearbyint(x); };
  meaning.f64 = [](double x) { return std::nearbyint(x); };
  meaning.real.rational = [](const mpq_class &x) {
    return mpq_class(eval::roundHalfEven(x));
  };
  return eval::evaluateUnary(request, meaning);
}
