//===- GridRules.cpp - what clamps and roundings do to codes --------------===//
//
// All decisions are exact: scales and bounds are fp32 numbers, so each is a
// whole number times a power of two (quant/Dyadic.h).
//
// Example: s1 = 0.1f, s2 = 0.5f. 0.1f = 13421773 * 2^-27 and 0.5f = 2^-1: the
// ratio is no whole number, although 0.5 / 0.1 is 5. s1 = 0.125, s2 = 0.625: 5
// * 2^-3 over 2^-3 is 5 = 1 mod 4, so rounding once is rounding twice.
//
//===----------------------------------------------------------------------===//

#include "tally/rewrite/fusion/GridRules.h"
#include "tally/quant/Dyadic.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <numeric>

using namespace tally;
using namespace tally::nn;
using namespace tally::rewrite;
using quant::Dyadic;

static float scaleOf(UniformQuantizedType type) {
  return static_cast<float>(type.getScale());
}

static Dyadic realOf(UniformQuantizedType type, int64_t code) {
  return Dyadic::of(scaleOf(type)) * Dyadic::ofInt(code - type.getZeroPoint());
}

/// RHE(value / scale) + z, before saturation.
static mpz_class unsaturatedCode(const Dyadic &value,
                                 UniformQuantizedType type) {
  Dyadic scale = Dyadic::of(scaleOf(type));
  mpz_class numerator = value.mantissa(), denominator = scale.mantissa();
  int64_t shift = value.exponent() - scale.exponent();
  (shift < 0 ? denominator : numerator) <<= std::abs(shift);
  return quant::roundHalfEven(numerator, denominator) +
         mpz_class(type.getZeroPoint());
}

/// The codes that the storage integer can hold, whatever range the type names:
/// a narrow type's input may hold any of them.
static int64_t lowestCode(UniformQuantizedType type) {
  return UniformQuantizedType::getDefaultMinimumForInteger(
      type.isSigned(), type.getStorageTypeIntegralWidth());
}
static int64_t highestCode(UniformQuantizedType type) {
  return UniformQuantizedType::getDefaultMaximumForInteger(
      type.isSigned(), type.getStorageTypeIntegralWidth());
}

static float clamped(ClampBounds bounds, float value) {
  float raised = value < bounds.low ? bounds.low : value;
  return bounds.high < raised ? bounds.high : raised;
}

ClampBounds tally::rewrite::composed(ClampBounds first, ClampBounds second) {
  float infinity = std::numeric_limits<float>::infinity();
  return {clamped(second, clamped(first, -infinity)),
          clamped(second, clamped(first, infinity))};
}

bool tally::rewrite::clampOnSameGrid(UniformQuantizedType input,
                                     UniformQuantizedType result) {
  return gridOf(input) == gridOf(result);
}

bool tally::rewrite::clampIsIdentity(ClampBounds bounds,
                                     UniformQuantizedType input,
                                     UniformQuantizedType result) {
  int64_t lowest = lowestCode(input), highest = highestCode(input);
  auto atMost = [](const Dyadic &a, const Dyadic &b) {
    return (b + -a).sign() >= 0;
  };
  auto isBelow = [&](float low) {
    if (std::isinf(low))
      return low < 0;
    return clampOnSameGrid(input, result)
               ? unsaturatedCode(Dyadic::of(low), input) <= lowest
               : atMost(Dyadic::of(low), realOf(input, lowest));
  };
  auto isAbove = [&](float high) {
    if (std::isinf(high))
      return high > 0;
    return clampOnSameGrid(input, result)
               ? unsaturatedCode(Dyadic::of(high), input) >= highest
               : atMost(realOf(input, highest), Dyadic::of(high));
  };
  return isBelow(bounds.low) && isAbove(bounds.high);
}

//===----------------------------------------------------------------------===//
// Two grids in a row
//===----------------------------------------------------------------------===//

bool tally::rewrite::ratioKeepsRounding(UniformQuantizedType first,
                                        UniformQuantizedType second) {
  quant::SmallDyadic from = quant::decompose(scaleOf(first));
  quant::SmallDyadic to = quant::decompose(scaleOf(second));
  return from.exponent == to.exponent && to.mantissa % from.mantissa == 0 &&
         to.mantissa / from.mantissa % 4 == 1;
}

/// Q2(D1(code)), saturated.
static int64_t codeOn(UniformQuantizedType second, UniformQuantizedType first,
                      int64_t code) {
  mpz_class moved = unsaturatedCode(realOf(first, code), second);
  if (moved <= second.getStorageTypeMin())
    return second.getStorageTypeMin();
  if (moved >= second.getStorageTypeMax())
    return second.getStorageTypeMax();
  return moved.get_si();
}

bool tally::rewrite::saturatesAlike(UniformQuantizedType first,
                                    UniformQuantizedType second) {
  return codeOn(second, first, first.getStorageTypeMin()) ==
             second.getStorageTypeMin() &&
         codeOn(second, first, first.getStorageTypeMax()) ==
             second.getStorageTypeMax();
}

/// An fp32 number that rounds to `code`: (code - z) s, rounded, is off by less
/// than 2^-24 of it, so by less than half a step for the 2^17 steps that 16-bit
/// codes can lie from their zero point.
static float realBound(UniformQuantizedType type, int64_t code) {
  return scaleOf(type) * static_cast<float>(code - type.getZeroPoint());
}

std::optional<ClampBounds>
tally::rewrite::saturationBounds(UniformQuantizedType first,
                                 UniformQuantizedType second) {
  ClampBounds bounds = {
      realBound(second, codeOn(second, first, first.getStorageTypeMin())),
      realBound(second, codeOn(second, first, first.getStorageTypeMax()))};
  if (std::isinf(bounds.low) || std::isinf(bounds.high))
    return std::nullopt;
  return bounds;
}

/// Of any magnitude, in six digits.
static std::string realText(double value) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.6g", value);
  return text;
}

std::string tally::rewrite::ratioText(UniformQuantizedType first,
                                      UniformQuantizedType second) {
  quant::SmallDyadic from = quant::decompose(scaleOf(first));
  quant::SmallDyadic to = quant::decompose(scaleOf(second));
  int64_t common = std::gcd(from.mantissa, to.mantissa);
  int64_t numerator = to.mantissa / common,
          denominator = from.mantissa / common;
  int64_t shift = to.exponent - from.exponent;
  if (std::abs(shift) > 16 || numerator > 999 || denominator > 999)
    return realText(scaleOf(second) / scaleOf(first));
  (shift < 0 ? denominator : numerator) <<= std::abs(shift);
  return std::to_string(numerator) +
         (denominator == 1 ? "" : "/" + std::to_string(denominator));
}
