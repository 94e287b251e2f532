//===- Pack.cpp - the best addresses that effort finds --------------------===//
//
// Hard instances are heavy-tailed: one order of the search meets a plan after
// some hundred steps, another not after a million, and a slightly higher target
// can be a thousand times easier. So no order and no target is trusted: every
// order gets slices of steps in turn, and targets between the bound and the
// best plan so far are asked for side by side. A search that was stopped goes
// on where it was.
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

namespace {
class Packer {
public:
  Packer(const Instance &instance, const Bound &bound, const Effort &effort)
      : instance(instance), bound(bound), effort(effort) {
    result.lowerBound = bound.top;
  }

  PackResult run() {
    tryQuick();
    if (!isDone() && instance.items.size() <= kMostListed)
      search();
    return std::move(result);
  }

private:
  bool isDone() const {
    return result.best.top <= result.lowerBound ||
           result.best.top <= effort.enough || result.steps >= effort.steps ||
           std::chrono::steady_clock::now() >= effort.until;
  }
  void offer(Packing packing) {
    if (packing.top < result.best.top)
      result.best = std::move(packing);
  }
  void tryQuick();
  void search();
  bool searchFor(const SearchTables &tables, int64_t target, uint64_t steps);

  const Instance &instance;
  const Bound &bound;
  const Effort &effort;
  PackResult result;
};
} // namespace

void Packer::tryQuick() {
  for (DiveOrder order : kDiveOrders) {
    if (result.best.isFound() && isDone())
      return;
    offer(dive(instance, order));
  }
  if (instance.items.size() > kMostListed)
    return;
  for (Heuristic heuristic : kHeuristics)
    if (!isDone())
      offer(packClassic(instance, heuristic));
}

void Packer::search() {
  SearchTables tables(instance);
  std::vector<std::unique_ptr<Search>> searches;
  int64_t target = effort.enough != kNone
                       ? effort.enough
                       : std::min(result.best.top - 1, kUnlimited - 1);
  while (!isDone()) {
    if (searches.empty())
      for (SearchOrder order :
           {SearchOrder::TWA, SearchOrder::TAW, SearchOrder::WAT})
        searches.push_back(std::make_unique<Search>(
            tables, Ranks{ranksOf(tables, order)}, target, 0));
    for (auto &one : searches) {
      uint64_t before = one->steps();
      Search::State state = one->run(1000);
      result.steps += one->steps() - before;
      if (state == Search::State::Exhausted) {
        result.lowerBound = target + 1;
        result.isExhausted = true;
        return;
      }
      if (state == Search::State::Found) {
        offer(packed(instance, one->addresses()));
        target = result.best.top - 1;
        searches.clear();
        break;
      }
    }
  }
}

PackResult plan::memory::pack(const Instance &instance, const Bound &bound,
                              const Effort &effort) {
  return Packer(instance, bound, effort).run();
}
