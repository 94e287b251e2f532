//===- Swish.cpp - x / (1 + e^(-alpha x)) ---------------------------------===//

#include "tally/eval/Elementwise.h"
#include "tally/ops/Inference.h"
#include "tally/quant/NativeMath.h"

using namespace tally;
using namespace tally::nn;

quant::UnaryFunction SwishOp::unaryFunction() {
  return {quant::UnaryKind::Swish, getAlpha().convertToFloat()};
}

Status SwishOp::evaluate(eval::Request &request) {
  float alpha = getAlpha().convertToFloat();
  eval::UnaryMeaning meaning;
  meaning.f32 = [=](float x) { return x * quant::pinned::sigmoid(alpha * x); };
  meaning.real = eval::swishFunction(alpha);
  return eval::evaluateUnary(request, meaning);
}
