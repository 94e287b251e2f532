//===- Dyadic.cpp - exact products and sums of floats ---------------------===//

#include "tally/quant/Dyadic.h"

#include <cassert>
#include <cmath>

using namespace tally::quant;

Dyadic::Dyadic(mpz_class mantissa, int64_t exponent)
    : odd(std::move(mantissa)), power(exponent) {
  if (odd == 0) {
    power = 0;
    return;
  }
  mp_bitcnt_t zeros = mpz_scan1(odd.get_mpz_t(), 0);
  odd >>= zeros;
  power += int64_t(zeros);
}

Dyadic Dyadic::of(double value) {
  assert(std::isfinite(value) && "only finite numbers are dyadic");
  int exponent = 0;
  double fraction = std::frexp(value, &exponent);
  return Dyadic(mpz_class(std::ldexp(fraction, 53)), exponent - 53);
}

Dyadic Dyadic::ofInt(int64_t value) {
  return Dyadic(mpz_class(long(value)), 0);
}

double Dyadic::approximate() const {
  long exponent = 0;
  double fraction = mpz_get_d_2exp(&exponent, odd.get_mpz_t());
  return std::ldexp(fraction, int(exponent + power));
}

namespace tally::quant {

Dyadic operator*(const Dyadic &a, const Dyadic &b) {
  return Dyadic(a.odd * b.odd, a.power + b.power);
}

Dyadic operator+(const Dyadic &a, const Dyadic &b) {
  int64_t power = std::min(a.power, b.power);
  mpz_class sum = (a.odd << (a.power - power)) + (b.odd << (b.power - power));
  return Dyadic(std::move(sum), power);
}

Dyadic operator-(const Dyadic &a) { return Dyadic(-a.odd, a.power); }

SmallDyadic decompose(float value) {
  if (value == 0)
    return {0, 0};
  int exponent = 0;
  int64_t mantissa = int64_t(std::ldexp(std::frexp(value, &exponent), 24));
  int zeros = __builtin_ctzll(uint64_t(mantissa));
  return {mantissa / (int64_t(1) << zeros), exponent - 24 + zeros};
}

__int128 floorDiv(__int128 value, __int128 divisor) {
  __int128 quotient = value / divisor;
  return quotient - (value % divisor < 0);
}

mpz_class roundHalfEven(const mpz_class &numerator,
                        const mpz_class &denominator) {
  mpz_class twice = 2 * denominator;
  mpz_class shifted = 2 * numerator + denominator;
  mpz_class quotient, remainder;
  mpz_fdiv_qr(quotient.get_mpz_t(), remainder.get_mpz_t(), shifted.get_mpz_t(),
              twice.get_mpz_t());
  bool isTie = remainder == 0;
  if (isTie && mpz_odd_p(quotient.get_mpz_t()))
    quotient -= 1;
  return quotient;
}

} // namespace tally::quant
