//===- Transcendental.cpp - real functions with a bounded error -----------===//
//
// Each function is composed of MPFR's correctly rounded ones in a form without
// cancellation, at `kGuard` more bits than the result has, plus the bits that
// the composition loses: e^y turns an error of y into |y| times that relative
// error, so as many bits as y has before its binary point.
//
// Example: sigmoid(x) = 1 / (1 + e^-x) has one argument without error, so
// every step adds one rounding at precision + 32: far below 2^(10 - precision).
//
//===----------------------------------------------------------------------===//

#include "tally/eval/BigFloat.h"
#include "tally/eval/RealFunction.h"

using namespace tally::eval;

static constexpr mpfr_prec_t kGuard = 32;

/// MPFR's own function.
static RealFunction direct(int (*function)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t)) {
  return {nullptr, [function](mpfr_ptr result, mpfr_srcptr x) {
            function(result, x, MPFR_RNDN);
          }};
}

static mpfr_prec_t workPrecision(mpfr_srcptr result) {
  return mpfr_get_prec(result) + kGuard;
}

/// x * factor without rounding: a float has 24 bits.
static void multiplyExactly(mpfr_ptr result, mpfr_srcptr x, float factor) {
  mpfr_set_prec(result, mpfr_get_prec(x) + 24);
  mpfr_mul_d(result, x, factor, MPFR_RNDN);
}

/// result = 1 / (1 + e^-x)
static void sigmoid(mpfr_ptr result, mpfr_srcptr x) {
  BigFloat negated(mpfr_get_prec(x)), power(workPrecision(result));
  mpfr_neg(negated, x, MPFR_RNDN);
  mpfr_exp(power, negated, MPFR_RNDN);
  mpfr_add_ui(power, power, 1, MPFR_RNDN);
  mpfr_ui_div(result, 1, power, MPFR_RNDN);
}

RealFunction tally::eval::sigmoidFunction() { return {nullptr, sigmoid}; }
RealFunction tally::eval::tanhFunction() { return direct(mpfr_tanh); }
RealFunction tally::eval::erfFunction() { return direct(mpfr_erf); }
RealFunction tally::eval::expFunction() { return direct(mpfr_exp); }
RealFunction tally::eval::sinFunction() { return direct(mpfr_sin); }
RealFunction tally::eval::cosFunction() { return direct(mpfr_cos); }
RealFunction tally::eval::sqrtFunction() { return direct(mpfr_sqrt); }

RealFunction tally::eval::logFunction() {
  return {nullptr, [](mpfr_ptr result, mpfr_srcptr x) {
            if (mpfr_sgn(x) > 0)
              mpfr_log(result, x, MPFR_RNDN);
            else
              mpfr_set_inf(result, -1);
          }};
}

RealFunction tally::eval::reciprocalFunction() {
  return {nullptr, [](mpfr_ptr result, mpfr_srcptr x) {
            if (mpfr_zero_p(x))
              mpfr_set_inf(result, +1);
            else
              mpfr_ui_div(result, 1, x, MPFR_RNDN);
          }};
}

RealFunction tally::eval::powFunction(float exponent) {
  return {nullptr, [exponent](mpfr_ptr result, mpfr_srcptr x) {
            BigFloat y(24);
            mpfr_set_d(y, exponent, MPFR_RNDN);
            if (mpfr_zero_p(x) && exponent < 0)
              mpfr_set_inf(result, +1);
            else
              mpfr_pow(result, x, y, MPFR_RNDN);
          }};
}

/// x sigmoid(alpha x)
RealFunction tally::eval::swishFunction(float alpha) {
  return {nullptr, [alpha](mpfr_ptr result, mpfr_srcptr x) {
            BigFloat scaled(2), factor(workPrecision(result));
            multiplyExactly(scaled, x, alpha);
            sigmoid(factor, scaled);
            mpfr_mul(result, x, factor, MPFR_RNDN);
          }};
}

/// x/2 (1 + erf(x / sqrt 2)) = x/2 erfc(-x / sqrt 2), which keeps its relative
/// precision where erf is near -1. erfc(t) loses 2 t^2.
RealFunction tally::eval::geluErfFunction() {
  return {nullptr, [](mpfr_ptr result, mpfr_srcptr x) {
            if (mpfr_cmp_si(x, -64) < 0) { // below 2^-2900
              mpfr_set_zero(result, -1);
              return;
            }
            mpfr_prec_t work = workPrecision(result) + 2 * integerBits(x);
            BigFloat argument(work), factor(work);
            mpfr_sqrt_ui(argument, 2, MPFR_RNDN);
            mpfr_div(argument, x, argument, MPFR_RNDN);
            mpfr_neg(argument, argument, MPFR_RNDN);
            mpfr_erfc(factor, argument, MPFR_RNDN);
            mpfr_mul(factor, factor, x, MPFR_RNDN);
            mpfr_div_2ui(result, factor, 1, MPFR_RNDN);
          }};
}

