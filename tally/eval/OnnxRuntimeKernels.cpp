//===- OnnxRuntimeKernels.cpp - that runtime's elementwise codes ----------===//

#include "tally/eval/OnnxRuntimeKernels.h"

#include "tally/eval/BigFloat.h"

#include <algorithm>
#include <cmath>
#include <limits>

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

int64_t tally::eval::onnxruntimeGridChange(int64_t code,
                                           const Quantization &input,
                                           const Quantization &result) {
  if (input == result)
    return code;
  return onnxruntimeTableCode([](float x) { return x; }, code, input, result);
}

CodeFunction tally::eval::onnxruntimeExtreme(const CodePairProblem &problem,
                                             bool wantsLargest) {
  return [problem, wantsLargest](int64_t a, int64_t b) {
    a = onnxruntimeGridChange(a, problem.a, problem.result);
    b = onnxruntimeGridChange(b, problem.b, problem.result);
    return wantsLargest ? std::max(a, b) : std::min(a, b);
  };
}

int64_t tally::eval::onnxruntimeMean(float sum, int64_t divisor,
                                     const Quantization &result) {
  float mean = sum / static_cast<float>(divisor);
  float steps = mean / result.scale();
  return convert(steps + static_cast<float>(result.zeroPoint()), result);
}

/// fn(x) as the nearest double.
static double correctlyRounded(int (*fn)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t),
                               double x) {
  BigFloat argument(53), value(53);
  mpfr_set_d(argument, x, MPFR_RNDN);
  fn(value, argument, MPFR_RNDN);
  return mpfr_get_d(value, MPFR_RNDN);
}

std::vector<float> tally::eval::onnxruntimeExponentials(float scale, int64_t n,
                                                        int64_t size) {
  float room = std::numeric_limits<float>::max() / static_cast<float>(n);
  auto bits = static_cast<float>(correctlyRounded(mpfr_log, room));
  double shift = std::max(0.0, static_cast<double>(bits) - 5) / scale;
  std::vector<float> table;
  for (int64_t d = 0; d < size; ++d) {
    double place = static_cast<double>(255 - d) - 255 + shift;
    table.push_back(
        static_cast<float>(correctlyRounded(mpfr_exp, place * scale)));
  }
  return table;
}

int64_t tally::eval::onnxruntimeShare(float t, float sum,
                                      const Quantization &result) {
  double perOne = std::floor(1.0f / result.scale());
  double share = static_cast<double>(t) * perOne / sum;
  auto codes = static_cast<double>(result.qmax - result.qmin);
  double steps = share > 0 ? std::min(share, codes) : 0;
  auto code = static_cast<int64_t>(std::nearbyint(steps)) + result.zeroPoint();
  return std::clamp(code, result.qmin, result.qmax);
}
