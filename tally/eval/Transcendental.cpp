//===- Transcendental.cpp - real functions with a bounded error -----------===//
//
// Each function is composed of MPFR's correctly rounded ones in a form without
// cancellation, at kGuard more bits than the result has. An argument y of an
// exponential carries its own relative error times |y| into the result, so
// exponentials are only computed for |y| < 2^16: that loses 16 bits, and
// beyond, a positive result is infinite and a negative one nothing but a sign.
//
// A function with an asymptote is split into that and the distance from it:
// sigmoid(x) = 1 - 1 / (1 + e^x) for x > 1.
//
//===----------------------------------------------------------------------===//

#include "tally/eval/RealFunction.h"

using namespace tally::eval;

static constexpr mpfr_prec_t kGuard = 40;
static constexpr long kExponentLimit = 1 << 16;

static mpfr_prec_t workPrecision(const SplitReal &result) {
  return mpfr_get_prec((mpfr_srcptr)result.tail) + kGuard;
}

/// One of MPFR's own functions. Their ternary value tells an exact result.
static RealFunction direct(int (*function)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t)) {
  return {nullptr, [function](SplitReal &result, mpfr_srcptr x) {
            result.exact = function(result.tail, x, MPFR_RNDN) == 0;
          }};
}

/// The exact value of an input.
static mpq_class rational(mpfr_srcptr x) {
  mpq_class value;
  mpfr_get_q(value.get_mpq_t(), x);
  return value;
}

/// result := the exact value, nothing left to approximate.
static void setExactly(SplitReal &result, const mpq_class &value) {
  result.head = value;
  mpfr_set_zero(result.tail, +1);
  result.exact = true;
}

/// result = e^y, for an argument that may carry an error (see above).
static void boundedExp(mpfr_ptr result, mpfr_srcptr y) {
  if (mpfr_cmp_si(y, kExponentLimit) > 0)
    mpfr_set_inf(result, +1);
  else if (mpfr_cmp_si(y, -kExponentLimit) < 0)
    mpfr_set_si_2exp(result, 1, -kExponentLimit, MPFR_RNDN);
  else
    mpfr_exp(result, y, MPFR_RNDN);
}

/// result = 1 / (1 + e^|y|), the smaller one of sigmoid(y) and sigmoid(-y).
static void smallSigmoid(mpfr_ptr result, mpfr_srcptr y) {
  BigFloat negative(mpfr_get_prec(y)), power(mpfr_get_prec(result));
  mpfr_abs(negative, y, MPFR_RNDN);
  mpfr_neg(negative, negative, MPFR_RNDN);
  boundedExp(power, negative); // e^-|y| / (1 + e^-|y|)
  mpfr_add_ui(result, power, 1, MPFR_RNDN);
  mpfr_div(result, power, result, MPFR_RNDN);
}

RealFunction tally::eval::erfFunction() {
  return {nullptr, [](SplitReal &result, mpfr_srcptr x) {
            if (mpfr_cmpabs_ui(x, 1) < 0) {
              result.exact = mpfr_erf(result.tail, x, MPFR_RNDN) == 0;
              return;
            }
            // sign(x) (1 - erfc |x|); erfc(200) < 2^-57000.
            int sign = mpfr_sgn(x);
            result.head = sign;
            BigFloat magnitude(mpfr_get_prec(x));
            mpfr_abs(magnitude, x, MPFR_RNDN);
            if (mpfr_cmp_ui(magnitude, 200) > 0)
              mpfr_set_ui(magnitude, 200, MPFR_RNDN);
            mpfr_erfc(result.tail, magnitude, MPFR_RNDN);
            mpfr_mul_si(result.tail, result.tail, -sign, MPFR_RNDN);
          }};
}

RealFunction tally::eval::expFunction() { return direct(mpfr_exp); }
RealFunction tally::eval::sinFunction() { return direct(mpfr_sin); }
RealFunction tally::eval::cosFunction() { return direct(mpfr_cos); }
RealFunction tally::eval::sqrtFunction() { return direct(mpfr_sqrt); }

RealFunction tally::eval::logFunction() {
  return {nullptr, [](SplitReal &result, mpfr_srcptr x) {
            if (mpfr_sgn(x) > 0)
              result.exact = mpfr_log(result.tail, x, MPFR_RNDN) == 0;
            else
              mpfr_set_inf(result.tail, -1);
          }};
}

RealFunction tally::eval::reciprocalFunction() {
  return {nullptr, [](SplitReal &result, mpfr_srcptr x) {
            if (mpfr_zero_p(x))
              mpfr_set_inf(result.tail, +1);
            else
              result.exact = mpfr_ui_div(result.tail, 1, x, MPFR_RNDN) == 0;
          }};
}

