//===- HardSwish.cpp - x between 0 and x, by x/6 + 1/2 --------------------===//

#include "tally/eval/Elementwise.h"
#include "tally/ops/Inference.h"

using namespace tally;
using namespace tally::nn;

template <typename Number>
static Number hardSwish(const Number &x, const Number &slope,
                        const Number &offset) {
  Number y = slope * x + offset;
  y = y < 0 ? Number(0) : y > 1 ? Number(1) : y;
  return x * y;
}

quant::UnaryFunction HardSwishOp::unaryFunction() {
  return {quant::UnaryKind::HardSwish};
}

Status HardSwishOp::evaluate(eval::Request &request) {
  eval::UnaryMeaning meaning;
  meaning.f32 = [](float x) { return hardSwish<float>(x, 1.0f / 6, 0.5f); };
  meaning.f64 = [](double x) { return hardSwish<double>(x, 1.0 / 6, 0.5); };
  meaning.real.rational = [](const mpq_class &x) {
    return hardSwish<mpq_class>(x, mpq_class(1, 6), mpq_class(1, 2));
  };
  return eval::evaluateUnary(request, meaning);
}
