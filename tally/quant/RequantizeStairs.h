//===- RequantizeStairs.h - a problem's staircase --------------*- C++ -*-===//
//
// Private to this library. What deriving any form of a requantization starts
// from: y(acc) in whole numbers, with a slope that has been made >= 0, and
// where it crosses the rounding ties.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_QUANT_REQUANTIZESTAIRS_H
#define TALLY_QUANT_REQUANTIZESTAIRS_H

#include "tally/quant/ExactAffine.h"
#include "tally/quant/Requantize.h"

namespace tally::quant {

/// y of Requantize.h as a function of acc.
ExactAffine<mpz_class> exactReal(const RequantizeProblem &problem);
int32_t clampLoOf(const RequantizeProblem &problem);
int32_t clampHiOf(const RequantizeProblem &problem);

class RequantizeStairs {
public:
  explicit RequantizeStairs(const RequantizeProblem &problem);

  ExactAffine<mpz_class> affine; ///< of x
  bool isFlipped;                ///< x = -acc, else x = acc
  int64_t lo, hi;                ///< interval of x, inclusive

  /// IDEAL's code of x.
  int32_t codeAt(int64_t x) const;
  /// Only steps that the interval reaches, and one on each side. An interval
  /// that is saturated as a whole still has one: the step that it stays
  /// beyond. The slope must not be 0.
  Staircase build() const;

private:
  int64_t roundAt(int64_t x) const;

  int32_t zeroPoint, clampLo, clampHi;
  std::optional<ExactAffine<__int128>> small;
};

} // namespace tally::quant

#endif // TALLY_QUANT_REQUANTIZESTAIRS_H
