//===- RealFunction.cpp - the code of f(x) --------------------------------===//
//
// A transcendental value is computed by MPFR with a relative error bound; when
// both ends of the error interval round to the same code, that is the code,
// else the precision is doubled (Ziv's strategy). That ends: a value that
// stays undecided would be a tie (k + 1/2) * scale, a dyadic rational, and at
// those a function says that it is exact.
//
// Example: gelu(47) on a grid of scale 2 is 23.5 less 2^-1600. The function
// gives it as head 47 and a small negative tail, and so it rounds to 23.
//
//===----------------------------------------------------------------------===//

#include "tally/eval/RealFunction.h"

using namespace tally::eval;

static constexpr mpfr_prec_t kFirstPrecision = 96;

/// Every input of ours, code steps times an fp32 scale, fits exactly.
static constexpr mpfr_prec_t kInputPrecision = 128;

/// Heads and ties are multiples of 2^-600 at most, so any smaller tail is as
/// good as another of its sign.
static constexpr mpfr_exp_t kTinyExponent = -2000;

/// Beyond every grid of an fp32 scale.
static constexpr mpfr_exp_t kHugeExponent = 400;

static mpq_class tinyOrExact(const BigFloat &tail) {
  mpfr_srcptr value = tail;
  if (!mpfr_regular_p(value) || mpfr_get_exp(value) >= kTinyExponent)
    return tail.rational();
  mpq_class tiny(mpfr_sgn(value));
  mpq_div_2exp(tiny.get_mpq_t(), tiny.get_mpq_t(), -kTinyExponent);
  return tiny;
}

/// The code, when the precision sufficed.
static std::optional<int64_t> decide(const SplitReal &value,
                                     const GridRounder &rounder,
                                     const Quantization &grid) {
  mpfr_srcptr tail = value.tail;
  if (mpfr_nan_p(tail))
    return rounder.code(0, 0);
  if (mpfr_inf_p(tail) ||
      (mpfr_regular_p(tail) && mpfr_get_exp(tail) > kHugeExponent))
    return mpfr_sgn(tail) > 0 ? grid.qmax : grid.qmin;
  mpq_class middle = tinyOrExact(value.tail);
  mpq_class error = abs(middle);
  mpq_div_2exp(error.get_mpq_t(), error.get_mpq_t(), mpfr_get_prec(tail) - 10);
  middle += value.head;
  if (value.exact)
    return rounder.code(middle);
  int64_t low = rounder.code(mpq_class(middle - error));
  int64_t high = rounder.code(mpq_class(middle + error));
  return low == high ? std::optional(low) : std::nullopt;
}

int64_t tally::eval::roundFunction(const RealFunction &function,
                                   const mpq_class &x,
                                   const Quantization &grid) {
  GridRounder rounder(grid);
  if (function.rational)
    return rounder.code(function.rational(x));
  BigFloat input(kInputPrecision);
  mpfr_set_q(input, x.get_mpq_t(), MPFR_RNDN);
  for (mpfr_prec_t precision = kFirstPrecision;; precision *= 2) {
    assert(precision < 1 << 20 && "an exact value is not said to be exact");
    SplitReal value(precision);
    function.approximate(value, input);
    if (auto code = decide(value, rounder, grid))
      return *code;
  }
}
