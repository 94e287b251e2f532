//===- LeakyRelu.cpp - x below zero times alpha ---------------------------===//

#include "tally/eval/Elementwise.h"
#include "tally/ops/Inference.h"

using namespace tally;
using namespace tally::nn;

quant::UnaryFunction LeakyReluOp::unaryFunction() {
  return {quant::UnaryKind::LeakyRelu, getAlpha().convertToFloat()};
}

Status LeakyReluOp::evaluate(eval::Request &request) {
  float alpha = getAlpha().convertToFloat();
  eval::UnaryMeaning meaning;
  meaning.f32 = [=](float x) { return x < 0 ? alpha * x : x; };
  meaning.f64 = [=](double x) { return x < 0 ? alpha * x : x; };
  meaning.onnxruntime = meaning.f32;
  meaning.real.rational = [slope = eval::exact(alpha)](const mpq_class &x) {
    return x < 0 ? mpq_class(slope * x) : x;
  };
  return eval::evaluateUnary(request, meaning);
}
