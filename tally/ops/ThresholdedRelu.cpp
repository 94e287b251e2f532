//===- ThresholdedRelu.cpp - x above alpha, else 0 ------------------------===//

#include "tally/eval/Elementwise.h"
#include "tally/ops/Inference.h"

using namespace tally;
using namespace tally::nn;

quant::UnaryFunction ThresholdedReluOp::unaryFunction() {
  return {quant::UnaryKind::ThresholdedRelu, getAlpha().convertToFloat()};
}

Status ThresholdedReluOp::evaluate(eval::Request &request) {
  float alpha = getAlpha().convertToFloat();
  eval::UnaryMeaning meaning;
  meaning.f32 = [=](float x) { return x > alpha ? x : 0.0f; };
  meaning.f64 = [=](double x) { return x > alpha ? x : 0.0; };
  meaning.real.rational = [limit = eval::exact(alpha)](const mpq_class &x) {
    return x > limit ? x : mpq_class(0);
  };
  return eval::evaluateUnary(request, meaning);
}
