//===- Sign.cpp - -1, 0 or 1, as x is negative, zero or positive ----------===//

#include "tally/eval/Elementwise.h"
#include "tally/ops/Inference.h"

using namespace tally;
using namespace tally::nn;

template <typename Float> static Float signOf(Float x) {
  return x > 0 ? 1 : x < 0 ? -1 : x == 0 ? 0 : x;
}

quant::UnaryFunction SignOp::unaryFunction() {
  return {quant::UnaryKind::Sign};
}

Status SignOp::evaluate(eval::Request &request) {
  eval::UnaryMeaning meaning;
  meaning.f32 = [](float x) { return signOf(x); };
  meaning.f64 = [](double x) { return signOf(x); };
  meaning.integer = [](int64_t x) { return (x > 0) - (x < 0); };
  meaning.unsignedInteger = [](uint64_t x) { return x > 0 ? 1 : 0; };
  meaning.real.rational = [](const mpq_class &x) { return mpq_class(sgn(x)); };
  return eval::evaluateUnary(request, meaning);
}
