//===- Celu.cpp - x, below zero alpha (e^(x / alpha) - 1) -----------------===//

#include "tally/eval/Elementwise.h"
#include "tally/ops/Inference.h"
#include "tally/quant/NativeMath.h"

using namespace tally;
using namespace tally::nn;

llvm::LogicalResult CeluOp::verify() {
  if (getAlpha().isZero())
    return emitOpError() << "alpha is 0 [CELU-1]";
  return llvm::success();
}

quant::UnaryFunction CeluOp::unaryFunction() {
  return {quant::UnaryKind::Celu, getAlpha().convertToFloat()};
}

Status CeluOp::evaluate(eval::Request &request) {
  float alpha = getAlpha().convertToFloat();
  eval::UnaryMeaning meaning;
  meaning.f32 = [=](float x) {
    return x >= 0 ? x : alpha * quant::pinned::expm1(x / alpha);
  };
  meaning.real = eval::celuFunction(alpha);
  return eval::evaluateUnary(request, meaning);
}
