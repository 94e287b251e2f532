//===- UnaryRational.cpp - unary functions with rational values -----------===//
//
// Where a function maps rationals to rationals it is evaluated exactly. That
// includes the single rational points of transcendental functions: for those of
// this list every nonzero rational x other than 1 gives a transcendental value
// (Lindemann-Weierstrass, Siegel-Shidlovsky), so no other tie can exist. A
// parameter of 0 can make one rational: Swish with alpha = 0 is x / 2.
//
//===----------------------------------------------------------------------===//

#include "tally/quant/UnaryExact.h"

#include <algorithm>
#include <cmath>

using namespace tally::quant;

static mpq_class clampTo(const mpq_class &x, const mpq_class &lo,
                         const mpq_class &hi) {
  mpq_class raised = x < lo ? lo : x;
  return raised > hi ? hi : raised;
}

/// min(max(x, lo), hi). Bounds may be infinite: -inf below and +inf above are
/// no bounds, the other way round they are the value.
static ExactValue clip(const mpq_class &x, float lo, float hi) {
  if (std::isinf(hi) && hi < 0)
    return NoValue::Lowest;
  if (std::isinf(lo) && lo > 0)
    return std::isinf(hi) ? ExactValue(NoValue::Highest) : mpq_class(hi);
  mpq_class raised = std::isinf(lo) || x >= mpq_class(lo) ? x : mpq_class(lo);
  return std::isinf(hi) || raised <= mpq_class(hi) ? raised : mpq_class(hi);
}

static mpz_class floorOf(const mpq_class &x) {
  mpz_class result;
  mpz_fdiv_q(result.get_mpz_t(), x.get_num().get_mpz_t(),
             x.get_den().get_mpz_t());
  return result;
}

/// Functions that are rational everywhere and defined everywhere.
static std::optional<mpq_class> everywhereRational(const UnaryFunction &f,
                                                   const mpq_class &x) {
  auto p = [&] { return mpq_class(f.p); };
  switch (f.kind) {
  case UnaryKind::Identity:
    return x;
  case UnaryKind::Abs:
    return abs(x);
  case UnaryKind::Neg:
    return mpq_class(-x);
  case UnaryKind::Sign:
    return mpq_class(sgn(x));
  case UnaryKind::Relu:
    return x > 0 ? x : mpq_class(0);
  case UnaryKind::LeakyRelu:
  case UnaryKind::PRelu:
    return x < 0 ? mpq_class(x * p()) : x;
  case UnaryKind::ThresholdedRelu:
    return x > p() ? x : mpq_class(0);
  case UnaryKind::HardSigmoid:
    return clampTo(p() * x + mpq_class(f.q), 0, 1);
  case UnaryKind::HardSwish:
    return mpq_class(x * clampTo(x / 6 + mpq_class(1, 2), 0, 1));
  case UnaryKind::Softsign:
    return mpq_class(x / (abs(x) + 1));
  case UnaryKind::Floor:
    return mpq_class(floorOf(x));
  case UnaryKind::Ceil:
    return mpq_class(-floorOf(-x));
  case UnaryKind::Round:
    return mpq_class(roundHalfEven(x.get_num(), x.get_den()));
  case UnaryKind::Square:
    return mpq_class(x * x);
  default:
    return std::nullopt;
  }
}

static std::optional<ExactValue> powSpecial(float exponent,
                                            const mpq_class &x) {
  if (exponent == 0)
    return mpq_class(1);
  if (x == 0)
    return exponent < 0 ? ExactValue(NoValue::Highest)
                        : ExactValue(mpq_class(0));
  if (x < 0 && exponent != std::nearbyint(exponent))
    return NoValue::RealZero;
  return std::nullopt;
}

/// Values at x = 0 of the functions that are irrational elsewhere.
static std::optional<ExactValue> valueAtZero(UnaryKind kind) {
  switch (kind) {
  case UnaryKind::Exp:
  case UnaryKind::Cos:
    return mpq_class(1);
  case UnaryKind::Sigmoid:
    return mpq_class(1, 2);
  case UnaryKind::Log:
    return NoValue::Lowest;
  case UnaryKind::Rsqrt:
  case UnaryKind::Reciprocal:
    return NoValue::Highest;
  case UnaryKind::Softplus: // log 2
    return std::nullopt;
  default:
    return mpq_class(0);
  }
}

namespace tally::quant {

std::optional<ExactValue> rationalValue(const UnaryFunction &function,
                                        const mpq_class &x) {
  if (auto value = everywhereRational(function, x))
    return *value;
  UnaryKind kind = function.kind;
  if (kind == UnaryKind::Clip)
    return clip(x, function.p, function.q);
  if (kind == UnaryKind::Swish && function.p == 0) // x sigmoid(0)
    return mpq_class(x / 2);
  if (kind == UnaryKind::Pow)
    return powSpecial(function.p, x);
  if (x == 0)
    return valueAtZero(kind);
  switch (kind) {
  case UnaryKind::Reciprocal:
    return mpq_class(1 / x);
  case UnaryKind::Log:
    if (x < 0)
      return NoValue::Lowest;
    break;
  case UnaryKind::Sqrt:
  case UnaryKind::Rsqrt:
    if (x < 0)
      return NoValue::RealZero;
    break;
  case UnaryKind::Elu:
  case UnaryKind::Celu:
    if (x > 0)
      return x;
    break;
  case UnaryKind::Selu:
    if (x > 0)
      return mpq_class(mpq_class(function.q) * x);
    break;
  default:
    break;
  }
  return std::nullopt;
}

} // namespace tally::quant
