//===- FixedPointFit.h - a multiplier that meets a staircase ---*- C++ -*-===//
//
// Private to this library. Searches the integers of
//
//   v = x * multiplier + offset;  q = v >> shift;
//   if ((v & (2^shift - 1)) <= tieWindow) q -= q & 1
//
// such that q equals the rounding that a Staircase describes.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_QUANT_FIXEDPOINTFIT_H
#define TALLY_QUANT_FIXEDPOINTFIT_H

#include "tally/quant/ExactAffine.h"

namespace tally::quant {

struct FixedPoint {
  int64_t multiplier = 0;
  int64_t offset = 0;
  int32_t shift = 0;
  int64_t tieWindow = -1;

  /// q of the formula above.
  int64_t round(int64_t x) const {
    int64_t v = x * multiplier + offset;
    int64_t q = v >> shift;
    int64_t fraction = v & ((int64_t(1) << shift) - 1);
    return fraction <= tieWindow ? q - (q & 1) : q;
  }
};

/// Half-open interval of x where a formula and the staircase differ.
struct Range {
  int64_t begin, end;
};

/// A formula equal to the staircase on all of [lo, hi], or nothing after the
/// whole ladder: 31-bit multiplier, its neighbours up to +-3 with any offset,
/// a tie window, the same with the widest multiplier that `maxBits` and int64
/// allow.
std::optional<FixedPoint> fitExactly(const ExactAffine<mpz_class> &affine,
                                     const Staircase &stairs, int32_t maxBits);

/// The formula with the widest multiplier and the nominal offset, with a tie
/// window when that deviates on fewer x.
FixedPoint fitNearly(const ExactAffine<mpz_class> &affine,
                     const Staircase &stairs, int32_t maxBits);

/// Where `fit` and the staircase differ: disjoint, ascending.
std::vector<Range> differences(const FixedPoint &fit, const Staircase &stairs);

/// Number of x in the ranges.
int64_t countElements(const std::vector<Range> &ranges);

} // namespace tally::quant

#endif // TALLY_QUANT_FIXEDPOINTFIT_H
