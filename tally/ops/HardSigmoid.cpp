//===- HardSigmoid.cpp - alpha x + beta, between 0 and 1 ------------------===//

#include "tally/eval/Elementwise.h"
#include "tally/ops/Inference.h"

using namespace tally;
using namespace tally::nn;

template <typename Number> static Number clampToUnit(const Number &y) {
  return y < 0 ? Number(0) : y > 1 ? Number(1) : y;
}

quant::UnaryFunction HardSigmoidOp::unaryFunction() {
  return {quant::UnaryKind::HardSigmoid, getAlpha().convertToFloat(),
          getBeta().convertToFloat()};
}

Status HardSigmoidOp::evaluate(eval::Request &request) {
  float alpha = getAlpha().convertToFloat(), beta = getBeta().convertToFloat();
  eval::UnaryMeaning meaning;
  meaning.f32 = [=](float x) { return clampToUnit<float>(alpha * x + beta); };
  meaning.f64 = [=](double x) { return clampToUnit<double>(alpha * x + beta); };
  meaning.real.rational = [slope = eval::exact(alpha),
                           offset = eval::exact(beta)](const mpq_class &x) {
    return clampToUnit<mpq_class>(slope * x + offset);
  };
  return eval::evaluateUnary(request, meaning);
}
