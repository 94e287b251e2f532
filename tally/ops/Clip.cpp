//===- Clip.cpp - min(max(x, low), high) ----------------------------------===//

#include "tally/eval/Elementwise.h"
#include "tally/ops/Inference.h"

#include <cmath>

using namespace tally;
using namespace tally::nn;

llvm::LogicalResult ClipOp::verify() {
  if (getLow().isNaN() || getHigh().isNaN())
    return emitOpError() << "a bound is NaN [CLIP-1]";
  return llvm::success();
}

/// A bound as a rational; an infinity is a number beyond every code's real.
static mpq_class bound(float value) {
  if (!std::isinf(value))
    return eval::exact(value);
  mpz_class beyond = mpz_class(1) << 300;
  return mpq_class(value < 0 ? mpz_class(-beyond) : beyond);
}

quant::UnaryFunction ClipOp::unaryFunction() {
  return {quant::UnaryKind::Clip, getLow().convertToFloat(),
          getHigh().convertToFloat()};
}

Status ClipOp::evaluate(eval::Request &request) {
  float low = getLow().convertToFloat(), high = getHigh().convertToFloat();
  eval::UnaryMeaning meaning;
  meaning.f32 = [=](float x) {
    float raised = x < low ? low : x;
    return high < raised ? high : raised;
  };
  meaning.real.rational = [low = bound(low),
                           high = bound(high)](const mpq_class &x) {
    mpq_class raised = x < low ? low : x;
    return high < raised ? high : raised;
  };
  return eval::evaluateUnary(request, meaning);
}
