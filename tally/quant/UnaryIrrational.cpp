//===- UnaryIrrational.cpp - unary functions rounded with enough bits -----===//
//
// Idea (Ziv): evaluate f(x) / scale with p bits. Every formula below is written
// without cancellation, so its relative error stays far below 2^(-p/2). If
// rounding both ends of that interval gives one integer, it is the answer;
// otherwise p is doubled.
//
// It ends: the value of a transcendental function here is never a tie (see
// UnaryRational.cpp). A root or power can be one, but only when it is a dyadic
// rational, and then enough bits make MPFR's result exact, which it reports.
//
// Example: sqrt(x) for x = 6.25, scale 1: MPFR gives exactly 2.5, which goes to
// the even 2. For x = 2 the interval around 1.414 rounds to 1 at once.
//
//===----------------------------------------------------------------------===//

#include "tally/quant/UnaryExact.h"

#include <mpfr.h>

#include <cmath>
#include <cstdlib>

using namespace tally::quant;

namespace {

/// An MPFR number that frees itself.
class Real {
public:
  explicit Real(mpfr_prec_t precision) { mpfr_init2(value, precision); }
  ~Real() { mpfr_clear(value); }
  Real(const Real &) = delete;
  Real &operator=(const Real &) = delete;
  operator mpfr_ptr() { return value; }

private:
  mpfr_t value;
};

constexpr mpfr_rnd_t nearest = MPFR_RNDN;

/// Evaluates one function at one point and precision.
class Evaluator {
public:
  Evaluator(const UnaryFunction &function, const mpq_class &x,
            mpfr_prec_t precision)
      : function(function), x(precision), scratch(precision) {
    mpfr_set_q(this->x, x.get_mpq_t(), nearest);
    isNegative = x < 0;
  }

  /// Writes f(x); true if the result is exact.
  bool evaluate(Real &out) {
    switch (function.kind) {
    case UnaryKind::Sqrt:
      return mpfr_sqrt(out, x, nearest) == 0;
    case UnaryKind::Rsqrt:
      return mpfr_rec_sqrt(out, x, nearest) == 0;
    case UnaryKind::Pow:
      mpfr_set_flt(scratch, function.p, nearest);
      return mpfr_pow(out, x, scratch, nearest) == 0;
    default:
      evaluateTranscendental(out);
      return false;
    }
  }

private:
  void evaluateTranscendental(Real &out) {
    switch (function.kind) {
    case UnaryKind::Exp:
      mpfr_exp(out, x, nearest);
      return;
    case UnaryKind::Log:
      mpfr_log(out, x, nearest);
      return;
    case UnaryKind::Sin:
      mpfr_sin(out, x, nearest);
      return;
    case UnaryKind::Cos:
      mpfr_cos(out, x, nearest);
      return;
    case UnaryKind::Erf:
      mpfr_erf(out, x, nearest);
      return;
    case UnaryKind::Tanh:
      mpfr_tanh(out, x, nearest);
      return;
    default:
      evaluateActivation(out);
    }
  }

  void evaluateActivation(Real &out) {
    switch (function.kind) {
    case UnaryKind::Sigmoid:
      return sigmoidOf(x, out);
    case UnaryKind::Swish:
      return swish(out);
    case UnaryKind::GeluErf:
      return geluErf(out);
    case UnaryKind::GeluTanh:
      return geluTanh(out);
    case UnaryKind::Softplus:
      return softplus(out);
    case UnaryKind::Mish:
      softplus(out);
      mpfr_tanh(out, out, nearest);
      mpfr_mul(out, out, x, nearest);
      return;
    default:
      return negativeElu(out);
    }
  }

  /// 1 / (1 + e^-argument).
  void sigmoidOf(mpfr_ptr argument, Real &out) {
    mpfr_neg(out, argument, nearest);
    mpfr_exp(out, out, nearest);
    mpfr_add_ui(out, out, 1, nearest);
    mpfr_ui_div(out, 1, out, nearest);
  }

  void swish(Real &out) {
    mpfr_set_flt(scratch, function.p, nearest);
    mpfr_mul(scratch, scratch, x, nearest);
    sigmoidOf(scratch, out);
    mpfr_mul(out, out, x, nearest);
  }

  /// (x / 2) erfc(-x / sqrt 2): no 1 + erf, which would cancel.
  void geluErf(Real &out) {
    mpfr_sqrt_ui(scratch, 2, nearest);
    mpfr_div(out, x, scratch, nearest);
    mpfr_neg(out, out, nearest);
    mpfr_erfc(out, out, nearest);
    mpfr_mul(out, out, x, nearest);
    mpfr_div_ui(out, out, 2, nearest);
  }

