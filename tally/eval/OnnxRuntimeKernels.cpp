//===- OnnxRuntimeKernels.cpp - that runtime's elementwise codes ----------===//

#include "tally/eval/OnnxRuntimeKernels.h"

#include <algorithm>
#include <cmath>

using namespace tally::eval;

/// The x86 conversion to int32, then saturation to the grid's codes.
static int64_t convert(float value, const Quantization &grid) {
  double rounded = std::nearbyint(static_cast<double>(value));
  if (!(rounded >= INT32_MIN && rounded <= INT32_MAX))
    rounded = INT32_MIN;
  return std::clamp(static_cast<int64_t>(rounded), grid.qmin, grid.qmax);
}

CodeFunction tally::eval::onnxruntimeAdd(const CodePairProblem &problem) {
  if (problem.scalarA) {
    CodeFunction swapped =
        onnxruntimeAdd({problem.b, problem.a, problem.result});
    return [swapped](int64_t a, int64_t b) { return swapped(b, a); };
  }
  float ratioA = problem.a.scale() / problem.result.scale();
  float ratioB = problem.b.scale() / problem.result.scale();
  float shareB = ratioB * static_cast<float>(problem.b.zeroPoint());
  float shares =
      std::fma(ratioA, static_cast<float>(problem.a.zeroPoint()), shareB);
  float constant = static_cast<float>(problem.result.zeroPoint()) - shares;
  return [=, grid = problem.result](int64_t a, int64_t b) {
    float sum = std::fma(static_cast<float>(b), ratioB, constant);
    return convert(std::fma(static_cast<float>(a), ratioA, sum), grid);
  };
}

CodeFunction tally::eval::onnxruntimeMul(const CodePairProblem &problem) {
  float product = problem.a.scale() * problem.b.scale();
  float ratio = product / problem.result.scale();
  int64_t zeroA = problem.a.zeroPoint(), zeroB = problem.b.zeroPoint();
  return [=, grid = problem.result](int64_t a, int64_t b) {
    auto steps = static_cast<float>((a - zeroA) * (b - zeroB));
    float scaled = steps * ratio;
    return convert(scaled + static_cast<float>(grid.zeroPoint()), grid);
  };
}

int64_t tally::eval::onnxruntimeTableCode(const std::function<float(float)> &f,
                                          int64_t code,
                                          const Quantization &input,
                                          const Quantization &result) {
  float x = static_cast<float>(code - input.zeroPoint()) * input.scale();
  auto zeroPoint = static_cast<float>(result.zeroPoint());
  float low = static_cast<float>(result.qmin) - zeroPoint;
  float high = static_cast<float>(result.qmax) - zeroPoint;
  float quotient = std::clamp(f(x) / result.scale(), low, high);
  return static_cast<int64_t>(std::nearbyint(quotient)) + result.zeroPoint();
}
