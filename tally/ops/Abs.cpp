//===- Abs.cpp - |x| ------------------------------------------------------===//

#include "tally/eval/Elementwise.h"
#include "tally/ops/Inference.h"

#include <cmath>

using namespace tally;
using namespace tally::nn;

quant::UnaryFunction AbsOp::unaryFunction() { return {quant::UnaryKind::Abs}; }

Status AbsOp::evaluate(eval::Request &request) {
  eval::UnaryMeaning meaning;
  meaning.f32 = [](float x) { return std::fabs(x); };
  meaning.f64 = [](double x) { return std::fabs(x); };
  meaning.integer = [](int64_t x) {
    return static_cast<int64_t>(x < 0 ? 0 - static_cast<uint64_t>(x)
                                      : static_cast<uint64_t>(x));
  };
  meaning.unsignedInteger = [](uint64_t x) { return x; };
  meaning.real.rational = [](const mpq_class &x) { return mpq_class(abs(x)); };
  return eval::evaluateUnary(request, meaning);
}
