//===- Neg.cpp - -x -------------------------------------------------------===//

#include "tally/eval/Elementwise.h"
#include "tally/ops/Inference.h"

using namespace tally;
using namespace tally::nn;

quant::UnaryFunction NegOp::unaryFunction() { return {quant::UnaryKind::Neg}; }

Status NegOp::evaluate(eval::Request &request) {
  eval::UnaryMeaning meaning;
  meaning.f32 = [](float x) { return -x; };
  meaning.f64 = [](double x) { return -x; };
  meaning.integer = [](int64_t x) {
    return static_cast<int64_t>(0 - static_cast<uint64_t>(x));
  };
  meaning.real.rational = [](const mpq_class &x) { return mpq_class(-x); };
  return eval::evaluateUnary(request, meaning);
}
