//===- FixedPointFit.cpp - a multiplier that meets a staircase ------------===//
//
// Idea: with a multiplier M > 0 and a shift S chosen, both the formula and the
// rounding are monotone in x, so they agree everywhere if they agree on both
// sides of every step. With T_k the first x that rounds to k or more, that is
//
//   T_k M + R >= k 2^S   and   (T_k - 1) M + R < k 2^S     for every step k,
//
// which confines the free offset R to an interval: not empty means proven.
//
// Ties that round down (odd k) next to ties that round up (even k) leave no
// such R. Then ties get a window [0, w] at the bottom of each step, inside of
// which an odd q is made even:
//
//   tie at t:           0 <= t M + R - k 2^S <= w
//   last x below:       x M + R < k 2^S
//   first x above:      x M + R > k 2^S + w.
//
// The least R that lifts every tie, R = max(k 2^S - t M), is the best one: any
// larger R needs a window larger by as much, and only hurts the second line.
//
// Example: r = 1/4, M = 2^30, S = 32: ties are exact, so R = 2^31, w = 0.
//
// Cost: two products per step and candidate; at most 14 candidates.
//
//===----------------------------------------------------------------------===//

#include "tally/quant/FixedPointFit.h"

#include <algorithm>
#include <limits>

using namespace tally::quant;

namespace {

/// One multiplier to try.
struct Candidate {
  int64_t multiplier;
  int32_t shift;
};

/// Nominal multiplier of a width, with its exact slope.
struct Nominal {
  Candidate candidate;
  int64_t offset; ///< (addend / denominator + 1/2) * 2^shift, rounded
  int64_t widest; ///< largest multiplier of the width
};

constexpr int32_t preferredBits = 31;
constexpr int64_t offsetLimit = int64_t(1) << 62;

} // namespace

static int64_t roundQuotient(const mpz_class &numerator,
                             const mpz_class &denominator) {
  mpz_class quotient = roundHalfEven(numerator, denominator);
  if (bitWidth(quotient) > 62)
    return quotient > 0 ? offsetLimit : -offsetLimit;
  return quotient.get_si();
}

/// Above this slope two neighbouring x can never both lie strictly inside the
/// steps, so a steeper formula would not be a better one.
static mpz_class limitSlope(const ExactAffine<mpz_class> &affine,
                            const Staircase &stairs) {
  mpz_class limit =
      affine.denominator * long(2 * (stairs.crossings.size() + 1));
  return affine.slope < limit ? affine.slope : limit;
}

/// Largest shift that keeps x * M, k << S and R within int64.
static int32_t shiftLimit(const Staircase &stairs) {
  int64_t last = stairs.stepOf(stairs.crossings.size());
  int64_t step = std::max(std::abs(stairs.firstStep), std::abs(last)) + 1;
  return std::min(62, 61 - bitWidth(step));
}

static Nominal nominal(const ExactAffine<mpz_class> &affine,
                       const Staircase &stairs, int32_t bits) {
  int32_t xBits = bitWidth(std::max(std::abs(stairs.lo), std::abs(stairs.hi)));
  bits = std::min(bits, 61 - xBits);
  mpz_class slope = limitSlope(affine, stairs);
  int32_t slopeBits = bitWidth(slope) - bitWidth(affine.denominator) + 1;
  int32_t shift = std::clamp(bits - slopeBits, 0, shiftLimit(stairs));
  int64_t multiplier =
      roundQuotient(mpz_class(slope << shift), affine.denominator);
  if (bitWidth(multiplier) > bits && shift > 0) { // rounded up to 2^bits
    --shift;
    multiplier = roundQuotient(mpz_class(slope << shift), affine.denominator);
  }
  int64_t widest = (int64_t(1) << std::max(bits, 0)) - 1;
  multiplier = std::min(multiplier, widest);
  mpz_class twiceOffset = affine.addend * 2 + affine.denominator;
  int64_t offset = roundQuotient(mpz_class(twiceOffset << shift),
                                 mpz_class(affine.denominator * 2));
  return {{multiplier, shift}, offset, widest};
}

static std::optional<FixedPoint> fitPlain(Candidate c, const Staircase &stairs,
                                          int64_t nominalOffset) {
  int64_t least = -offsetLimit, most = offsetLimit;
  int64_t step = stairs.firstStep;
  for (const Crossing &crossing : stairs.crossings) {
    int64_t base = step << c.shift;
    int64_t threshold = crossing.threshold(step++);
    if (threshold <= stairs.hi)
      least = std::max(least, base - threshold * c.multiplier);
    if (threshold > stairs.lo)
      most = std::min(most, base - (threshold - 1) * c.multiplier - 1);
  }
  if (least > most)
    return std::nullopt;
  return FixedPoint{c.multiplier, std::clamp(nominalOffset, least, most),
                    c.shift, -1};
}

