//===- ExactRounding.cpp - one rounding of an exact real ------------------===//
//
// Idea: x / s with x = n * 2^e and s = m * 2^f is the quotient of two
// integers, n * 2^(e-f) / m when e >= f and n / (m * 2^(f-e)) otherwise.
// One integer division and a comparison of the remainder with half the divisor
// decide the rounding, so no float is ever involved.
//
// Example: n = 5, e = -1 (2.5) on a grid of scale 1: 5 / 2 = 2 rest 1, which
// is exactly half of 2, so the even neighbour 2 is the code.
//
// Networks almost always end in the second case with a small quotient: then the
// low f - e bits of n only decide ties, and one 64-bit division does. The
// 128-bit path covers what else networks produce; anything wider goes through
// GMP's rationals.
//
//===----------------------------------------------------------------------===//

#include "tally/eval/ExactRounding.h"

#include <cmath>

using namespace tally::eval;

Dyadic tally::eval::dyadic(double value) {
  if (value == 0)
    return {};
  int exponent;
  double fraction = std::frexp(value, &exponent); // in [0.5, 1)
  auto mantissa = static_cast<int64_t>(std::ldexp(fraction, 53));
  int zeros = __builtin_ctzll(static_cast<uint64_t>(mantissa));
  return {mantissa >> zeros, exponent - 53 + zeros};
}

mpq_class tally::eval::exact(double value) { return mpq_class(value); }

__int128 tally::eval::roundHalfEven(__int128 numerator, __int128 denominator) {
  __int128 quotient = numerator / denominator;
  __int128 rest = numerator % denominator;
  if (rest < 0) { // make it a floor division
    rest += denominator;
    --quotient;
  }
  __int128 twice = rest - (denominator - rest); // sign of rest - den/2
  if (twice > 0 || (twice == 0 && (quotient & 1)))
    ++quotient;
  return quotient;
}

mpz_class tally::eval::roundHalfEven(const mpq_class &value) {
  mpz_class quotient, rest;
  mpz_fdiv_qr(quotient.get_mpz_t(), rest.get_mpz_t(),
              value.get_num().get_mpz_t(), value.get_den().get_mpz_t());
  int order = cmp(mpz_class(2 * rest), value.get_den());
  if (order > 0 || (order == 0 && mpz_odd_p(quotient.get_mpz_t())))
    ++quotient;
  return quotient;
}

GridRounder::GridRounder(const Quantization &grid, int64_t channel,
                         int64_t divisor)
    : scale(dyadic(grid.scale(channel))), zeroPoint(grid.zeroPoint(channel)),
      qmin(grid.qmin), qmax(grid.qmax) {
  scale.mantissa *= divisor;
}

int64_t GridRounder::saturate(__int128 rounded) const {
  __int128 code = rounded + zeroPoint;
  if (code < qmin)
    return qmin;
  return code > qmax ? qmax : static_cast<int64_t>(code);
}

// n / (m * 2^shift): with n = high * 2^shift + low, the quotient of high by m
// is the whole part, and the remainder is above, at or below one half as 2 *
// rest + (2 * low / 2^shift) compares with m.
bool GridRounder::quickCode(__int128 n, int shift, int64_t &code) const {
  if (shift < 1 || shift > 126)
    return false;
  __int128 wide = n >> shift;
  if (wide > INT64_MAX / 4 || wide < INT64_MIN / 4)
    return false;
  auto high = static_cast<int64_t>(wide);
  int64_t quotient = high / scale.mantissa, rest = high % scale.mantissa;
  if (rest < 0) {
    rest += scale.mantissa;
    --quotient;
  }
  unsigned __int128 low = n - (wide << shift);
  int64_t beyond = 2 * rest - scale.mantissa; // less than or equal to m - 2
  unsigned __int128 half = (unsigned __int128)1 << (shift - 1);
  // The sign of beyond + 2 * low / 2^shift, where the fraction is in [0, 2).
  int order = beyond >= 0    ? (beyond > 0 || low != 0)
              : beyond == -1 ? (low > half) - (low < half)
                             : -1;
  quotient += order > 0 || (order == 0 && (quotient & 1));
  code = saturate(quotient);
  return true;
}

int64_t GridRounder::code(__int128 n, int e) const {
  if (n == 0)
    return saturate(0);
  if (int64_t quick; quickCode(n, scale.exponent - e, quick))
    return quick;
  unsigned __int128 magnitude = n < 0 ? -(unsigned __int128)n : n;
  auto high = static_cast<uint64_t>(magnitude >> 64);
  int bits = high ? 128 - __builtin_clzll(high)
                  : 64 - __builtin_clzll(static_cast<uint64_t>(magnitude));
  int shift = e - scale.exponent;
  if (shift >= 0 && bits + shift <= 120)
    return saturate(roundHalfEven(n << shift, scale.mantissa));
  int room = __builtin_clzll(static_cast<uint64_t>(scale.mantissa)) + 56;
  if (shift < 0 && -shift <= room && bits <= 120)
    return saturate(roundHalfEven(n, (__int128)scale.mantissa << -shift));
  return slowCode(n, e);
}

int64_t GridRounder::slowCode(__int128 n, int e) const {
  bool negative = n < 0;
  unsigned __int128 magnitude = negative ? -(unsigned __int128)n : n;
  mpz_class value(static_cast<unsigned long>(magnitude >> 64));
  value <<= 64;
  value += static_cast<unsigned long>(magnitude);
  mpq_class real(negative ? mpz_class(-value) : value);
  if (e >= 0)
    mpq_mul_2exp(real.get_mpq_t(), real.get_mpq_t(), e);
  else
    mpq_div_2exp(real.get_mpq_t(), real.get_mpq_t(), -e);
  return code(real);
}

int64_t GridRounder::code(const mpq_class &value) const {
  mpq_class quotient = value / mpz_class(static_cast<long>(scale.mantissa));
  if (scale.exponent >= 0)
    mpq_div_2exp(quotient.get_mpq_t(), quotient.get_mpq_t(), scale.exponent);
  else
    mpq_mul_2exp(quotient.get_mpq_t(), quotient.get_mpq_t(), -scale.exponent);
  mpz_class code = roundHalfEven(quotient) + static_cast<long>(zeroPoint);
  if (code < static_cast<long>(qmin))
    return qmin;
  return code > static_cast<long>(qmax) ? qmax : code.get_si();
}
