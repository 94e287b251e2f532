//===- Erf.cpp - the error function ---------------------------------------===//

#include "tally/eval/Elementwise.h"
#include "tally/ops/Inference.h"
#include "tally/quant/NativeMath.h"

using namespace tally;
using namespace tally::nn;

quant::UnaryFunction ErfOp::unaryFunction() { return {quant::UnaryKind::Erf}; }

Status ErfOp::evaluate(eval::Request &request) {
  eval::UnaryMeaning meaning;
  meaning.f32 = quant::pinned::erf;
  meaning.real = eval::erfFunction();
  return eval::evaluateUnary(request, meaning);
}
