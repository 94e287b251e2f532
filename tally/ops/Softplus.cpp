//===- Softplus.cpp - log(1 + e^x) ----------------------------------------===//

#include "tally/eval/Elementwise.h"
#include "tally/ops/Inference.h"
#include "tally/quant/NativeMath.h"

using namespace tally;
using namespace tally::nn;

quant::UnaryFunction SoftplusOp::unaryFunction() {
  return {quant::UnaryKind::Softplus};
}

Status SoftplusOp::evaluate(eval::Request &request) {
  eval::UnaryMeaning meaning;
  meaning.f32 = quant::pinned::softplus;
  meaning.real = eval::softplusFunction();
  return eval::evaluateUnary(request, meaning);
}
