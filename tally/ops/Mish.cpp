//===- Mish.cpp - x tanh(log(1 + e^x)) ------------------------------------===//

#include "tally/eval/Elementwise.h"
#include "tally/ops/Inference.h"
#include "tally/quant/NativeMath.h"

using namespace tally;
using namespace tally::nn;

quant::UnaryFunction MishOp::unaryFunction() {
  return {quant::UnaryKind::Mish};
}

Status MishOp::evaluate(eval::Request &request) {
  eval::UnaryMeaning meaning;
  meaning.f32 = [](float x) {
    return x * quant::pinned::tanh(quant::pinned::softplus(x));
  };
  meaning.real = eval::mishFunction();
  return eval::evaluateUnary(request, meaning);
}
