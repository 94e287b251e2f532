//===- Selu.cpp - gamma times Elu -----------------------------------------===//

#include "tally/eval/Elementwise.h"
#include "tally/ops/Inference.h"
#include "tally/quant/NativeMath.h"

using namespace tally;
using namespace tally::nn;

quant::UnaryFunction SeluOp::unaryFunction() {
  return {quant::UnaryKind::Selu, getAlpha().convertToFloat(),
          getGamma().convertToFloat()};
}

Status SeluOp::evaluate(eval::Request &request) {
  float alpha = getAlpha().convertToFloat(),
        gamma = getGamma().convertToFloat();
  eval::UnaryMeaning meaning;
  meaning.f32 = [=](float x) {
    return gamma * (x > 0 ? x : alpha * quant::pinned::expm1(x));
  };
  meaning.real = eval::seluFunction(alpha, gamma);
  return eval::evaluateUnary(request, meaning);
}
