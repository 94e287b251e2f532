//===- Cos.cpp - the cosine of x in radians -------------------------------===//

#include "tally/eval/Elementwise.h"
#include "tally/ops/Inference.h"
#include "tally/quant/NativeMath.h"

using namespace tally;
using namespace tally::nn;

quant::UnaryFunction CosOp::unaryFunction() { return {quant::UnaryKind::Cos}; }

Status CosOp::evaluate(eval::Request &request) {
  eval::UnaryMeaning meaning;
  meaning.f32 = quant::pinned::cos;
  meaning.real = eval::cosFunction();
  return eval::evaluateUnary(request, meaning);
}
