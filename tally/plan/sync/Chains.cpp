//===- Chains.cpp - which signals use one token or flag in turn -----------===//
//
// "May follow" is a strict partial order, so by Dilworth's theorem the fewest
// registers are the largest number of units none of which may follow another.
// Up to some hundreds of units that is computed: a smallest set of chains is
// the units less a largest matching of units with successors, and Koenig's
// construction reads the antichain off the matching.
//
//   a1->b1, a2->b2, a3->b3 with flags: nothing tells a2 that b1 has seen the
//   flag, no unit may follow another: 3 flags, and all three are the proof.
//
// More units go, in issue order, to the first of the chains whose last unit
// they may follow (64 are tried), or, if fewer, a token goes to the chain of
// its pair of lanes. Windows of units are then solved exactly for a lower
// bound.
//
// O(n m) for n units and m pairs that may follow (augmenting paths); linear for
// many units. Matching for chain covers: Fulkerson 1956.
//
//===----------------------------------------------------------------------===//

#include "tally/plan/sync/Coloring.h"

#include <algorithm>
#include <map>

using namespace tally::plan::sync;

static constexpr size_t kExact = 400, kWindow = 200, kWindows = 8;
static constexpr size_t kTried = 64;

namespace {
constexpr uint32_t kNone = UINT32_MAX;

/// A largest matching between units and their successors.
class Matching {
public:
  Matching(FileKind kind, const Order &order, const Units &units,
           std::span<const uint32_t> members)
      : after(members.size()), next(members.size(), kNone),
        previous(members.size(), kNone) {
    for (uint32_t i = 0; i < members.size(); ++i)
      for (uint32_t j = i + 1; j < members.size(); ++j)
        if (mayFollow(kind, order, units, units.units[members[i]],
                      units.units[members[j]]))
          after[i].push_back(j);
    for (uint32_t unit = 0; unit < after.size(); ++unit) {
      isReached.assign(after.size(), false);
      augment(unit);
    }
  }

  /// Chains, numbered from 0 in the order of their first units.
  std::vector<uint32_t> chains(uint32_t &count) const {
    std::vector<uint32_t> chainOf(after.size());
    for (uint32_t unit = 0; unit < after.size(); ++unit)
      chainOf[unit] =
          previous[unit] == kNone ? count++ : chainOf[previous[unit]];
    return chainOf;
  }

  /// Koenig: from the units without a successor, walk "may follow" forward and
  /// the matching back. A unit is in no vertex of the cover, hence in the
  /// antichain, when its left side is reached and its right side is not.
  std::vector<uint32_t> antichain() const {
    std::vector<bool> left(after.size(), false), right(after.size(), false);
    std::vector<uint32_t> open;
    for (uint32_t unit = 0; unit < after.size(); ++unit)
      if (next[unit] == kNone) {
        left[unit] = true;
        open.push_back(unit);
      }
    while (!open.empty()) {
      uint32_t unit = open.back();
      open.pop_back();
      for (uint32_t successor : after[unit]) {
        right[successor] = true;
        uint32_t owner = previous[successor];
        if (owner == kNone || left[owner])
          continue;
        left[owner] = true;
        open.push_back(owner);
      }
    }
    std::vector<uint32_t> free;
    for (uint32_t unit = 0; unit < after.size(); ++unit)
      if (left[unit] && !right[unit])
        free.push_back(unit);
    return free;
  }

private:
  bool augment(uint32_t unit) {
    for (uint32_t successor : after[unit]) {
      if (isReached[successor])
        continue;
      isReached[successor] = true;
      if (previous[successor] != kNone && !augment(previous[successor]))
        continue;
      next[unit] = successor;
      previous[successor] = unit;
      return true;
    }
    return false;
  }

  std::vector<std::vector<uint32_t>> after;
  std::vector<uint32_t> next, previous;
  std::vector<bool> isReached;
};
} // namespace

static std::vector<uint32_t> antichainIn(const Matching &matching,
                                         std::span<const uint32_t> members) {
  std::vector<uint32_t> witness;
  for (uint32_t index : matching.antichain())
    witness.push_back(members[index]);
  return witness;
}

static Assignment assignExactly(FileKind kind, const Order &order,
                                const Units &units,
                                const std::vector<uint32_t> &members) {
  Assignment result;
  Matching matching(kind, order, units, members);
  result.assignment = matching.chains(result.registers);
  result.witness = antichainIn(matching, members);
  result.proof = Proof::Witness;
  return result;
}

/// The chain used least recently that may be used again, of the first tried.
static Assignment firstFit(FileKind kind, const Order &order,
                           const Units &units,
                           const std::vector<uint32_t> &members) {
  Assignment result;
  std::vector<std::pair<uint32_t, uint32_t>> ends; // unit, chain; a ring
  size_t hand = 0;
  for (uint32_t unit : members) {
    size_t tried = 0, tries = std::min(kTried, ends.size());
    size_t at = 0;
    for (; tried < tries; ++tried) {
      at = (hand + tried) % ends.size();
      if (mayFollow(kind, order, units, units.units[ends[at].first],
                    units.units[unit]))
        break;
    }
    if (tried < tries) {
      std::swap(ends[at], ends[hand]);
      ends[hand].first = unit;
      result.assignment.push_back(ends[hand].second);
      hand = (hand + 1) % ends.size();
    } else {
      ends.push_back({unit, result.registers});
      result.assignment.push_back(result.registers++);
    }
  }
  return result;
}

/// Between two lanes, edges are in order at both ends.
static Assignment onePerPair(const Order &order, const Units &units,
                             const std::vector<uint32_t> &members,
                             const SyncProblem &problem) {
  Assignment result;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> chains;
  for (uint32_t index : members) {
    const Unit &unit = units.units[index];
    Op waiter = units.waitersOf(unit)[0];
    auto [at, isNew] = chains.try_emplace(
        {order.laneOf(unit.op), problem.operations[waiter].queue},
        result.registers);
    result.registers += isNew;
    result.assignment.push_back(at->second);
  }
  return result;
}

static void findWitness(FileKind kind, const Order &order, const Units &units,
                        const std::vector<uint32_t> &members,
                        Assignment &best) {
  size_t step = std::max<size_t>(1, (members.size() - kWindow) / kWindows);
  for (size_t at = 0; at + kWindow <= members.size(); at += step) {
    std::span<const uint32_t> window = std::span(members).subspan(at, kWindow);
    std::vector<uint32_t> found =
        antichainIn(Matching(kind, order, units, window), window);
    if (found.size() > best.witness.size())
      best.witness = std::move(found);
  }
  best.proof =
      best.witness.size() == best.registers ? Proof::Witness : Proof::Bracket;
}

Assignment
tally::plan::sync::assignChains(const SyncProblem &problem, const Order &order,
                                const Units &units,
                                const std::vector<uint32_t> &members) {
  FileKind kind = problem.file.kind;
  if (members.size() <= kExact)
    return assignExactly(kind, order, units, members);
  Assignment best = firstFit(kind, order, units, members);
  if (kind == FileKind::Token) {
    Assignment pairs = onePerPair(order, units, members, problem);
    if (pairs.registers < best.registers)
      best = std::move(pairs);
  }
  findWitness(kind, order, units, members, best);
  return best;
}
