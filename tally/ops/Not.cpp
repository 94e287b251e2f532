//===- Not.cpp - whether x is false ---------------------------------------===//

#include "tally/eval/Elementwise.h"
#include "tally/ops/Inference.h"

using namespace tally;
using namespace tally::nn;

Status NotOp::evaluate(eval::Request &request) {
  eval::UnaryMeaning meaning;
  meaning.integer = [](int64_t x) { return x == 0; };
  return eval::evaluateUnary(request, meaning);
}
