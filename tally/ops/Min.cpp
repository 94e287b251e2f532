//===- Min.cpp - the lesser of a and b, broadcast -------------------------===//

#include "tally/eval/Elementwise.h"
#include "tally/ops/Inference.h"

#include <cmath>

using namespace tally;
using namespace tally::nn;

template <typename Float> static Float choose(Float a, Float b) {
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) ? a : b;
  return b < a ? b : a;
}

Status MinOp::evaluate(eval::Request &request) {
  eval::BinaryMeaning meaning;
  meaning.f32 = [](float a, float b) { return choose(a, b); };
  meaning.f64 = [](double a, double b) { return choose(a, b); };
  meaning.integer = [](int64_t a, int64_t b) { return b < a ? b : a; };
  meaning.unsignedInteger = [](uint64_t a, uint64_t b) {
    return b < a ? b : a;
  };
  meaning.rational = [](const mpq_class &a, const mpq_class &b) {
    return b < a ? b : a;
  };
  meaning.onnxruntime = [](const eval::CodePairProblem &problem) {
    return eval::onnxruntimeExtreme(problem, /*wantsLargest=*/false);
  };
  return eval::evaluateBinary(request, meaning);
}
