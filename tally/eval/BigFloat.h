//===- BigFloat.h - one number of MPFR --------------------------*- C++ -*-===//

#ifndef TALLY_EVAL_BIGFLOAT_H
#define TALLY_EVAL_BIGFLOAT_H

#include <gmpxx.h>
#include <mpfr.h>

namespace tally::eval {

/// Owns an MPFR number of a fixed precision; converts to mpfr_ptr, so MPFR's
/// functions take it as it is. Starts as NaN.
class BigFloat {
public:
  explicit BigFloat(mpfr_prec_t precision) { mpfr_init2(value, precision); }
  ~BigFloat() { mpfr_clear(value); }
  BigFloat(const BigFloat &) = delete;
  BigFloat &operator=(const BigFloat &) = delete;

  operator mpfr_ptr() { return value; }
  operator mpfr_srcptr() const { return value; }

  /// The exact value of a finite number.
  mpq_class rational() const {
    mpq_class result;
    mpfr_get_q(result.get_mpq_t(), value);
    return result;
  }

private:
  mpfr_t value;
};

} // namespace tally::eval

#endif // TALLY_EVAL_BIGFLOAT_H