  /// x sigmoid(2u), u = sqrt(2 / pi) (x + 0.044715 x^3), since
  /// (1 + tanh u) / 2 = sigmoid(2u).
  void geluTanh(Real &out) {
    mpfr_sqr(out, x, nearest);
    mpfr_mul_ui(out, out, 44715, nearest);
    mpfr_div_ui(out, out, 1000000, nearest);
    mpfr_add_ui(out, out, 1, nearest);
    mpfr_mul(scratch, out, x, nearest);
    mpfr_const_pi(out, nearest);
    mpfr_ui_div(out, 8, out, nearest); // 2 sqrt(2/pi) = sqrt(8/pi)
    mpfr_sqrt(out, out, nearest);
    mpfr_mul(scratch, scratch, out, nearest);
    sigmoidOf(scratch, out);
    mpfr_mul(out, out, x, nearest);
  }

  /// max(x, 0) + log1p(e^-|x|).
  void softplus(Real &out) {
    mpfr_abs(out, x, nearest);
    mpfr_neg(out, out, nearest);
    mpfr_exp(out, out, nearest);
    mpfr_log1p(out, out, nearest);
    if (!isNegative)
      mpfr_add(out, out, x, nearest);
  }

  /// Elu, Selu and Celu for x < 0: factor * expm1(x or x / alpha).
  void negativeElu(Real &out) {
    mpfr_set_flt(scratch, function.p, nearest);
    if (function.kind == UnaryKind::Celu) {
      mpfr_div(out, x, scratch, nearest);
      mpfr_expm1(out, out, nearest);
    } else {
      mpfr_expm1(out, x, nearest);
    }
    mpfr_mul(out, out, scratch, nearest);
    if (function.kind == UnaryKind::Selu) {
      mpfr_set_flt(scratch, function.q, nearest);
      mpfr_mul(out, out, scratch, nearest);
    }
  }

  const UnaryFunction &function;
  Real x, scratch;
  bool isNegative;
};

} // namespace

/// `value` rounded half to even, limited; infinities included.
static int64_t roundReal(Real &value) {
  if (mpfr_cmp_si(value, roundLimit) >= 0)
    return roundLimit;
  if (mpfr_cmp_si(value, -roundLimit) <= 0)
    return -roundLimit;
  return mpfr_get_si(value, MPFR_RNDN);
}

/// Whether an exact value can be a tie at all: it is not absurdly large or
/// small, which also bounds the size of its rational.
static bool isModerate(Real &value) {
  return mpfr_regular_p(value) && std::abs(mpfr_get_exp(value)) < 1024;
}

static int64_t roundExact(Real &value, const mpq_class &scale) {
  mpq_class quotient;
  mpfr_get_q(quotient.get_mpq_t(), value);
  quotient /= scale;
  mpz_class rounded = roundHalfEven(quotient.get_num(), quotient.get_den());
  if (rounded > roundLimit)
    return roundLimit;
  return rounded < -roundLimit ? -roundLimit : rounded.get_si();
}

/// MPFR's erf and erfc take 0.1 ms, so most entries are decided from the C
/// library's, of whose 53 bits only 36 are relied upon.
static std::optional<int64_t> roundQuickly(const UnaryFunction &f,
                                           const mpq_class &x,
                                           const mpq_class &scale) {
  double real = x.get_d(), value = 0;
  if (f.kind == UnaryKind::Erf)
    value = std::erf(real);
  else if (f.kind == UnaryKind::GeluErf)
    value = real / 2 * std::erfc(-real / std::sqrt(2.0));
  else
    return std::nullopt;
  double steps = value / scale.get_d(), slack = std::abs(steps) * 0x1p-36;
  if (!(std::abs(steps) < 0x1p30))
    return std::nullopt;
  double low = std::nearbyint(steps - slack);
  double high = std::nearbyint(steps + slack);
  if (low != high)
    return std::nullopt;
  return int64_t(low);
}

/// One attempt with `precision` bits.
static std::optional<int64_t> tryRound(const UnaryFunction &function,
                                       const mpq_class &x,
                                       const mpq_class &scale,
                                       mpfr_prec_t precision) {
  Real value(precision), low(precision), high(precision);
  bool isExact = Evaluator(function, x, precision).evaluate(value);
  if (isExact && isModerate(value))
    return roundExact(value, scale);
  mpfr_div_q(value, value, scale.get_mpq_t(), nearest);
  // value * (1 -+ 2^(-precision / 2)) encloses the true quotient.
  mpfr_mul_2si(high, value, -long(precision / 2), nearest);
  mpfr_sub(low, value, high, MPFR_RNDN);
  mpfr_add(high, value, high, MPFR_RNDN);
  if (mpfr_inf_p(value))
    return roundReal(value);
  int64_t first = roundReal(low), second = roundReal(high);
  if (first != second)
    return std::nullopt;
  return first;
}

namespace tally::quant {

std::optional<int64_t> roundIrrational(const UnaryFunction &function,
                                       const mpq_class &x,
                                       const mpq_class &scale) {
  if (auto rounded = roundByAsymptote(function, x, scale))
    return rounded;
  if (auto rounded = roundQuickly(function, x, scale))
    return rounded;
  for (mpfr_prec_t precision = 128; precision <= 65536; precision *= 2)
    if (auto rounded = tryRound(function, x, scale, precision))
      return rounded;
  return std::nullopt;
}

} // namespace tally::quant
