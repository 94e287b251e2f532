//===- Requantizer.cpp - accumulators to codes ----------------------------===//

#include "tally/eval/Requantizer.h"

#include <algorithm>
#include <cmath>

using namespace tally::eval;

Profile tally::eval::meanProfile(Profile profile, const Quantization &input,
                                 int64_t terms) {
  int64_t low = input.qmin - input.zeroPoint();
  int64_t high = input.qmax - input.zeroPoint();
  bool fits = low * terms >= INT32_MIN && high * terms <= INT32_MAX;
  return profile == Profile::OnnxRuntime && fits ? profile : Profile::Ideal;
}

Requantizer::Requantizer(Profile profile, const AccumulatorMeaning &meaning,
                         const Quantization &result, int64_t channel)
    : profile(profile), rounder(result, channel, meaning.divisor),
      zeroPoint(result.zeroPoint(channel)), qmin(result.qmin),
      qmax(result.qmax), offset(meaning.offset),
      hasOffset(meaning.offset.mantissa != 0),
      hasDivisor(meaning.divisor != 1) {
  Dyadic a = dyadic(meaning.scaleA), b = dyadic(meaning.scaleB),
         f = dyadic(meaning.factor);
  // 24 + 24 + 24 bits for fp32 factors: the product fits with room for the
  // accumulator only when the factor is small, so idealCode falls back.
  mantissa = (__int128)a.mantissa * b.mantissa * f.mantissa;
  exponent = a.exponent + b.exponent + f.exponent;
  offset.mantissa *= meaning.divisor;
  float product = static_cast<float>(meaning.factor) * meaning.scaleA;
  product = product * meaning.scaleB;
  effectiveScale =
      product / (result.scale(channel) * static_cast<float>(meaning.divisor));
  doubleScale = static_cast<double>(meaning.scaleA) * meaning.scaleB *
                meaning.factor / result.scale(channel);
}

int64_t Requantizer::code(int64_t acc) const {
  if (!hasOffset && profile == Profile::OnnxRuntime)
    return onnxruntimeCode(acc);
  if (!hasOffset && !hasDivisor && profile == Profile::TfLite)
    return tfliteCode(acc);
  return idealCode(acc);
}

static mpz_class wide(__int128 value) {
  bool negative = value < 0;
  unsigned __int128 magnitude = negative ? -(unsigned __int128)value : value;
  mpz_class result(static_cast<unsigned long>(magnitude >> 64));
  result <<= 64;
  result += static_cast<unsigned long>(magnitude);
  return negative ? mpz_class(-result) : result;
}

static mpq_class scaled(const mpz_class &mantissa, int exponent) {
  mpq_class value(mantissa);
  if (exponent >= 0)
    mpq_mul_2exp(value.get_mpq_t(), value.get_mpq_t(), exponent);
  else
    mpq_div_2exp(value.get_mpq_t(), value.get_mpq_t(), -exponent);
  return value;
}

/// x * 2^shift, unless it could leave 126 bits.
static bool shiftedLeft(__int128 x, int shift, __int128 &result) {
  if (x == 0) {
    result = 0;
    return true;
  }
  if (shift > 126)
    return false;
  __int128 limit = (__int128)1 << (126 - shift);
  if (x >= limit || x <= -limit)
    return false;
  result = x << shift;
  return true;
}

int64_t Requantizer::idealCode(int64_t acc) const {
  __int128 product, real, addend;
  if (__builtin_mul_overflow((__int128)acc, mantissa, &product))
    return slowCode(acc);
  if (offset.mantissa == 0)
    return rounder.code(product, exponent);
  int common = std::min(exponent, offset.exponent);
  if (!shiftedLeft(product, exponent - common, real) ||
      !shiftedLeft(offset.mantissa, offset.exponent - common, addend))
    return slowCode(acc);
  return rounder.code(real + addend, common);
}

int64_t Requantizer::slowCode(int64_t acc) const {
  mpq_class real = scaled(wide(acc) * wide(mantissa), exponent);
  real += scaled(wide(offset.mantissa), offset.exponent);
  return rounder.code(real);
}

int64_t Requantizer::onnxruntimeCode(int64_t acc) const {
  float low = static_cast<float>(qmin - zeroPoint);
  float high = static_cast<float>(qmax - zeroPoint);
  float product = static_cast<float>(acc) * effectiveScale;
  product = std::min(std::max(product, low), high);
  return static_cast<int64_t>(std::nearbyint(product)) + zeroPoint;
}

// The saturating doubling high product of two 32-bit numbers rounds half up,
// then the right shift rounds half away from zero.
int64_t Requantizer::tfliteCode(int64_t acc) const {
  int shift;
  double fraction = std::frexp(doubleScale, &shift);
  auto multiplier = static_cast<int64_t>(std::round(fraction * (1LL << 31)));
  if (multiplier == (1LL << 31)) {
    multiplier /= 2;
    ++shift;
  }
  if (shift < -31)
    multiplier = shift = 0;
  int left = std::max(shift, 0), right = std::max(-shift, 0);
  int64_t x = acc << left;
  int64_t product = x * multiplier;
  int64_t nudge = product >= 0 ? (1 << 30) : 1 - (1 << 30);
  int64_t high = (product + nudge) / (1LL << 31);
  int64_t mask = (1LL << right) - 1;
  int64_t rest = high & mask;
  int64_t threshold = (mask >> 1) + (high < 0 ? 1 : 0);
  int64_t rounded = (high >> right) + (rest > threshold ? 1 : 0);
  return std::clamp(rounded + zeroPoint, qmin, qmax);
}

BiasTerm tally::eval::biasTerm(const Tensor &bias, int64_t index,
                               int64_t channel, float scaleA, float scaleB) {
  if (!bias.isQuantized()) {
    Dyadic real = dyadic(loadFloat(bias, index));
    return {0, {real.mantissa, real.exponent}};
  }
  int64_t code = loadInt(bias, index) - bias.quant->zeroPoint(channel);
  float scale = bias.quant->scale(channel);
  if (scale == scaleA * scaleB)
    return {code, {}};
  Dyadic unit = dyadic(scale);
  return {0, {code * unit.mantissa, unit.exponent}};
}
