//===- Tanh.cpp - the hyperbolic tangent ----------------------------------===//

#include "tally/eval/Elementwise.h"
#include "tally/ops/Inference.h"
#include "tally/quant/NativeMath.h"

using namespace tally;
using namespace tally::nn;

quant::UnaryFunction TanhOp::unaryFunction() {
  return {quant::UnaryKind::Tanh};
}

Status TanhOp::evaluate(eval::Request &request) {
  eval::UnaryMeaning meaning;
  meaning.f32 = quant::pinned::tanh;
  meaning.real = eval::tanhFunction();
  return eval::evaluateUnary(request, meaning);
}
