//===- ExactRounding.h - one rounding of an exact real ----------*- C++ -*-===//
//
// The evaluator's own rational arithmetic. Scales are fp32 values and so
// dyadic; every exact result of a linear operator is n * 2^e, or a sum of such
// terms, over a small divisor. A requantization is one round-half-to-even of
// (that real / output scale), then the zero point, then saturation
// (numerics decision 1).
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_EVAL_EXACTROUNDING_H
#define TALLY_EVAL_EXACTROUNDING_H

#include "tally/eval/Tensor.h"

#include <gmpxx.h>

namespace tally::eval {

/// The exact value mantissa * 2^exponent. Mantissa is odd or zero, |mantissa|
/// < 2^24 for an fp32 value.
struct Dyadic {
  int64_t mantissa = 0;
  int exponent = 0;
};

/// The exact value of a finite fp32 or fp64 number.
Dyadic dyadic(double value);

/// An exact rational number; the slow but unlimited path.
mpq_class exact(double value);

/// Rounds real values onto one grid: q = sat(RHE(x / scale) + zeroPoint).
class GridRounder {
public:
  /// A positive `divisor` (below 2^31) divides every value first: the code of
  /// a mean from its sum.
  GridRounder(const Quantization &grid, int64_t channel = 0,
              int64_t divisor = 1);

  /// The code of n * 2^e. Exact for every n and e.
  int64_t code(__int128 n, int e) const;
  /// The code of an arbitrary rational.
  int64_t code(const mpq_class &value) const;

private:
  int64_t saturate(__int128 rounded) const;
  bool quickCode(__int128 n, int shift, int64_t &code) const;
  int64_t slowCode(__int128 n, int e) const;

  Dyadic scale; ///< times the divisor
  int64_t zeroPoint, qmin, qmax;
};

/// floor(x + 1/2) with ties to even, for x = numerator / denominator,
/// denominator > 0.
__int128 roundHalfEven(__int128 numerator, __int128 denominator);
mpz_class roundHalfEven(const mpq_class &value);

} // namespace tally::eval

#endif // TALLY_EVAL_EXACTROUNDING_H
