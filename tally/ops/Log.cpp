//===- Log.cpp - the natural logarithm ------------------------------------===//

#include "tally/eval/Elementwise.h"
#include "tally/ops/Inference.h"
#include "tally/quant/NativeMath.h"

using namespace tally;
using namespace tally::nn;

quant::UnaryFunction LogOp::unaryFunction() { return {quant::UnaryKind::Log}; }

Status LogOp::evaluate(eval::Request &request) {
  eval::UnaryMeaning meaning;
  meaning.f32 = quant::pinned::log;
  meaning.real = eval::logFunction();
  return eval::evaluateUnary(request, meaning);
}
