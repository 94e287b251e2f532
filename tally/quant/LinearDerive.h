//===- LinearDerive.h - parts of deriving a LinearRecord -------*- C++ -*-===//
//
// Private to this library. Operands are u = a - z_a and w = b - z_b.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_QUANT_LINEARDERIVE_H
#define TALLY_QUANT_LINEARDERIVE_H

#include "tally/quant/ExactAffine.h"
#include "tally/quant/LinearCombine.h"

namespace tally::quant {

/// y = (u * slopeA + w * slopeB) / denominator, in whole numbers.
struct ExactPair {
  mpz_class slopeA, slopeB, denominator;

  /// y as a function of w alone.
  ExactAffine<mpz_class> fixA(int64_t u) const {
    return {slopeB, slopeA * long(u), denominator};
  }
};
ExactPair exactPair(const LinearProblem &problem);

/// A closed interval.
struct Interval {
  int64_t lo, hi;
  int64_t size() const { return hi - lo + 1; }
  int64_t largest() const { return hi > -lo ? hi : -lo; }
};
Interval operandRange(const LinearTerm &term);

/// Both slopes over one power of two: the largest shift that keeps every
/// product, sum and step below 2^60. `shift` is -1 when there is none.
struct PairMultipliers {
  int64_t a = 0, b = 0;
  int32_t shift = -1;

  int64_t half() const { return shift == 0 ? 0 : int64_t(1) << (shift - 1); }
};
PairMultipliers chooseMultipliers(const LinearProblem &problem,
                                  const ExactPair &exact);

/// Writes v = u * m.a + w * m.b + offset in terms of raw codes.
void setFormula(const LinearProblem &problem, LinearRecord &record,
                const PairMultipliers &m, int64_t offset, int64_t tieWindow,
                Certificate certificate);

/// The fixed-point formula without exceptions.
int32_t applyFormula(const LinearRecord &record, int32_t a, int32_t b);

/// `rounded` with the zero point, clamped.
int32_t codeOf(const LinearRecord &record, int64_t rounded);

/// IDEAL for operands of up to 8 bits: all pairs compared. Cannot fail.
void deriveNarrow(const LinearProblem &problem, LinearRecord &record);

/// IDEAL when an operand has 16 bits.
Status deriveWide(const LinearProblem &problem, LinearRecord &record);

} // namespace tally::quant

#endif // TALLY_QUANT_LINEARDERIVE_H
