//===- Elu.cpp - x, below zero alpha (e^x - 1) ----------------------------===//

#include "tally/eval/Elementwise.h"
#include "tally/ops/Inference.h"
#include "tally/quant/NativeMath.h"

using namespace tally;
using namespace tally::nn;

quant::UnaryFunction EluOp::unaryFunction() {
  return {quant::UnaryKind::Elu, getAlpha().convertToFloat()};
}

Status EluOp::evaluate(eval::Request &request) {
  float alpha = getAlpha().convertToFloat();
  eval::UnaryMeaning meaning;
  meaning.f32 = [=](float x) {
    return x >= 0 ? x : alpha * quant::pinned::expm1(x);
  };
  meaning.real = eval::eluFunction(alpha);
  return eval::evaluateUnary(request, meaning);
}
