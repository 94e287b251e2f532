//===- BitwiseNot.cpp - every bit flipped ---------------------------------===//

#include "tally/eval/Elementwise.h"
#include "tally/ops/Inference.h"

using namespace tally;
using namespace tally::nn;

Status BitwiseNotOp::evaluate(eval::Request &request) {
  eval::UnaryMeaning meaning;
  meaning.integer = [](int64_t x) { return ~x; };
  return eval::evaluateUnary(request, meaning);
}
