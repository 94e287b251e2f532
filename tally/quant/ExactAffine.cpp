//===- ExactAffine.cpp - rounding thresholds of an affine function --------===//
//
// Idea: y(x) = (A x + B) / D is above k - 1/2 exactly when 2 A x > X_k with
// X_k = (2k - 1) D - 2B. The first such x is floor(X_k / 2A) + 1, and the x
// before it is a tie when the division leaves no remainder. From k to k + 1,
// X grows by 2D, so quotient and remainder are advanced by additions.
//
// Example: y = x / 4, k = 1: X = 4 - 0 = 4 (A = 1, D = 4), 2A = 2: quotient 2,
// remainder 0: firstAbove = 3 (0.75), tie at 2 (0.5), which rounds to 0; so
// the threshold of the odd k = 1 is 3.
//
// Cost: two wide divisions, then a few additions per step.
//
//===----------------------------------------------------------------------===//

#include "tally/quant/ExactAffine.h"

#include <algorithm>

using namespace tally::quant;

namespace tally::quant {

int32_t bitWidth(const mpz_class &value) {
  return value == 0 ? 0 : int32_t(mpz_sizeinbase(value.get_mpz_t(), 2));
}

int32_t bitWidth(int64_t value) {
  uint64_t magnitude = value < 0 ? 0 - uint64_t(value) : uint64_t(value);
  return magnitude == 0 ? 0 : 64 - __builtin_clzll(magnitude);
}

mpz_class toMpz(__int128 value) {
  bool negative = value < 0;
  unsigned __int128 magnitude =
      negative ? -(unsigned __int128)value : (unsigned __int128)value;
  mpz_class high((unsigned long)(magnitude >> 64));
  mpz_class result = (high << 64) + mpz_class((unsigned long)magnitude);
  return negative ? mpz_class(-result) : result;
}

__int128 toInt128(const mpz_class &value) {
  mpz_class magnitude = abs(value);
  mpz_class high = magnitude >> 64;
  unsigned __int128 bits =
      ((unsigned __int128)mpz_get_ui(high.get_mpz_t()) << 64) |
      mpz_get_ui(magnitude.get_mpz_t());
  return value < 0 ? -__int128(bits) : __int128(bits);
}

ExactAffine<mpz_class> makeAffine(const Dyadic &slope, const Dyadic &addend,
                                  float scale, int64_t divisor) {
  SmallDyadic unit = decompose(scale);
  int64_t slopePower = slope.exponent() - unit.exponent;
  int64_t addendPower = addend.exponent() - unit.exponent;
  if (addend.isZero())
    addendPower = slopePower;
  if (slope.isZero())
    slopePower = addendPower;
  // Bring both to one power of two, then move it to the side where it is whole.
  int64_t power = std::min(slopePower, addendPower);
  int64_t up = std::max<int64_t>(power, 0), down = std::max<int64_t>(-power, 0);
  ExactAffine<mpz_class> affine;
  affine.slope = slope.mantissa() << (slopePower - power + up);
  affine.addend = (addend.mantissa() * mpz_class(long(divisor)))
                  << (addendPower - power + up);
  affine.denominator =
      (mpz_class(long(unit.mantissa)) * mpz_class(long(divisor))) << down;
  return affine;
}

std::optional<ExactAffine<__int128>>
narrow(const ExactAffine<mpz_class> &affine, int32_t xBits) {
  bool fits = bitWidth(affine.slope) + xBits < 124 &&
              bitWidth(affine.addend) < 124 &&
              bitWidth(affine.denominator) + 18 < 124;
  if (!fits)
    return std::nullopt;
  return ExactAffine<__int128>{toInt128(affine.slope), toInt128(affine.addend),
                               toInt128(affine.denominator)};
}

static void floorDivRem(const __int128 &value, const __int128 &divisor,
                        __int128 &quotient, __int128 &remainder) {
  quotient = floorDiv(value, divisor);
  remainder = value - quotient * divisor;
}

static void floorDivRem(const mpz_class &value, const mpz_class &divisor,
                        mpz_class &quotient, mpz_class &remainder) {
  mpz_fdiv_qr(quotient.get_mpz_t(), remainder.get_mpz_t(), value.get_mpz_t(),
              divisor.get_mpz_t());
}

static int64_t clampToInt64(const __int128 &value, int64_t lo, int64_t hi) {
  return int64_t(std::clamp<__int128>(value, lo, hi));
}

static int64_t clampToInt64(const mpz_class &value, int64_t lo, int64_t hi) {
  if (value < mpz_class(long(lo)))
    return lo;
  if (value > mpz_class(long(hi)))
    return hi;
  return value.get_si();
}

template <class Int>
int64_t roundAffine(const ExactAffine<Int> &affine, int64_t x) {
  Int numerator = affine.slope * Int(long(x)) + affine.addend;
  Int shifted = numerator * 2 + affine.denominator;
  Int twice = affine.denominator * 2;
  Int quotient, remainder;
  floorDivRem(shifted, twice, quotient, remainder);
  constexpr int64_t limit = int64_t(1) << 40;
  int64_t rounded = clampToInt64(quotient, -limit, limit);
  bool isTie = remainder == 0;
  return rounded - (isTie && rounded % 2 != 0);
}

template <class Int>
Staircase buildStaircase(const ExactAffine<Int> &affine, int64_t lo, int64_t hi,
                         int64_t firstStep, int64_t lastStep) {
  Staircase stairs{lo, hi, firstStep, {}, false};
  if (lastStep < firstStep)
    return stairs;
  stairs.crossings.reserve(size_t(lastStep - firstStep + 1));
  Int divisor = affine.slope * 2;
  Int start =
      affine.denominator * Int(long(2 * firstStep - 1)) - affine.addend * 2;
  Int quotient, remainder, quotientStep, remainderStep;
  floorDivRem(start, divisor, quotient, remainder);
  floorDivRem(Int(affine.denominator * 2), divisor, quotientStep,
              remainderStep);
  for (int64_t k = firstStep; k <= lastStep; ++k) {
    int64_t last = clampToInt64(quotient, lo - 1, hi + 1);
    bool hasTie = remainder == 0 && lo <= last && last <= hi;
    stairs.crossings.push_back({std::min(last, hi) + 1, hasTie});
    stairs.hasTies |= hasTie;
    quotient += quotientStep;
    remainder += remainderStep;
    if (remainder >= divisor) {
      remainder -= divisor;
      quotient += 1;
    }
  }
  return stairs;
}

FloorWalk::FloorWalk(const ExactAffine<mpz_class> &affine, int64_t x) {
  big.modulus = affine.denominator * 2;
  mpz_class value =
      (affine.slope * long(x) + affine.addend) * 2 + affine.denominator;
  floorDivRem(value, big.modulus, big.quotient, big.remainder);
  floorDivRem(mpz_class(affine.slope * 2), big.modulus, big.quotientStep,
              big.remainderStep);
  bool fits = bitWidth(big.modulus) < 124 && bitWidth(big.quotient) < 100 &&
              bitWidth(big.quotientStep) < 100;
  if (fits)
    small = {toInt128(big.quotient), toInt128(big.remainder),
             toInt128(big.quotientStep), toInt128(big.remainderStep),
             toInt128(big.modulus)};
}

template <class Int> void FloorWalk::advance(State<Int> &state) {
  state.quotient += state.quotientStep;
  state.remainder += state.remainderStep;
  if (state.remainder >= state.modulus) {
    state.remainder -= state.modulus;
    state.quotient += 1;
  }
}

void FloorWalk::advance() {
  if (small)
    advance(*small);
  else
    advance(big);
}

int64_t FloorWalk::floorUp(int64_t lo, int64_t hi) const {
  return small ? clampToInt64(small->quotient, lo, hi)
               : clampToInt64(big.quotient, lo, hi);
}

bool FloorWalk::isWhole() const {
  return small ? small->remainder == 0 : big.remainder == 0;
}

template int64_t roundAffine(const ExactAffine<__int128> &, int64_t);
template int64_t roundAffine(const ExactAffine<mpz_class> &, int64_t);
template Staircase buildStaircase(const ExactAffine<__int128> &, int64_t,
                                  int64_t, int64_t, int64_t);
template Staircase buildStaircase(const ExactAffine<mpz_class> &, int64_t,
                                  int64_t, int64_t, int64_t);

} // namespace tally::quant
