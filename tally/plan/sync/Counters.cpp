//===- Counters.cpp - which signals count on one counter ------------------===//
//
// The rule of sharing is pairwise, so the fewest counters are the chromatic
// number of the graph of pairs that may not share, and a clique of it proves a
// lower bound.
//
//   a1->b1 and c1->d1, unordered: a1 and c1 exclude each other, 2 counters.
//   a1, b1, c1 -> d1 only: they may share one counter, with one wait for 3.
//
// One counter for each lane is always right: its signals are in order. Up to
// 64 units are coloured exactly. For more, signals are taken in issue order
// and put on the first counter whose members all agree; it is given up as soon
// as it would need no fewer counters than there are lanes, or after a fixed
// amount of work per unit, so that time stays linear.
//
//===----------------------------------------------------------------------===//

#include "tally/plan/sync/Coloring.h"

#include <algorithm>
#include <bit>
#include <optional>

using namespace tally::plan::sync;

static constexpr size_t kExact = 64;
static constexpr int64_t kSearchSteps = 200000;
static constexpr size_t kWindow = 40, kWindows = 64;

namespace {
/// The units on one counter, by lane, each in issue order.
struct CounterUse {
  std::vector<std::pair<uint32_t, std::vector<uint32_t>>> lanes;
};

/// First counter that fits, within a budget of comparisons.
class FirstFit {
public:
  FirstFit(const Order &order, const Units &units, size_t members,
           uint32_t tooMany)
      : order(order), units(units), budget(100 * int64_t(members) + 1000000),
        tooMany(tooMany) {}

  /// The counter of the next unit, or nothing: too many, or too much work.
  std::optional<uint32_t> place(uint32_t unit) {
    for (uint32_t counter = 0; counter < counters.size(); ++counter)
      if (fits(counters[counter], units.units[unit])) {
        add(counters[counter], unit);
        return counter;
      }
    if (counters.size() + 1 >= tooMany || budget < 0)
      return std::nullopt;
    counters.emplace_back();
    add(counters.back(), unit);
    return counters.size() - 1;
  }

private:
  /// Members that are ordered before the unit share with it whatever else;
  /// they are a first part of each lane.
  bool fits(const CounterUse &use, const Unit &unit) {
    for (const auto &[lane, members] : use.lanes)
      for (size_t i = members.size(); i-- > 0;) {
        const Unit &member = units.units[members[i]];
        if (--budget < 0)
          return false;
        if (order.completed(member.op, unit.op))
          break;
        if (!mayShareCounter(order, units, member, unit))
          return false;
      }
    return true;
  }

  void add(CounterUse &use, uint32_t unit) {
    uint32_t lane = order.laneOf(units.units[unit].op);
    for (auto &[known, members] : use.lanes)
      if (known == lane)
        return members.push_back(unit);
    use.lanes.push_back({lane, {unit}});
  }

  const Order &order;
  const Units &units;
  int64_t budget;
  uint32_t tooMany;
  std::vector<CounterUse> counters;
};
} // namespace

static Assignment onePerLane(const Order &order, const Units &units,
                             const std::vector<uint32_t> &members) {
  Assignment result;
  std::vector<uint32_t> counterOf(order.lanes(), UINT32_MAX);
  for (uint32_t unit : members) {
    uint32_t &counter = counterOf[order.laneOf(units.units[unit].op)];
    if (counter == UINT32_MAX)
      counter = result.registers++;
    result.assignment.push_back(counter);
  }
  return result;
}

static void improveByFirstFit(const Order &order, const Units &units,
                              const std::vector<uint32_t> &members,
                              Assignment &best) {
  FirstFit fit(order, units, members.size(), best.registers);
  Assignment found;
  for (uint32_t unit : members) {
    std::optional<uint32_t> counter = fit.place(unit);
    if (!counter)
      return;
    found.assignment.push_back(*counter);
    found.registers = std::max(found.registers, *counter + 1);
  }
  best = std::move(found);
}

/// Who may not share among up to 64 members.
static std::vector<uint64_t> conflicts(const Order &order, const Units &units,
                                       std::span<const uint32_t> members) {
  std::vector<uint64_t> adjacent(members.size(), 0);
  for (size_t j = 0; j < members.size(); ++j)
    for (size_t i = 0; i < j; ++i) {
      if (mayShareCounter(order, units, units.units[members[i]],
                          units.units[members[j]]))
        continue;
      adjacent[i] |= uint64_t(1) << j;
      adjacent[j] |= uint64_t(1) << i;
    }
  return adjacent;
}

static std::vector<uint32_t> cliqueIn(const std::vector<uint64_t> &adjacent,
                                      std::span<const uint32_t> members) {
  std::vector<uint32_t> clique;
  uint64_t best = largestClique(adjacent, kSearchSteps);
  for (; best; best &= best - 1)
    clique.push_back(members[std::countr_zero(best)]);
  return clique;
}

static void colorExactly(const Order &order, const Units &units,
                         const std::vector<uint32_t> &members,
                         Assignment &best) {
  std::vector<uint64_t> adjacent = conflicts(order, units, members);
  best.witness = cliqueIn(adjacent, members);
  SmallColoring found = colorSmallGraph(adjacent, kSearchSteps);
  if (found.count < best.registers) {
    best.assignment = std::move(found.colors);
    best.registers = found.count;
  }
  if (found.isMinimal)
    best.proof = Proof::Exhaustive;
}

/// The largest clique among neighbours in issue order: signals that are in
/// flight together are where registers are short.
static void findWitness(const Order &order, const Units &units,
                        const std::vector<uint32_t> &members,
                        Assignment &best) {
  size_t step =
      std::max(kWindow / 2, (members.size() - kWindow) / kWindows + 1);
  for (size_t at = 0; at + kWindow <= members.size(); at += step) {
    std::span<const uint32_t> window = std::span(members).subspan(at, kWindow);
    std::vector<uint32_t> clique =
        cliqueIn(conflicts(order, units, window), window);
    if (clique.size() > best.witness.size())
      best.witness = std::move(clique);
    if (best.witness.size() == best.registers)
      return;
  }
}

Assignment
tally::plan::sync::assignCounters(const Order &order, const Units &units,
                                  const std::vector<uint32_t> &members) {
  Assignment best = onePerLane(order, units, members);
  if (members.empty())
    return best;
  if (members.size() <= kExact) {
    colorExactly(order, units, members, best);
  } else {
    improveByFirstFit(order, units, members, best);
    findWitness(order, units, members, best);
  }
  if (best.witness.empty())
    best.witness = {members[0]};
  if (best.witness.size() == best.registers)
    best.proof = Proof::Witness;
  return best;
}
