//===- LinearNarrow.cpp - sums of 8-bit codes, all pairs compared ---------===//
//
// Idea: both slopes become multipliers over one power of two, as wide as int64
// lets them be. All 65536 pairs then confine the offset to an interval; when it
// is empty because ties go both ways, a tie window is fitted. The reasoning is
// that of FixedPointFit.cpp with pairs in the place of steps. What is left
// wrong is named, or everything is tabulated.
//
// Example: scales 1, 1 and output 2: y = (u + w) / 2 has a tie for every odd
// sum, so shift 51, multipliers 2^50, offset 2^50, tie window 0.
//
// Cost: additions only, along each row; some 2 ms for 65536 pairs.
//
//===----------------------------------------------------------------------===//

#include "tally/quant/LinearDerive.h"

#include <algorithm>

using namespace tally::quant;

namespace {

class NarrowDeriver {
public:
  NarrowDeriver(const LinearProblem &problem, LinearRecord &record)
      : problem(problem), record(record), exact(exactPair(problem)),
        multipliers(chooseMultipliers(problem, exact)),
        rangeA(operandRange(problem.a)), rangeB(operandRange(problem.b)),
        least(record.clampLo - record.zeroPoint),
        most(record.clampHi - record.zeroPoint) {}

  void derive() {
    collectPairs();
    bool hasFormula = multipliers.shift >= 0;
    if (hasFormula && (fitPlain() || fitWithTies() || listExceptions()))
      return;
    tabulate();
  }

private:
  /// The formula without offset, floor(y + 1/2) limited to one step outside of
  /// the range of results, and whether y + 1/2 is whole.
  struct Pair {
    int64_t product;
    int64_t floorUp;
    bool isTie;

    int64_t rounded() const { return floorUp - (isTie && floorUp % 2 != 0); }
  };

  void collectPairs() {
    pairs.reserve(size_t(rangeA.size() * rangeB.size()));
    for (int64_t u = rangeA.lo; u <= rangeA.hi; ++u) {
      FloorWalk walk(exact.fixA(u), rangeB.lo);
      for (int64_t w = rangeB.lo; w <= rangeB.hi; ++w, walk.advance()) {
        int64_t floorUp = walk.floorUp(least - 1, most + 1);
        bool isInside = least <= floorUp && floorUp <= most;
        pairs.push_back({u * multipliers.a + w * multipliers.b, floorUp,
                         isInside && walk.isWhole()});
      }
    }
  }

  bool fitPlain() {
    int64_t lowest = INT64_MIN / 2, highest = INT64_MAX / 2;
    int32_t shift = multipliers.shift;
    for (const Pair &pair : pairs) {
      int64_t k = std::clamp(pair.rounded(), least, most);
      if (k > least)
        lowest = std::max(lowest, (k << shift) - pair.product);
      if (k < most)
        highest = std::min(highest, ((k + 1) << shift) - pair.product - 1);
    }
    if (lowest > highest)
      return false;
    set(std::clamp(multipliers.half(), lowest, highest), -1,
        Certificate::Exact);
    return true;
  }

  bool fitWithTies() {
    int64_t lowest = INT64_MAX / 4, highest = INT64_MIN / 4;
    int32_t shift = multipliers.shift;
    for (const Pair &pair : pairs) {
      if (!pair.isTie)
        continue;
      int64_t need = (pair.floorUp << shift) - pair.product;
      lowest = std::min(lowest, need);
      highest = std::max(highest, need);
    }
    int64_t window = highest - lowest;
    if (window < 0 || window >= int64_t(1) << shift)
      return false;
    for (const Pair &pair : pairs) {
      if (pair.isTie)
        continue;
      int64_t v = pair.product + highest;
      int64_t k = std::clamp(pair.floorUp, least, most);
      if (k > least && v <= (k << shift) + window)
        return false;
      if (k < most && v >= ((k + 1) << shift))
        return false;
    }
    set(highest, window, Certificate::ExactWithTieFix);
    return true;
  }

  void set(int64_t offset, int64_t tieWindow, Certificate certificate) {
    setFormula(problem, record, multipliers, offset, tieWindow, certificate);
  }

  /// Calls visit(a, b, code) for every pair, ascending, while it returns true.
  template <class Visit> bool forEachCode(Visit visit) const {
    size_t index = 0;
    CodeType typeA = problem.a.type, typeB = problem.b.type;
    for (int64_t a = typeA.min(); a <= typeA.max(); ++a)
      for (int64_t b = typeB.min(); b <= typeB.max(); ++b)
        if (!visit(int32_t(a), int32_t(b),
                   codeOf(record, pairs[index++].rounded())))
          return false;
    return true;
  }

  bool listExceptions() {
    set(multipliers.half(), -1, Certificate::ExactWithExceptions);
    return forEachCode([&](int32_t a, int32_t b, int32_t code) {
      if (applyFormula(record, a, b) != code)
        record.exceptions.push_back({a, b, code});
      return record.exceptions.size() <= maxExceptions;
    });
  }

  void tabulate() {
    set(0, -1, Certificate::ExactTable);
    record.kind = LinearKind::Table;
    record.multiplierA = record.multiplierB = record.offset = 0;
    record.shift = 0;
    record.exceptions.clear();
    size_t columns = size_t(problem.b.type.count());
    record.table.resize(size_t(problem.a.type.count()) * columns);
    forEachCode([&](int32_t a, int32_t b, int32_t code) {
      size_t row = problem.a.type.rawBits(a);
      record.table[row * columns + problem.b.type.rawBits(b)] = code;
      return true;
    });
  }

  const LinearProblem &problem;
  LinearRecord &record;
  ExactPair exact;
  PairMultipliers multipliers;
  Interval rangeA, rangeB;
  int64_t least, most;     ///< results, without the zero point
  std::vector<Pair> pairs; ///< row-major over (u, w)
};

} // namespace

void tally::quant::deriveNarrow(const LinearProblem &problem,
                                LinearRecord &record) {
  NarrowDeriver(problem, record).derive();
}