RealFunction tally::eval::powFunction(float exponent) {
  return {nullptr, [exponent](SplitReal &result, mpfr_srcptr x) {
            BigFloat y(24);
            mpfr_set_d(y, exponent, MPFR_RNDN);
            if (mpfr_zero_p(x) && exponent < 0)
              mpfr_set_inf(result.tail, +1);
            else
              result.exact = mpfr_pow(result.tail, x, y, MPFR_RNDN) == 0;
          }};
}

RealFunction tally::eval::sigmoidFunction() {
  return {nullptr, [](SplitReal &result, mpfr_srcptr x) {
            if (mpfr_zero_p(x))
              return setExactly(result, mpq_class(1, 2));
            BigFloat small(workPrecision(result));
            smallSigmoid(small, x);
            bool nearOne = mpfr_sgn(x) > 0;
            result.head = nearOne ? 1 : 0;
            mpfr_mul_si(result.tail, small, nearOne ? -1 : 1, MPFR_RNDN);
          }};
}

/// Beyond 1: sign(x) (1 - 2 / (1 + e^2|x|)).
RealFunction tally::eval::tanhFunction() {
  return {nullptr, [](SplitReal &result, mpfr_srcptr x) {
            if (mpfr_cmpabs_ui(x, 1) < 0) {
              result.exact = mpfr_tanh(result.tail, x, MPFR_RNDN) == 0;
              return;
            }
            BigFloat twice(mpfr_get_prec(x)), small(workPrecision(result));
            mpfr_mul_2ui(twice, x, 1, MPFR_RNDN);
            smallSigmoid(small, twice);
            int sign = mpfr_sgn(x);
            result.head = sign;
            mpfr_mul_si(result.tail, small, -2 * sign, MPFR_RNDN);
          }};
}

/// result = x sigmoid(y).
static void timesSigmoid(SplitReal &result, mpfr_srcptr x, mpfr_srcptr y) {
  if (mpfr_zero_p(y))
    return setExactly(result, rational(x) / 2);
  BigFloat small(workPrecision(result));
  smallSigmoid(small, y);
  mpfr_mul(result.tail, x, small, MPFR_RNDN);
  if (mpfr_sgn(y) > 0) { // x - x sigmoid(-y)
    result.head = rational(x);
    mpfr_neg(result.tail, result.tail, MPFR_RNDN);
  }
}

RealFunction tally::eval::swishFunction(float alpha) {
  return {nullptr, [alpha](SplitReal &result, mpfr_srcptr x) {
            BigFloat y(mpfr_get_prec(x) + 24); // exact
            mpfr_mul_d(y, x, alpha, MPFR_RNDN);
            timesSigmoid(result, x, y);
          }};
}

/// x/2 (1 + tanh u) = x sigmoid(2u) with u = sqrt(2/pi) (x + 0.044715 x^3).
RealFunction tally::eval::geluTanhFunction() {
  return {nullptr, [](SplitReal &result, mpfr_srcptr x) {
            BigFloat y(workPrecision(result)), root(workPrecision(result));
            mpfr_sqr(y, x, MPFR_RNDN);
            mpfr_mul_ui(y, y, 44715, MPFR_RNDN);
            mpfr_div_ui(y, y, 1000000, MPFR_RNDN);
            mpfr_add_ui(y, y, 1, MPFR_RNDN);
            mpfr_mul(y, y, x, MPFR_RNDN);
            mpfr_const_pi(root, MPFR_RNDN);
            mpfr_ui_div(root, 8, root, MPFR_RNDN); // 2 sqrt(2/pi) = sqrt(8/pi)
            mpfr_sqrt(root, root, MPFR_RNDN);
            mpfr_mul(y, y, root, MPFR_RNDN);
            timesSigmoid(result, x, y);
          }};
}

/// x/2 (1 + erf(x / sqrt 2)): x/2 erfc(-x / sqrt 2) below zero, and above it
/// x - x/2 erfc(x / sqrt 2). erfc(t) turns a relative error of t into 2 t^2
/// times that; erfc(200) < 2^-57000.
RealFunction tally::eval::geluErfFunction() {
  return {nullptr, [](SplitReal &result, mpfr_srcptr x) {
            BigFloat t(workPrecision(result)), small(workPrecision(result));
            mpfr_sqrt_ui(t, 2, MPFR_RNDN);
            mpfr_div(t, x, t, MPFR_RNDN);
            mpfr_abs(t, t, MPFR_RNDN);
            if (mpfr_cmp_ui(t, 200) > 0)
              mpfr_set_ui(t, 200, MPFR_RNDN);
            mpfr_erfc(small, t, MPFR_RNDN);
            mpfr_mul(small, small, x, MPFR_RNDN);
            mpfr_div_2ui(result.tail, small, 1, MPFR_RNDN);
            if (mpfr_sgn(x) <= 0)
              return;
            result.head = rational(x);
            mpfr_neg(result.tail, result.tail, MPFR_RNDN);
          }};
}

