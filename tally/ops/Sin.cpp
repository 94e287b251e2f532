//===- Sin.cpp - the sine of x in radians ---------------------------------===//

#include "tally/eval/Elementwise.h"
#include "tally/ops/Inference.h"
#include "tally/quant/NativeMath.h"

using namespace tally;
using namespace tally::nn;

quant::UnaryFunction SinOp::unaryFunction() { return {quant::UnaryKind::Sin}; }

Status SinOp::evaluate(eval::Request &request) {
  eval::UnaryMeaning meaning;
  meaning.f32 = quant::pinned::sin;
  meaning.real = eval::sinFunction();
  return eval::evaluateUnary(request, meaning);
}
