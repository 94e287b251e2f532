//===- BitwiseOr.cpp - the bits that either has, broadcast ----------------===//

#include "tally/eval/Elementwise.h"
#include "tally/ops/Inference.h"

using namespace tally;
using namespace tally::nn;

Status BitwiseOrOp::evaluate(eval::Request &request) {
  eval::BinaryMeaning meaning;
  meaning.integer = [](int64_t a, int64_t b) { return a | b; };
  return eval::evaluateBinary(request, meaning);
}
