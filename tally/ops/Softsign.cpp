//===- Softsign.cpp - x / (1 + |x|) ---------------------------------------===//

#include "tally/eval/Elementwise.h"
#include "tally/ops/Inference.h"

#include <cmath>

using namespace tally;
using namespace tally::nn;

quant::UnaryFunction SoftsignOp::unaryFunction() {
  return {quant::UnaryKind::Softsign};
}

Status SoftsignOp::evaluate(eval::Request &request) {
  eval::UnaryMeaning meaning;
  meaning.f32 = [](float x) { return x / (1 + std::fabs(x)); };
  meaning.f64 = [](double x) { return x / (1 + std::fabs(x)); };
  meaning.real.rational = [](const mpq_class &x) {
    return mpq_class(x / (1 + abs(x)));
  };
  return eval::evaluateUnary(request, meaning);
}
