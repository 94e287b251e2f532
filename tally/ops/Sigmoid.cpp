//===- Sigmoid.cpp - 1 / (1 + e^-x) ---------------------------------------===//

#include "tally/eval/Elementwise.h"
#include "tally/ops/Inference.h"
#include "tally/quant/NativeMath.h"

using namespace tally;
using namespace tally::nn;

quant::UnaryFunction SigmoidOp::unaryFunction() {
  return {quant::UnaryKind::Sigmoid};
}

Status SigmoidOp::evaluate(eval::Request &request) {
  eval::UnaryMeaning meaning;
  meaning.f32 = quant::pinned::sigmoid;
  meaning.onnxruntime = meaning.f32;
  meaning.real = eval::sigmoidFunction();
  return eval::evaluateUnary(request, meaning);
}
