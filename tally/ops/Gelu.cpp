//===- Gelu.cpp - x times the normal distribution function ----------------===//

#include "tally/eval/Elementwise.h"
#include "tally/ops/Inference.h"
#include "tally/quant/NativeMath.h"

using namespace tally;
using namespace tally::nn;

quant::UnaryFunction GeluOp::unaryFunction() {
  return {getTanh() ? quant::UnaryKind::GeluTanh : quant::UnaryKind::GeluErf};
}

Status GeluOp::evaluate(eval::Request &request) {
  eval::UnaryMeaning meaning;
  meaning.f32 = getTanh() ? quant::pinned::geluTanh : quant::pinned::geluErf;
  meaning.real = getTanh() ? eval::geluTanhFunction() : eval::geluErfFunction();
  return eval::evaluateUnary(request, meaning);
}
