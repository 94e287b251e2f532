//===- Relu.cpp - max(x, 0) -----------------------------------------------===//

#include "tally/eval/Elementwise.h"
#include "tally/ops/Inference.h"

#include <algorithm>

using namespace tally;
using namespace tally::nn;

quant::UnaryFunction ReluOp::unaryFunction() {
  return {quant::UnaryKind::Relu};
}

Status ReluOp::evaluate(eval::Request &request) {
  eval::UnaryMeaning meaning;
  // Written so that NaN, for which no comparison holds, stays NaN.
  meaning.f32 = [](float x) { return x <= 0 ? 0.0f : x; };
  meaning.f64 = [](double x) { return x <= 0 ? 0.0 : x; };
  meaning.integer = [](int64_t x) { return std::max<int64_t>(x, 0); };
  meaning.unsignedInteger = [](uint64_t x) { return x; };
  meaning.real.rational = [](const mpq_class &x) {
    return x > 0 ? x : mpq_class(0);
  };
  return eval::evaluateUnary(request, meaning);
}
