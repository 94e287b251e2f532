//===- Assign.cpp - registers for ranges of points ------------------------===//
//
// Linear scan with holes: values in the order in which they begin take the
// lowest register that is free at all their points, the fixed ones before all
// others. Where each value is one range (a program without branches, in which
// values are written once) this needs exactly as many registers as values live
// at one point: when a value begins, the registers it cannot have are those of
// the values live at its first point.
//
//   a ####        r0
//   b   ######    r1        at most 2 at once: 2 registers
//   c     ####    r0
//
// Holes and branches can lead the scan into a dead end although there is a way.
// Then choices are undone, the newest first, up to kMostChoices.
//
// Cost: values x registers x log ranges for the scan.
//
// Source: Poletto and Sarkar, Linear scan register allocation, 1999.
//
//===----------------------------------------------------------------------===//

#include "tally/plan/registers/Assign.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <tuple>

using namespace tally::plan::registers;

static constexpr size_t kMostChoices = 5000;

namespace {
/// The points at which a register is taken.
class Occupancy {
public:
  bool isFree(const Ranges &ranges) const;
  void take(const Ranges &ranges);
  void giveBack(const Ranges &ranges);

private:
  std::map<Point, Point> taken; ///< begin to end
};

class Scan {
public:
  Scan(const RegisterProblem &problem, const Liveness &liveness, Seed seed);
  Assignment run();
  GreedyAssignment runGreedily();

private:
  const Ranges &rangesOf(size_t at) const { return liveness.values[order[at]]; }
  void shuffleChoices(uint32_t seed);
  /// Position in `choices` of the first register that is free, from `from`.
  size_t nextFree(size_t at, size_t from) const;
  const std::vector<uint32_t> &choicesOf(size_t at) const;

  const RegisterProblem &problem;
  const Liveness &liveness;
  std::vector<uint32_t> usable;
  std::vector<std::vector<uint32_t>> ownChoice; ///< of each value, or empty
  std::vector<Occupancy> occupancy;             ///< of each register
  std::vector<ValueId> order;
};
} // namespace

bool Occupancy::isFree(const Ranges &ranges) const {
  return std::ranges::none_of(ranges, [&](const Range &range) {
    auto next = taken.lower_bound(range.begin);
    if (next != taken.end() && next->first < range.end)
      return true;
    return next != taken.begin() && std::prev(next)->second > range.begin;
  });
}

void Occupancy::take(const Ranges &ranges) {
  for (const Range &range : ranges)
    taken.emplace(range.begin, range.end);
}

void Occupancy::giveBack(const Ranges &ranges) {
  for (const Range &range : ranges)
    taken.erase(range.begin);
}

std::vector<uint32_t>
tally::plan::registers::usableRegisters(const RegisterFile &file) {
  std::vector<bool> reserved(file.count);
  for (uint32_t reg : file.reserved)
    reserved[reg] = true;
  std::vector<uint32_t> usable;
  for (uint32_t reg = 0; reg < file.count; ++reg)
    if (!reserved[reg])
      usable.push_back(reg);
  return usable;
}

Scan::Scan(const RegisterProblem &problem, const Liveness &liveness, Seed seed)
    : problem(problem), liveness(liveness),
      usable(usableRegisters(problem.file)), ownChoice(problem.values.size()),
      occupancy(problem.file.count) {
  for (size_t reg = 0; reg < occupancy.size(); ++reg)
    occupancy[reg].take(liveness.clobbers[reg]);
  for (ValueId value = 0; value < problem.values.size(); ++value) {
    if (problem.values[value].fixed != kNone)
      ownChoice[value] = {static_cast<uint32_t>(problem.values[value].fixed)};
    if (!liveness.values[value].empty())
      order.push_back(value);
  }
  std::ranges::sort(order, {}, [&](ValueId value) {
    return std::tuple(problem.values[value].fixed == kNone,
                      liveness.values[value].front().begin, value);
  });
  if (seed)
    shuffleChoices(*seed);
}

void Scan::shuffleChoices(uint32_t seed) {
  std::mt19937 random(seed);
  for (ValueId value : order) {
    if (problem.values[value].fixed != kNone)
      continue;
    std::vector<uint32_t> &choices = ownChoice[value] = usable;
    for (size_t left = choices.size(); left > 1; --left)
      std::swap(choices[left - 1], choices[random() % left]);
  }
}

const std::vector<uint32_t> &Scan::choicesOf(size_t at) const {
  const std::vector<uint32_t> &own = ownChoice[order[at]];
  return own.empty() ? usable : own;
}

size_t Scan::nextFree(size_t at, size_t from) const {
  const std::vector<uint32_t> &choices = choicesOf(at);
  while (from < choices.size() &&
         !occupancy[choices[from]].isFree(rangesOf(at)))
    ++from;
  return from;
}

Assignment Scan::run() {
  Assignment result;
  result.registers.assign(problem.values.size(), kNone);
  std::vector<size_t> chosen(order.size());
  size_t at = 0, from = 0, undone = 0;
  while (at < order.size()) {
    chosen[at] = nextFree(at, from);
    if (chosen[at] < choicesOf(at).size()) {
      occupancy[choicesOf(at)[chosen[at]]].take(rangesOf(at));
      ++at;
      from = 0;
      continue;
    }
    if (result.stuck == kNone) {
      result.stuck = order[at];
      for (size_t i = 0; i < at; ++i)
        result.registers[order[i]] = choicesOf(i)[chosen[i]];
    }
    if (at == 0 || ++undone > kMostChoices) {
      result.exhaustive = at == 0;
      return result;
    }
    --at;
    occupancy[choicesOf(at)[chosen[at]]].giveBack(rangesOf(at));
    from = chosen[at] + 1;
  }
  for (size_t i = 0; i < order.size(); ++i)
    result.registers[order[i]] = choicesOf(i)[chosen[i]];
  result.stuck = kNone;
  return result;
}

GreedyAssignment Scan::runGreedily() {
  GreedyAssignment result;
  result.registers.assign(problem.values.size(), kNone);
  for (size_t at = 0; at < order.size(); ++at) {
    const std::vector<uint32_t> &choices = choicesOf(at);
    size_t chosen = nextFree(at, 0);
    if (chosen == choices.size()) {
      result.unplaced.push_back(order[at]);
      continue;
    }
    occupancy[choices[chosen]].take(rangesOf(at));
    result.registers[order[at]] = choices[chosen];
  }
  return result;
}

Assignment
tally::plan::registers::assignRegisters(const RegisterProblem &problem,
                                        const Liveness &liveness, Seed seed) {
  return Scan(problem, liveness, seed).run();
}

GreedyAssignment
tally::plan::registers::assignGreedily(const RegisterProblem &problem,
                                       const Liveness &liveness, Seed seed) {
  return Scan(problem, liveness, seed).runGreedily();
}

std::vector<int64_t>
tally::plan::registers::assignSlots(const Liveness &liveness,
                                    const std::vector<ValueId> &values,
                                    int64_t slots) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](size_t i) {
    const Ranges &ranges = liveness.values[values[i]];
    return std::pair(ranges.empty() ? 0 : ranges.front().begin, i);
  });
  std::vector<Occupancy> occupancy(slots);
  std::vector<int64_t> result(values.size(), kNone);
  for (size_t i : order) {
    const Ranges &ranges = liveness.values[values[i]];
    auto found = std::ranges::find_if(
        occupancy, [&](const Occupancy &slot) { return slot.isFree(ranges); });
    if (found == occupancy.end())
      return {};
    found->take(ranges);
    result[i] = found - occupancy.begin();
  }
  return result;
}