/// result = scale (e^(x / divisor) - 1): near the asymptote -scale split.
static void scaledExpm1(SplitReal &result, mpfr_srcptr x, float divisor,
                        const mpq_class &scale) {
  BigFloat y(workPrecision(result)), power(workPrecision(result));
  mpfr_div_d(y, x, divisor, MPFR_RNDN);
  if (mpfr_cmp_si(y, -1) < 0) {
    boundedExp(power, y);
    result.head = -scale;
  } else if (mpfr_cmp_si(y, kExponentLimit) > 0) {
    mpfr_set_inf(power, +1);
  } else {
    mpfr_expm1(power, y, MPFR_RNDN);
  }
  mpfr_mul_q(result.tail, power, scale.get_mpq_t(), MPFR_RNDN);
}

RealFunction tally::eval::eluFunction(float alpha) {
  return {nullptr, [alpha](SplitReal &result, mpfr_srcptr x) {
            if (mpfr_sgn(x) >= 0 || alpha == 0)
              return setExactly(result,
                                mpfr_sgn(x) > 0 ? rational(x) : mpq_class(0));
            scaledExpm1(result, x, 1, exact(alpha));
          }};
}

RealFunction tally::eval::seluFunction(float alpha, float gamma) {
  return {nullptr, [alpha, gamma](SplitReal &result, mpfr_srcptr x) {
            mpq_class scale = exact(alpha) * exact(gamma);
            if (mpfr_sgn(x) > 0)
              return setExactly(result, rational(x) * exact(gamma));
            if (mpfr_zero_p(x) || scale == 0)
              return setExactly(result, 0);
            scaledExpm1(result, x, 1, scale);
          }};
}

RealFunction tally::eval::celuFunction(float alpha) {
  return {nullptr, [alpha](SplitReal &result, mpfr_srcptr x) {
            if (mpfr_sgn(x) >= 0)
              return setExactly(result, rational(x));
            scaledExpm1(result, x, alpha, exact(alpha));
          }};
}

/// log(1 + e^x) = max(x, 0) + log1p(e^-|x|)
RealFunction tally::eval::softplusFunction() {
  return {nullptr, [](SplitReal &result, mpfr_srcptr x) {
            BigFloat negative(mpfr_get_prec(x)), power(workPrecision(result));
            mpfr_abs(negative, x, MPFR_RNDN);
            mpfr_neg(negative, negative, MPFR_RNDN);
            boundedExp(power, negative);
            mpfr_log1p(result.tail, power, MPFR_RNDN);
            if (mpfr_sgn(x) > 0)
              result.head = rational(x);
          }};
}

/// x tanh(log(1 + e^x)) = x n / (n + 2) with n = e^x (e^x + 2), and above zero
/// x - 2x / (n + 2) = x - 2x m^2 / (1 + 2m + 2m^2) with m = e^-x.
RealFunction tally::eval::mishFunction() {
  return {nullptr, [](SplitReal &result, mpfr_srcptr x) {
            if (mpfr_zero_p(x))
              return setExactly(result, 0);
            BigFloat negative(mpfr_get_prec(x)), power(workPrecision(result));
            BigFloat top(workPrecision(result)), bottom(workPrecision(result));
            mpfr_abs(negative, x, MPFR_RNDN);
            mpfr_neg(negative, negative, MPFR_RNDN);
            boundedExp(power, negative);
            mpfr_add_ui(top, power, 2, MPFR_RNDN); // e + 2
            mpfr_mul(top, top, power, MPFR_RNDN);  // n below zero
            if (mpfr_sgn(x) < 0) {
              mpfr_add_ui(bottom, top, 2, MPFR_RNDN);
            } else {
              result.head = rational(x);
              mpfr_sqr(bottom, power, MPFR_RNDN);
              mpfr_add(bottom, bottom, top, MPFR_RNDN); // 2m + 2m^2
              mpfr_add_ui(bottom, bottom, 1, MPFR_RNDN);
              mpfr_sqr(top, power, MPFR_RNDN);
              mpfr_mul_si(top, top, -2, MPFR_RNDN);
            }
            mpfr_div(top, top, bottom, MPFR_RNDN);
            mpfr_mul(result.tail, top, x, MPFR_RNDN);
          }};
}
