//===- UnaryAsymptote.cpp - activations far from zero ---------------------===//
//
// Far from zero the activations are within e^-400 of a straight line. Should
// the line hit a tie there, only the side on which the curve lies decides, and
// no affordable number of bits would show it; so it is applied as a rule.
//
// Example: Gelu of 1001 at scale 2 is 500.5 less some 10^-217000: 500, as it
// happens like the even one; Gelu of 1003 is just below 501.5: 501, not 502.
//
//===----------------------------------------------------------------------===//

#include "tally/quant/UnaryExact.h"

using namespace tally::quant;

namespace {

/// A rational that f comes within e^-400 of, and the side of f: +1 above it.
struct Asymptote {
  mpq_class value;
  int side;
};

} // namespace

/// Factor * expm1(t) for t < -400: -factor, seen from above when factor > 0.
static Asymptote belowElu(const mpq_class &factor) {
  return {-factor, sgn(factor)};
}

/// Asymptotes of the functions that have one on either side, for x beyond
/// where they come within e^-400 of it.
static std::optional<Asymptote> twoSided(UnaryKind kind, const mpq_class &x) {
  int sign = sgn(x);
  mpq_class size = abs(x), ramp = sign > 0 ? x : mpq_class(0);
  switch (kind) {
  case UnaryKind::Sigmoid:
    if (size > 400)
      return Asymptote{sign > 0 ? 1 : 0, -sign};
    break;
  case UnaryKind::Tanh: // 1 - 2 e^-2x
    if (size > 201)
      return Asymptote{sign, -sign};
    break;
  case UnaryKind::Erf: // 1 - e^-(x^2)
    if (size > 21)
      return Asymptote{sign, -sign};
    break;
  case UnaryKind::GeluErf: // x - x e^-(x^2 / 2)
    if (size > 29)
      return Asymptote{ramp, -1};
    break;
  case UnaryKind::GeluTanh: // x - x e^-(1.6 x + 0.07 x^3)
    if (size > 18)
      return Asymptote{ramp, -1};
    break;
  case UnaryKind::Mish:
    if (size > 400)
      return Asymptote{ramp, -1};
    break;
  case UnaryKind::Softplus:
    if (size > 400)
      return Asymptote{ramp, 1};
    break;
  default:
    break;
  }
  return std::nullopt;
}

/// The asymptote near x, if x is that far out.
static std::optional<Asymptote> asymptoteAt(const UnaryFunction &f,
                                            const mpq_class &x) {
  mpq_class p(f.p), q(f.q);
  switch (f.kind) {
  case UnaryKind::Swish:
    if (abs(p * x) > 400)
      return p * x > 0 ? Asymptote{x, -sgn(x)} : Asymptote{0, sgn(x)};
    return std::nullopt;
  case UnaryKind::Elu:
    return x < -400 ? std::optional(belowElu(p)) : std::nullopt;
  case UnaryKind::Selu:
    return x < -400 ? std::optional(belowElu(p * q)) : std::nullopt;
  case UnaryKind::Celu:
    return x / p < -400 ? std::optional(belowElu(p)) : std::nullopt;
  default:
    return twoSided(f.kind, x);
  }
}

/// RHE of value / scale seen from one side: only a tie is affected. A value of
/// 0 stays 0, since e^-400 is far below half of any fp32 scale.
static int64_t roundFromSide(const Asymptote &line, const mpq_class &scale) {
  mpq_class doubled = line.value / scale * 2;
  bool isTie = doubled.get_den() == 1 && doubled.get_num() % 2 != 0;
  mpq_class steps = doubled / 2;
  if (isTie)
    steps += mpq_class(line.side, 4);
  mpz_class rounded = roundHalfEven(steps.get_num(), steps.get_den());
  if (abs(rounded) > roundLimit)
    return rounded > 0 ? roundLimit : -roundLimit;
  return rounded.get_si();
}

std::optional<int64_t>
tally::quant::roundByAsymptote(const UnaryFunction &function,
                               const mpq_class &x, const mpq_class &scale) {
  if (auto line = asymptoteAt(function, x))
    return roundFromSide(*line, scale);
  return std::nullopt;
}