/// x/2 (1 + tanh u) = x sigmoid(2u) with u = sqrt(2/pi) (x + 0.044715 x^3).
RealFunction tally::eval::geluTanhFunction() {
  return {nullptr, [](mpfr_ptr result, mpfr_srcptr x) {
            mpfr_prec_t work = workPrecision(result) + 3 * integerBits(x);
            BigFloat twiceU(work), root(work), factor(workPrecision(result));
            mpfr_sqr(twiceU, x, MPFR_RNDN);
            mpfr_mul_ui(twiceU, twiceU, 44715, MPFR_RNDN);
            mpfr_div_ui(twiceU, twiceU, 1000000, MPFR_RNDN);
            mpfr_add_ui(twiceU, twiceU, 1, MPFR_RNDN);
            mpfr_mul(twiceU, twiceU, x, MPFR_RNDN);
            mpfr_const_pi(root, MPFR_RNDN);
            mpfr_ui_div(root, 8, root, MPFR_RNDN); // 2 sqrt(2/pi) = sqrt(8/pi)
            mpfr_sqrt(root, root, MPFR_RNDN);
            mpfr_mul(twiceU, twiceU, root, MPFR_RNDN);
            sigmoid(factor, twiceU);
            mpfr_mul(result, x, factor, MPFR_RNDN);
          }};
}

/// result = factor (e^(x / divisor) - 1)
static void scaledExpm1(mpfr_ptr result, mpfr_srcptr x, float divisor,
                        float factor) {
  mpfr_prec_t work = workPrecision(result);
  BigFloat bits(2);
  mpfr_div_d(bits, x, divisor, MPFR_RNDA);
  BigFloat argument(work + integerBits(bits)), power(work);
  mpfr_div_d(argument, x, divisor, MPFR_RNDN);
  mpfr_expm1(power, argument, MPFR_RNDN);
  mpfr_mul_d(result, power, factor, MPFR_RNDN);
}

RealFunction tally::eval::eluFunction(float alpha) {
  return {nullptr, [alpha](mpfr_ptr result, mpfr_srcptr x) {
            if (mpfr_sgn(x) >= 0)
              mpfr_set(result, x, MPFR_RNDN);
            else
              scaledExpm1(result, x, 1, alpha);
          }};
}

RealFunction tally::eval::seluFunction(float alpha, float gamma) {
  return {nullptr, [alpha, gamma](mpfr_ptr result, mpfr_srcptr x) {
            BigFloat inner(workPrecision(result));
            if (mpfr_sgn(x) > 0)
              mpfr_set(inner, x, MPFR_RNDN);
            else
              scaledExpm1(inner, x, 1, alpha);
            mpfr_mul_d(result, inner, gamma, MPFR_RNDN);
          }};
}

RealFunction tally::eval::celuFunction(float alpha) {
  return {nullptr, [alpha](mpfr_ptr result, mpfr_srcptr x) {
            if (mpfr_sgn(x) >= 0)
              mpfr_set(result, x, MPFR_RNDN);
            else
              scaledExpm1(result, x, alpha, alpha);
          }};
}

/// log(1 + e^x) = max(x, 0) + log1p(e^-|x|)
RealFunction tally::eval::softplusFunction() {
  return {nullptr, [](mpfr_ptr result, mpfr_srcptr x) {
            BigFloat negated(mpfr_get_prec(x)), rest(workPrecision(result));
            mpfr_abs(negated, x, MPFR_RNDN);
            mpfr_neg(negated, negated, MPFR_RNDN);
            mpfr_exp(rest, negated, MPFR_RNDN);
            mpfr_log1p(rest, rest, MPFR_RNDN);
            if (mpfr_sgn(x) > 0)
              mpfr_add(rest, rest, x, MPFR_RNDN);
            mpfr_set(result, rest, MPFR_RNDN);
          }};
}

/// x tanh(log(1 + e^x)) = x / (1 + 2 / n) with n = e^x (e^x + 2).
RealFunction tally::eval::mishFunction() {
  return {nullptr, [](mpfr_ptr result, mpfr_srcptr x) {
            mpfr_prec_t work = workPrecision(result);
            BigFloat power(work), n(work);
            mpfr_exp(power, x, MPFR_RNDN);
            mpfr_add_ui(n, power, 2, MPFR_RNDN);
            mpfr_mul(n, n, power, MPFR_RNDN);
            mpfr_ui_div(n, 2, n, MPFR_RNDN);
            mpfr_add_ui(n, n, 1, MPFR_RNDN);
            mpfr_div(result, x, n, MPFR_RNDN);
          }};
}
