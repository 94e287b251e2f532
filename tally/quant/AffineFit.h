//===- AffineFit.h - an fp32 line that meets a staircase -------*- C++ -*-===//
//
// Private to this library. Searches the two floats of
//
//   q = RHE(fl32(fl32(fl32(x) * scale) + addend))
//
// such that q equals the rounding that a Staircase describes, moved by an even
// number of steps.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_QUANT_AFFINEFIT_H
#define TALLY_QUANT_AFFINEFIT_H

#include "tally/quant/ExactAffine.h"

namespace tally::quant {

struct AffineFloat {
  float scale = 0, addend = 0;

  /// What is rounded for x. Two statements, so that no compiler fuses them.
  float value(int64_t x) const {
    float product = float(x) * scale;
    float sum = product + addend;
    return sum;
  }
};

/// A line near `affine` that is right on all of [lo, hi], |value| <= 2^30
/// there, or nothing. Its roundings are those of the staircase minus `origin`,
/// which must be even so that ties stay what they are. The slope must be >= 0,
/// |lo| and |hi| at most 2^31.
std::optional<AffineFloat> fitAffine(const ExactAffine<mpz_class> &affine,
                                     const Staircase &stairs, int32_t origin);

} // namespace tally::quant

#endif // TALLY_QUANT_AFFINEFIT_H
