//===- BitShift.cpp - a shifted by b bits, broadcast ----------------------===//

#include "tally/eval/Elementwise.h"
#include "tally/ops/Inference.h"

using namespace tally;
using namespace tally::nn;

Status BitShiftOp::evaluate(eval::Request &request) {
  eval::BinaryMeaning meaning;
  meaning.integer = [left = getLeft()](int64_t a, int64_t b) {
    auto bits = static_cast<uint64_t>(a), amount = static_cast<uint64_t>(b);
    if (amount >= 64)
      return int64_t(0);
    return static_cast<int64_t>(left ? bits << amount : bits >> amount);
  };
  return eval::evaluateBinary(request, meaning);
}
