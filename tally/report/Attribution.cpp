//===- Attribution.cpp - why an element has another code ------------------===//
//
// The rules are tried one after the other; the first that gives the reference's
// code explains it. Our own rule comes first: if it gives the reference's code
// from the reference's operands, the difference began earlier. When the
// reference shows a float between the node and its Quantize, the float rule
// comes before those of integer kernels, which it then does not have. Rules
// that the reference is known not to follow are not tried.
//
// Example: the exact value is 12.49999991 steps, zero point 0. Ours is 12. The
// reference's fp32 product is 12.5, a tie, which goes to 12: no difference. At
// 13.49999991 ours is 13, the reference's 13.5 goes to 14: TIE-FP32.
//
//===----------------------------------------------------------------------===//

#include "tally/report/Attribution.h"

#include <algorithm>

using namespace tally::report;

static constexpr RuleRow kRows[] = {
#define TALLY_DIFFERENCE_RULE(NAME, CODE, MEANING) {Rule::NAME, CODE, MEANING},
#include "tally/report/DifferenceRules.def"
};

static_assert(std::size(kRows) == kRuleCount);

std::span<const RuleRow> tally::report::ruleRows() { return kRows; }

const RuleRow &tally::report::rowOf(Rule rule) {
  return kRows[static_cast<size_t>(rule)];
}

RuleSet tally::report::rules(std::initializer_list<Rule> list) {
  RuleSet set;
  for (Rule rule : list)
    set.set(static_cast<size_t>(rule));
  return set;
}

//===----------------------------------------------------------------------===//
// Roundings of a fine value to whole steps
//===----------------------------------------------------------------------===//

static constexpr int64_t kStep = int64_t(1) << kFineBits, kHalf = kStep / 2;

static int64_t floorStep(int64_t fine) { return fine >> kFineBits; }
static int64_t rest(int64_t fine) { return fine & (kStep - 1); }

static int64_t halfEven(int64_t fine) {
  int64_t low = floorStep(fine), above = rest(fine);
  return low + (above > kHalf || (above == kHalf && (low & 1)));
}

static int64_t halfUp(int64_t fine) {
  return floorStep(fine) + (rest(fine) >= kHalf);
}

static int64_t halfAway(int64_t fine) {
  return fine < 0 ? -halfUp(-fine) : halfUp(fine);
}

static int64_t towardsZero(int64_t fine) {
  return fine < 0 ? -floorStep(-fine) : floorStep(fine);
}

static int64_t saturated(int64_t code, const CodeGrid &grid) {
  return std::clamp(code, grid.qmin, grid.qmax);
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

static bool isInputDifferent(const CodeEvidence &e, const CodeGrid &) {
  return e.operandsDiffer && e.local == e.reference;
}

/// Reproduced by our own fp32 order; or the float that the reference quantized
/// is within the error bound of every order; or, if it is not shown, its code
/// is on the far side of a boundary that is within that bound.
static bool isFloatIsland(const CodeEvidence &e, const CodeGrid &grid) {
  if (e.shownCode && e.shownCode != e.reference)
    return false;
  if (e.inFloat == e.reference)
    return true;
  if (!e.exact || !e.floatBound)
    return false;
  if (e.shown)
    return std::abs(*e.shown - *e.exact) <= *e.floatBound;
  int64_t low = halfEven(*e.exact - *e.floatBound) + grid.zeroPoint;
  int64_t high = halfEven(*e.exact + *e.floatBound) + grid.zeroPoint;
  return saturated(low, grid) <= e.reference &&
         e.reference <= saturated(high, grid);
}

static bool isTieFp32(const CodeEvidence &e, const CodeGrid &) {
  return e.fp32Scale == e.reference;
}

static bool isIntegerKernel(const CodeEvidence &e, const CodeGrid &) {
  return e.integerKernel == e.reference;
}

static bool isDoubleRounding(const CodeEvidence &e, const CodeGrid &) {
  return e.doubleRounding == e.reference;
}

static bool isZeroPointFirst(const CodeEvidence &e, const CodeGrid &grid) {
  return e.exact && saturated(halfEven(*e.exact + grid.zeroPoint * kStep),
                              grid) == e.reference;
}

static bool isTieAway(const CodeEvidence &e, const CodeGrid &grid) {
  return e.exact &&
         saturated(halfAway(*e.exact) + grid.zeroPoint, grid) == e.reference;
}

static bool isTieUp(const CodeEvidence &e, const CodeGrid &grid) {
  return e.exact &&
         saturated(halfUp(*e.exact) + grid.zeroPoint, grid) == e.reference;
}

static bool isSaturatedFirst(const CodeEvidence &e, const CodeGrid &grid) {
  return e.exact &&
         saturated(saturated(halfEven(*e.exact), grid) + grid.zeroPoint,
                   grid) == e.reference;
}

static bool isNarrowRange(const CodeEvidence &e, const CodeGrid &grid) {
  return e.local == grid.qmin && e.reference == grid.qmin + 1 && e.exact &&
         halfEven(*e.exact) + grid.zeroPoint <= grid.qmin;
}

/// The fraction of a weighted sum of stored codes cut off, the sum being within
/// the error bound of every fp32 order.
static bool isTruncated(const CodeEvidence &e, const CodeGrid &grid) {
  if (!e.exact || !e.floatBound)
    return false;
  int64_t stored = *e.exact + (grid.zeroPoint + grid.storedHigher) * kStep;
  int64_t low = towardsZero(stored - *e.floatBound) - grid.storedHigher;
  int64_t high = towardsZero(stored + *e.floatBound) - grid.storedHigher;
  return saturated(low, grid) <= e.reference &&
         e.reference <= saturated(high, grid);
}

using Check = bool (*)(const CodeEvidence &, const CodeGrid &);
static constexpr Check kChecks[] = {
    isInputDifferent, isFloatIsland,    isTieFp32,  isIntegerKernel,
    isDoubleRounding, isZeroPointFirst, isTieAway,  isTieUp,
    isSaturatedFirst, isNarrowRange,    isTruncated};
static_assert(std::size(kChecks) == std::size(kRows));

std::optional<Rule> tally::report::attribute(const CodeEvidence &evidence,
                                             const CodeGrid &grid) {
  auto holds = [&](Rule rule) {
    auto number = static_cast<size_t>(rule);
    return evidence.possible[number] && kChecks[number](evidence, grid);
  };
  if (holds(Rule::InputDiffers))
    return Rule::InputDiffers;
  if (evidence.local == evidence.reference)
    return std::nullopt; // ours is not what our own rule gives
  if (evidence.shown && holds(Rule::FloatIsland))
    return Rule::FloatIsland;
  for (const RuleRow &row : kRows)
    if (row.rule != Rule::FloatIsland && holds(row.rule))
      return row.rule;
  if (holds(Rule::FloatIsland))
    return Rule::FloatIsland;
  return std::nullopt;
}
