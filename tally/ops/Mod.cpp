//===- Mod.cpp - the rest of a / b, broadcast -----------------------------===//

#include "tally/eval/Elementwise.h"
#include "tally/ops/Inference.h"

#include <cmath>

using namespace tally;
using namespace tally::nn;

llvm::LogicalResult ModOp::verify() {
  if (!getFmod() && llvm::isa<mlir::FloatType>(getType().getElementType()))
    return emitOpError() << "on floats needs fmod = 1 [MOD-1]";
  return llvm::success();
}

static int64_t truncatedRest(int64_t a, int64_t b) {
  return b == 0 || b == -1 ? 0 : a % b; // the processor traps on both
}

static int64_t flooredRest(int64_t a, int64_t b) {
  int64_t rest = truncatedRest(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

Status ModOp::evaluate(eval::Request &request) {
  eval::BinaryMeaning meaning;
  if (getFmod()) {
    meaning.f32 = [](float a, float b) { return std::fmod(a, b); };
    meaning.f64 = [](double a, double b) { return std::fmod(a, b); };
  }
  meaning.integer = getFmod() ? truncatedRest : flooredRest;
  meaning.unsignedInteger = [](uint64_t a, uint64_t b) {
    return b == 0 ? 0 : a % b;
  };
  return eval::evaluateBinary(request, meaning);
}
