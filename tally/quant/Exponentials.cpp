//===- Exponentials.cpp - fixed-point exponentials of codes ---------------===//
//
// MPFR gives exp rounded down and rounded up; when both scaled values round to
// one integer, that is the entry, else the precision doubles (Ziv's strategy).
// exp of a rational other than 0 is irrational, so no tie can go on for ever.
// 2^30 * exp(0) is exact.
//
//===----------------------------------------------------------------------===//

#include "tally/quant/Exponentials.h"

#include <algorithm>
#include <limits>
#include <mpfr.h>

using namespace tally;

/// The nearest integer of 2^30 * exp(-scale * d), exp rounded as asked.
static int32_t entry(float scale, int64_t d, mpfr_prec_t precision,
                     mpfr_rnd_t rounding) {
  mpfr_t x, y;
  mpfr_init2(x, 128); // 24 bits times 63: exact
  mpfr_init2(y, precision);
  mpfr_set_flt(x, scale, MPFR_RNDN);
  mpfr_mul_si(x, x, static_cast<long>(-d), MPFR_RNDN);
  mpfr_exp(y, x, rounding);
  mpfr_mul_2si(y, y, 30, MPFR_RNDN);
  auto result = static_cast<int32_t>(mpfr_get_si(y, MPFR_RNDN));
  mpfr_clear(x);
  mpfr_clear(y);
  return result;
}

std::vector<int32_t> quant::exponentials30(float scale, int64_t count) {
  std::vector<int32_t> table;
  for (int64_t d = 0; d < count; ++d)
    for (mpfr_prec_t precision = 64;; precision *= 2) {
      int32_t low = entry(scale, d, precision, MPFR_RNDD);
      if (low != entry(scale, d, precision, MPFR_RNDU))
        continue;
      table.push_back(low);
      break;
    }
  return table;
}

/// The double nearest to fn(x).
static double nearest(int (*fn)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t), double x) {
  mpfr_t value;
  mpfr_init2(value, 53);
  mpfr_set_d(value, x, MPFR_RNDN);
  fn(value, value, MPFR_RNDN);
  double result = mpfr_get_d(value, MPFR_RNDN);
  mpfr_clear(value);
  return result;
}

std::vector<float> quant::onnxRuntimeExponentials(float scale, int64_t line) {
  float largest = std::numeric_limits<float>::max() / float(line);
  double logarithm = float(nearest(mpfr_log, largest));
  double shift = std::max(0.0, logarithm - 5) / double(scale);
  std::vector<float> table(256);
  for (size_t d = 0; d < table.size(); ++d)
    table[d] = float(nearest(mpfr_exp, (shift - double(d)) * scale));
  return table;
}
