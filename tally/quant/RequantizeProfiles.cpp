//===- RequantizeProfiles.cpp - other runtimes' arithmetic ----------------===//
//
// Each formula is the published behaviour of a runtime, restated: the fp32
// output step of onnxruntime's x86 kernels, and TFLite's 31-bit multiplier with
// two roundings (reference kernels) or one (TFLITE_SINGLE_ROUNDING, ruy).
//
// Example of the difference, r = 1/4 as M = 2^30, leftShift = -1, acc = 1:
// IDEAL RHE(0.25) = 0. Two roundings: first 1/2 rounds up to 1, then 1/2 away
// from zero gives 1. One rounding: (2^30 + 2^31) >> 32 = 0.
//
//===----------------------------------------------------------------------===//

#include "tally/quant/RequantizeProfiles.h"

#include <algorithm>
#include <cmath>

using namespace tally;
using namespace tally::quant;

TfliteMultiplier quant::quantizeMultiplier(double real) {
  if (real == 0)
    return {};
  int exponent = 0;
  double fraction = std::frexp(real, &exponent);
  int64_t rounded = std::llround(std::ldexp(fraction, 31));
  constexpr int64_t one = int64_t(1) << 31;
  if (std::abs(rounded) == one) {
    rounded /= 2;
    ++exponent;
  }
  if (exponent < -31)
    return {};
  if (exponent > 30)
    return {int32_t(rounded > 0 ? one - 1 : -(one - 1)), 30};
  return {int32_t(rounded), exponent};
}

/// (a * b * 2) / 2^32 rounded half up; -1 * -1 saturates.
static int32_t doublingHighProduct(int32_t a, int32_t b) {
  if (a == INT32_MIN && b == INT32_MIN)
    return INT32_MAX;
  int64_t product = int64_t(a) * b;
  int64_t nudge = int64_t(1) << 30;
  return int32_t((product + nudge) >> 31);
}

static int32_t divideByPowerOfTwo(int32_t x, int32_t exponent) {
  int64_t mask = (int64_t(1) << exponent) - 1;
  int64_t remainder = x & mask;
  int64_t half = (mask >> 1) + (x < 0);
  return (x >> exponent) + (remainder > half);
}

int64_t quant::scaleWithTwoRoundings(int32_t x, TfliteMultiplier m) {
  int32_t left = std::max(m.leftShift, 0), right = std::max(-m.leftShift, 0);
  int32_t shifted = int32_t(int64_t(x) * (int64_t(1) << left));
  return divideByPowerOfTwo(doublingHighProduct(shifted, m.multiplier), right);
}

int64_t quant::scaleWithOneRounding(int32_t x, TfliteMultiplier m) {
  int32_t shift = 31 - m.leftShift;
  int64_t half = int64_t(1) << (shift - 1);
  return (int64_t(x) * m.multiplier + half) >> shift;
}

int32_t quant::convertLikeX86(float value) {
  float rounded = std::nearbyint(value);
  bool fits = rounded >= -0x1p31f && rounded < 0x1p31f;
  return fits ? int32_t(rounded) : INT32_MIN;
}

static float onnxRuntimeScale(const RequantizeProblem &p) {
  float product = p.factor * p.inputScale * p.weightScale;
  return product / (p.outputScale * float(p.divisor));
}

static double tfliteRealScale(const RequantizeProblem &p) {
  switch (p.tfliteScale) {
  case TfliteScale::Double:
    return double(p.inputScale) * p.weightScale * p.factor / p.outputScale;
  case TfliteScale::FloatProduct: {
    float product = p.inputScale * p.weightScale * p.factor;
    return double(product) / p.outputScale;
  }
  case TfliteScale::FloatQuotient: {
    float product = p.inputScale * p.weightScale * p.factor;
    return product / p.outputScale;
  }
  }
  return 0;
}

static Diagnostic noSuchForm(Profile profile, const char *what) {
  return {FailureKind::Unsupported,
          std::string(what) + " has no form in the " +
              std::string(profileName(profile)) + " profile",
          "RQ-PROFILE",
          "",
          "",
          "use --numerics=ideal for this model"};
}

Status quant::deriveProfile(const RequantizeProblem &problem,
                            RequantizeRecord &record) {
  if (!problem.offset.isZero())
    return noSuchForm(problem.profile, "a bias with a scale of its own");
  if (problem.divisor != 1 && problem.profile != Profile::OnnxRuntime)
    return noSuchForm(problem.profile, "an average");
  if (problem.accumulatorLo < INT32_MIN || problem.accumulatorHi > INT32_MAX)
    return noSuchForm(problem.profile, "an accumulator wider than 32 bits");
  record.certificate = Certificate::OtherProfile;
  if (problem.profile == Profile::OnnxRuntime) {
    record.kind = RequantizeKind::Float;
    record.effectiveScale = onnxRuntimeScale(problem);
    if (!std::isfinite(record.effectiveScale))
      return noSuchForm(problem.profile, "an effective scale beyond fp32");
    record.zeroPointBeforeRounding = problem.isCodeProduct;
    return Status::success();
  }
  record.kind = problem.profile == Profile::TfliteDouble
                    ? RequantizeKind::TfliteDouble
                    : RequantizeKind::TfliteSingle;
  double real = tfliteRealScale(problem);
  if (!std::isfinite(real))
    return noSuchForm(problem.profile, "an effective scale beyond its floats");
  TfliteMultiplier m = quantizeMultiplier(real);
  record.multiplier = m.multiplier;
  record.shift = m.leftShift;
  int64_t factor = int64_t(1) << std::max(m.leftShift, 0);
  if (problem.accumulatorLo * factor < INT32_MIN ||
      problem.accumulatorHi * factor > INT32_MAX)
    return noSuchForm(problem.profile, "a left shift beyond 32 bits");
  return Status::success();
}

static int32_t applyFloat(const RequantizeRecord &record, int64_t acc) {
  float product = float(int32_t(acc)) * record.effectiveScale;
  if (record.zeroPointBeforeRounding) {
    int32_t rounded = convertLikeX86(product + float(record.zeroPoint));
    return std::clamp(rounded, record.clampLo, record.clampHi);
  }
  float lo = float(record.clampLo - record.zeroPoint);
  float hi = float(record.clampHi - record.zeroPoint);
  float clamped = std::min(std::max(product, lo), hi);
  return int32_t(std::nearbyint(clamped)) + record.zeroPoint;
}

int32_t quant::applyProfile(const RequantizeRecord &record, int64_t acc) {
  if (record.kind == RequantizeKind::Float)
    return applyFloat(record, acc);
  TfliteMultiplier m{int32_t(record.multiplier), record.shift};
  int64_t scaled = record.kind == RequantizeKind::TfliteDouble
                       ? scaleWithTwoRoundings(int32_t(acc), m)
                       : scaleWithOneRounding(int32_t(acc), m);
  return int32_t(std::clamp<int64_t>(scaled + record.zeroPoint, record.clampLo,
                                     record.clampHi));
}
