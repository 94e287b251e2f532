//===- Exp.cpp - e to the power of x --------------------------------------===//

#include "tally/eval/Elementwise.h"
#include "tally/ops/Inference.h"
#include "tally/quant/NativeMath.h"

using namespace tally;
using namespace tally::nn;

quant::UnaryFunction ExpOp::unaryFunction() { return {quant::UnaryKind::Exp}; }

Status ExpOp::evaluate(eval::Request &request) {
  eval::UnaryMeaning meaning;
  meaning.f32 = quant::pinned::exp;
  meaning.real = eval::expFunction();
  return eval::evaluateUnary(request, meaning);
}