/// The offset that lifts every tie to its step, and the window it needs.
static FixedPoint liftTies(Candidate c, const Staircase &stairs) {
  int64_t least = offsetLimit, most = -offsetLimit;
  int64_t step = stairs.firstStep;
  for (const Crossing &crossing : stairs.crossings) {
    int64_t base = step++ << c.shift;
    if (!crossing.hasTie)
      continue;
    int64_t need = base - (crossing.firstAbove - 1) * c.multiplier;
    least = std::min(least, need);
    most = std::max(most, need);
  }
  return {c.multiplier, most, c.shift, most - least};
}

static std::optional<FixedPoint> fitWithTies(Candidate c,
                                             const Staircase &stairs) {
  FixedPoint fit = liftTies(c, stairs);
  if (fit.tieWindow >= int64_t(1) << fit.shift)
    return std::nullopt;
  int64_t step = stairs.firstStep;
  for (const Crossing &crossing : stairs.crossings) {
    int64_t base = (step++ << c.shift) - fit.offset;
    int64_t below = crossing.lastBelow(), above = crossing.firstAbove;
    if (below >= stairs.lo && below * c.multiplier >= base)
      return std::nullopt;
    if (above <= stairs.hi && above * c.multiplier <= base + fit.tieWindow)
      return std::nullopt;
  }
  return fit;
}

static std::optional<FixedPoint> fitNear(const Nominal &start,
                                         const Staircase &stairs) {
  for (int64_t delta : {0, 1, -1, 2, -2, 3, -3}) {
    Candidate c = start.candidate;
    c.multiplier += delta;
    if (c.multiplier < 0 || c.multiplier > start.widest)
      continue;
    if (auto fit = fitPlain(c, stairs, start.offset))
      return fit;
    if (!stairs.hasTies)
      continue;
    if (auto fit = fitWithTies(c, stairs))
      return fit;
  }
  return std::nullopt;
}

namespace tally::quant {

std::optional<FixedPoint> fitExactly(const ExactAffine<mpz_class> &affine,
                                     const Staircase &stairs, int32_t maxBits) {
  Nominal first = nominal(affine, stairs, std::min(preferredBits, maxBits));
  if (auto fit = fitNear(first, stairs))
    return fit;
  if (maxBits <= preferredBits)
    return std::nullopt;
  return fitNear(nominal(affine, stairs, maxBits), stairs);
}

/// First x of [lo, hi + 1] for which the formula reaches `step`.
static int64_t reaches(const FixedPoint &fit, const Staircase &stairs,
                       int64_t step) {
  __int128 bound = (__int128(step) << fit.shift) - fit.offset;
  if (step % 2 != 0)
    bound += fit.tieWindow + 1;
  if (fit.multiplier == 0)
    return bound <= 0 ? stairs.lo : stairs.hi + 1;
  __int128 first = -floorDiv(-bound, fit.multiplier);
  return int64_t(std::clamp<__int128>(first, stairs.lo, stairs.hi + 1));
}

std::vector<Range> differences(const FixedPoint &fit, const Staircase &stairs) {
  std::vector<Range> ranges;
  for (size_t i = 0; i < stairs.crossings.size(); ++i) {
    int64_t step = stairs.stepOf(i);
    int64_t wanted = stairs.crossings[i].threshold(step);
    int64_t got = reaches(fit, stairs, step);
    Range range{std::min(wanted, got), std::max(wanted, got)};
    if (range.begin == range.end)
      continue;
    // Steps ascend, so ranges do; overlapping ones are joined.
    if (!ranges.empty() && range.begin <= ranges.back().end) {
      ranges.back().begin = std::min(ranges.back().begin, range.begin);
      ranges.back().end = std::max(ranges.back().end, range.end);
    } else {
      ranges.push_back(range);
    }
  }
  return ranges;
}

int64_t countElements(const std::vector<Range> &ranges) {
  int64_t count = 0;
  for (Range range : ranges)
    count += range.end - range.begin;
  return count;
}

FixedPoint fitNearly(const ExactAffine<mpz_class> &affine,
                     const Staircase &stairs, int32_t maxBits) {
  Nominal start = nominal(affine, stairs, maxBits);
  FixedPoint plain{start.candidate.multiplier, start.offset,
                   start.candidate.shift, -1};
  if (!stairs.hasTies)
    return plain;
  FixedPoint lifted = liftTies(start.candidate, stairs);
  if (lifted.tieWindow >= int64_t(1) << lifted.shift)
    return plain;
  bool isBetter = countElements(differences(lifted, stairs)) <
                  countElements(differences(plain, stairs));
  return isBetter ? lifted : plain;
}

} // namespace tally::quant
