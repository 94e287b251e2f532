//===- And.cpp - whether both hold, broadcast -----------------------------===//

#include "tally/eval/Elementwise.h"
#include "tally/ops/Inference.h"

using namespace tally;
using namespace tally::nn;

Status AndOp::evaluate(eval::Request &request) {
  eval::BinaryMeaning meaning;
  meaning.integer = [](int64_t a, int64_t b) { return a & b; };
  return eval::evaluateBinary(request, meaning);
}
