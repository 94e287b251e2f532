//===- Mul.cpp - a * b, broadcast -----------------------------------------===//

#include "tally/eval/Elementwise.h"
#include "tally/ops/Inference.h"

using namespace tally;
using namespace tally::nn;

Status MulOp::evaluate(eval::Request &request) {
  eval::BinaryMeaning meaning;
  meaning.f32 = [](float a, float b) { return a * b; };
  meaning.f64 = [](double a, double b) { return a * b; };
  meaning.integer = [](int64_t a, int64_t b) {
    return static_cast<int64_t>(static_cast<uint64_t>(a) *
                                static_cast<uint64_t>(b));
  };
  meaning.rational = [](const mpq_class &a, const mpq_class &b) {
    return mpq_class(a * b);
  };
  meaning.onnxruntime = eval::onnxruntimeMul;
  return eval::evaluateBinary(request, meaning);
}
