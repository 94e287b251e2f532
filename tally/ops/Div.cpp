//===- Div.cpp - a / b, broadcast -----------------------------------------===//

#include "tally/eval/Elementwise.h"
#include "tally/ops/Inference.h"

using namespace tally;
using namespace tally::nn;

static int64_t quotient(int64_t a, int64_t b) {
  if (b == 0)
    return 0;
  // The processor traps on INT64_MIN / -1.
  return b == -1 ? static_cast<int64_t>(0 - static_cast<uint64_t>(a)) : a / b;
}

Status DivOp::evaluate(eval::Request &request) {
  eval::BinaryMeaning meaning;
  meaning.f32 = [](float a, float b) { return a / b; };
  meaning.f64 = [](double a, double b) { return a / b; };
  meaning.integer = quotient;
  meaning.unsignedInteger = [](uint64_t a, uint64_t b) {
    return b == 0 ? 0 : a / b;
  };
  return eval::evaluateBinary(request, meaning);
}
