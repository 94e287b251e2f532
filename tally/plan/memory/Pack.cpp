//===- Pack.cpp - the best addresses that effort finds --------------------===//
//
// Hard instances are heavy-tailed: one order of the search meets a plan after
// some hundred steps, another not after a million, and a slightly higher target
// can be a thousand times easier. So no order and no target is trusted: every
// order gets slices of steps in turn, and targets between the bound and the
// best plan so far are asked for side by side, from another order on. A search
// that was stopped goes on where it was.
//
//===----------------------------------------------------------------------===//

#include "tally/plan/memory/Pack.h"

#include "tally/plan/memory/Heuristics.h"
#include "tally/plan/memory/Meets.h"
#include "tally/plan/memory/Search.h"

#include <algorithm>
#include <memory>

using namespace tally;
using namespace tally::plan::memory;

/// Steps of one search at a time; the first time one more for each item, so
/// that a search that need not look back ends at once.
static constexpr uint64_t kSlice = 1000;
/// Steps between looks at the clock, of a few milliseconds.
static constexpr uint64_t kWatched = 500;
/// Steps until a search begins anew with the next order, at first.
static constexpr uint64_t kBeginAnew = 2000;

namespace {
class Packer {
public:
  Packer(const Instance &instance, const Bound &bound, const Effort &effort)
      : instance(instance), effort(effort) {
    result.lowerBound = bound.top;
  }

  PackResult run() {
    size_t orders = std::size(kDiveOrders);
    bool isLarge = instance.items.size() > kMostListed;
    tryDives(0, kQuickOrders);
    if (!isLarge && !isSettled()) {
      startSearch();
      tryDives(kQuickOrders, orders);
      tryClassics();
      search();
    }
    return std::move(result);
  }

private:
  /// No search can help.
  bool isSettled() const {
    return result.best.top <= result.lowerBound ||
           result.best.top <= effort.enough ||
           (effort.enough != kNone && result.lowerBound > effort.enough);
  }
  bool isDone() const {
    return isSettled() || result.steps >= effort.steps || isLate();
  }
  bool isLate() const {
    return std::chrono::steady_clock::now() >= effort.until;
  }
  void offer(Packing packing) {
    if (packing.top < result.best.top)
      result.best = std::move(packing);
  }
  void tryDives(size_t first, size_t last);
  void tryClassics();
  void startSearch();
  void search();
  void askFor(int64_t target, bool forProof);
  int64_t leastTarget() const;
  void chooseTargets();
  void runSlice(size_t index);
  void learn(size_t index, Search::State state);

  const Instance &instance;
  const Effort &effort;
  PackResult result;

  /// A search for one target. Of the two kinds for each, the one that begins
  /// anew is the quicker to find plans, the other to show that there is none.
  struct Attempt {
    int64_t target;
    bool forProof;
    std::unique_ptr<Search> search;
  };
  std::unique_ptr<SearchTables> tables;
  Ranks orders, others; ///< for the least target; for those above it
  std::vector<Attempt> attempts;
};
} // namespace

/// At least one is tried, however late it is.
void Packer::tryDives(size_t first, size_t last) {
  for (size_t i = first; i < last; ++i) {
    if (result.best.isFound() && (isSettled() || isLate()))
      return;
    offer(dive(instance, kDiveOrders[i]));
  }
}

/// However few steps there are, no plan is worse than theirs.
void Packer::tryClassics() {
  for (Heuristic heuristic : kHeuristics)
    if (!isSettled() && !isLate())
      offer(packClassic(instance, heuristic));
}

/// Most instances have a plan at the bound that takes no looking back: one
/// slice finds it before the slower of the quick planners would end.
void Packer::startSearch() {
  tables = std::make_unique<SearchTables>(instance);
  orders = trialOrders(*tables);
  others = orders;
  std::rotate(others.begin(), others.begin() + 1, others.end());
  askFor(leastTarget(), false);
  runSlice(0);
}

void Packer::search() {
  while (!isDone()) {
    chooseTargets();
    for (size_t i = 0; i < attempts.size() && !isDone(); ++i)
      runSlice(i);
  }
}

void Packer::askFor(int64_t target, bool forProof) {
  for (const Attempt &attempt : attempts)
    if (attempt.target == target && attempt.forProof == forProof)
      return;
  attempts.push_back(
      {target, forProof,
       forProof ? std::make_unique<Search>(*tables, Ranks{orders[0]}, target, 0)
                : std::make_unique<Search>(
                      *tables, target == leastTarget() ? orders : others,
                      target, kBeginAnew)});
}

int64_t Packer::leastTarget() const {
  if (effort.enough != kNone)
    return effort.enough;
  return result.best.isFound() ? result.lowerBound : kUnlimited - 1;
}

/// What is good enough; or the bound, and three targets on the way to it.
void Packer::chooseTargets() {
  std::erase_if(attempts, [&](const Attempt &attempt) {
    return attempt.target >= result.best.top ||
           attempt.target < result.lowerBound;
  });
  int64_t least = leastTarget();
  askFor(least, false);
  askFor(least, true);
  if (effort.enough != kNone || least != result.lowerBound)
    return;
  // One target in each third of the way, until it is met.
  int64_t gap = result.best.top - 1 - least;
  for (int64_t third = 0; third < 3; ++third) {
    int64_t from = least + gap * third / 3, to = least + gap * (third + 1) / 3;
    if (std::none_of(attempts.begin(), attempts.end(), [&](auto &one) {
          return from < one.target && one.target <= to;
        }))
      askFor((from + to) / 2, false);
  }
}

void Packer::runSlice(size_t index) {
  Search &search = *attempts[index].search;
  uint64_t left = search.steps() == 0 ? kSlice + instance.items.size() : kSlice;
  auto state = Search::State::Suspended;
  while (left > 0 && state == Search::State::Suspended && !isDone()) {
    uint64_t before = search.steps();
    state = search.run(std::min({left, kWatched, effort.steps - result.steps}));
    uint64_t taken = search.steps() - before;
    result.steps += taken;
    left -= taken;
  }
  learn(index, state);
}

void Packer::learn(size_t index, Search::State state) {
  const Attempt &attempt = attempts[index];
  if (state == Search::State::Found) {
    offer(packed(instance, attempt.search->addresses()));
  } else if (state == Search::State::Exhausted &&
             attempt.target >= result.lowerBound) {
    result.lowerBound = attempt.target + 1;
    result.isExhausted = true;
  }
}

PackResult plan::memory::pack(const Instance &instance, const Bound &bound,
                              const Effort &effort) {
  return Packer(instance, bound, effort).run();
}
