//===- Quotient.h - divisions by one number of many -------------*- C++ -*-===//
//
// A division of vectors takes as long as a dozen products. Where many numbers
// are divided by one, three operations give the same bits:
//
//   r = fl(1 / d);  q = fl(x r);  q' = fma(fma(-q, d, x), r, q) = fl(x / d)
//
// The inner fused multiply-add is what q lacks, exactly; Markstein
// ("Computation of elementary functions on the IBM RISC System/6000", 1990)
// proves that the outer one then rounds correctly, unless something overflows
// or what q lacks is below the smallest denormal. QuotientTest.cpp tries every
// fraction.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_CPU_QUOTIENT_H
#define TALLY_CPU_QUOTIENT_H

#include "tally/cpu/FloatMath.h"

namespace tally::cpu {

/// Whether the tier's fused multiply-add is an instruction.
inline bool hasFastQuotients(Tier tier) { return tier != Tier::Baseline; }

/// x / divisor for reciprocal = fl(1 / divisor), where x is 0 or neither x nor
/// the quotient is below 2^-100 in size, and nothing exceeds 2^100.
inline Value quotient(FloatMath &math, Value x, Value divisor,
                      Value reciprocal) {
  Value q = math.mul(x, reciprocal);
  Value rest = math.fma(math.neg(q), divisor, x);
  return math.fma(rest, reciprocal, q);
}

/// Whether a constant is far enough from both ends of the exponents to divide
/// by it so.
inline bool isModerate(float divisor) {
  return divisor >= 0x1p-60f && divisor <= 0x1p60f;
}

} // namespace tally::cpu

#endif // TALLY_CPU_QUOTIENT_H
