//===- RequantizeStairs.cpp - a problem's staircase -----------------------===//

#include "tally/quant/RequantizeStairs.h"

#include <algorithm>

using namespace tally::quant;

ExactAffine<mpz_class> tally::quant::exactReal(const RequantizeProblem &p) {
  Dyadic slope = Dyadic::of(p.inputScale) * Dyadic::of(p.weightScale) *
                 Dyadic::of(p.factor);
  return makeAffine(slope, p.offset, p.outputScale, p.divisor);
}

int32_t tally::quant::clampLoOf(const RequantizeProblem &p) {
  return p.clampLo.value_or(int32_t(p.result.min()));
}
int32_t tally::quant::clampHiOf(const RequantizeProblem &p) {
  return p.clampHi.value_or(int32_t(p.result.max()));
}

RequantizeStairs::RequantizeStairs(const RequantizeProblem &problem)
    : affine(exactReal(problem)), isFlipped(affine.slope < 0),
      zeroPoint(problem.zeroPoint), clampLo(clampLoOf(problem)),
      clampHi(clampHiOf(problem)) {
  lo = isFlipped ? -problem.accumulatorHi : problem.accumulatorLo;
  hi = isFlipped ? -problem.accumulatorLo : problem.accumulatorHi;
  if (isFlipped)
    affine.slope = -affine.slope;
  int32_t xBits = std::max(bitWidth(lo), bitWidth(hi)) + 1;
  small = narrow(affine, xBits);
}

int64_t RequantizeStairs::roundAt(int64_t x) const {
  return small ? roundAffine(*small, x) : roundAffine(affine, x);
}

int32_t RequantizeStairs::codeAt(int64_t x) const {
  return int32_t(std::clamp<int64_t>(roundAt(x) + zeroPoint, clampLo, clampHi));
}

Staircase RequantizeStairs::build() const {
  int64_t first = clampLo - zeroPoint + 1, last = clampHi - zeroPoint;
  if (first <= last) {
    first = std::clamp(roundAt(lo), first, last);
    last = std::clamp(roundAt(hi) + 1, first, last);
  }
  return small ? buildStaircase(*small, lo, hi, first, last)
               : buildStaircase(affine, lo, hi, first, last);
}
