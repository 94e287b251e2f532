//===- RealFunction.cpp - the code of f(x) --------------------------------===//
//
// A transcendental value is computed by MPFR with a relative error bound; when
// both ends of the error interval round to the same code, that is the code,
// else the precision is doubled (Ziv's strategy). A value still undecided at
// kLastPrecision bits is an exact tie, such as sigmoid(0) = 1/2 on a grid of
// scale 1, and is rounded as such.
//
//===----------------------------------------------------------------------===//

#include "tally/eval/RealFunction.h"
#include "tally/eval/BigFloat.h"

using namespace tally::eval;

static constexpr mpfr_prec_t kFirstPrecision = 96;
static constexpr mpfr_prec_t kLastPrecision = 1536;

/// Every input of ours, code steps times an fp32 scale, fits exactly.
static constexpr mpfr_prec_t kInputPrecision = 128;

/// Values that need no rational: what saturates, or what is nothing on every
/// grid of an fp32 scale (a rational of them would only be slow).
static std::optional<int64_t> codeAtOnce(mpfr_srcptr value,
                                         const GridRounder &rounder,
                                         const Quantization &grid) {
  if (mpfr_nan_p(value))
    return rounder.code(0, 0);
  bool isRegular = mpfr_regular_p(value) != 0;
  if (mpfr_inf_p(value) || (isRegular && mpfr_get_exp(value) > 400))
    return mpfr_sgn(value) > 0 ? grid.qmax : grid.qmin;
  if (isRegular && mpfr_get_exp(value) < -2000)
    return rounder.code(0, 0);
  return std::nullopt;
}

static int64_t roundAt(const RealFunction &function, const BigFloat &x,
                       const GridRounder &rounder, const Quantization &grid,
                       mpfr_prec_t precision, bool &decided) {
  BigFloat result(precision);
  function.approximate(result, x);
  decided = true;
  if (auto code = codeAtOnce(result, rounder, grid))
    return *code;
  mpq_class middle = result.rational();
  mpq_class error = abs(middle);
  mpq_div_2exp(error.get_mpq_t(), error.get_mpq_t(), precision - 10);
  int64_t low = rounder.code(mpq_class(middle - error));
  decided = low == rounder.code(mpq_class(middle + error));
  if (decided || precision < kLastPrecision)
    return low;
  // A tie: drop the noise bits of the last approximation.
  decided = true;
  mpfr_prec_round(result, precision / 2, MPFR_RNDN);
  return rounder.code(result.rational());
}

int64_t tally::eval::roundFunction(const RealFunction &function,
                                   const mpq_class &x,
                                   const Quantization &grid) {
  GridRounder rounder(grid);
  if (function.rational)
    return rounder.code(function.rational(x));
  BigFloat input(kInputPrecision);
  mpfr_set_q(input, x.get_mpq_t(), MPFR_RNDN);
  bool decided = false;
  for (mpfr_prec_t precision = kFirstPrecision;; precision *= 2) {
    int64_t code = roundAt(function, input, rounder, grid, precision, decided);
    if (decided)
      return code;
  }
}
