//===- Shortage.cpp - order and drains that save registers ----------------===//
//
// Deferring: a1->b1 and c1->d1 need two counters, since neither b1 nor d1 may
// wait for the other's signal. If a2 stands behind a1, after c1, and ends
// before b1 would start, a2 may signal instead of a1: then c1 precedes a2, and
// one counter is enough.
//
// Drains that fit: units are placed on chains in issue order, as in Chains.cpp;
// a drain right before its first waiter does the work of one that finds none,
// and of all that it lies across. Behind it all chains are empty.
//
// O(E log V); O(E L) for L lanes; O(U R) for U units on R registers.
//
//===----------------------------------------------------------------------===//

#include "tally/plan/sync/Shortage.h"

#include <algorithm>

using namespace tally::plan::sync;

static constexpr size_t kMostSlackEdges = size_t(1) << 22;

/// The last operation of a lane that is issued before `waiter` and predicted to
/// end before it starts.
static std::vector<Op>::const_iterator
lastBefore(const std::vector<Op> &lane, const Schedule &plenty, Op waiter) {
  auto end = std::partition_point(lane.begin(), lane.end(), [&](Op op) {
    return op < waiter && plenty.end[op] <= plenty.start[waiter];
  });
  return end == lane.begin() ? lane.end() : std::prev(end);
}

std::vector<Dependency>
tally::plan::sync::deferSignals(const Order &order, const Schedule &plenty) {
  std::vector<std::vector<Op>> lanes(order.lanes());
  for (Op op = 0; op < order.operations(); ++op)
    lanes[order.laneOf(op)].push_back(op);
  std::vector<Dependency> added;
  for (const Edge &edge : order.edges()) {
    const std::vector<Op> &lane = lanes[order.laneOf(edge.from)];
    auto last = lastBefore(lane, plenty, edge.to);
    if (last != lane.end() && *last > edge.from)
      added.push_back({*last, edge.to});
  }
  return added;
}

std::vector<Dependency>
tally::plan::sync::orderBySlack(const Order &order, const Units &units,
                                const Schedule &plenty) {
  std::vector<std::vector<Op>> lanes(order.lanes());
  for (const Unit &unit : units.units) {
    std::vector<Op> &lane = lanes[order.laneOf(unit.op)];
    if (lane.empty() || lane.back() != unit.op)
      lane.push_back(unit.op);
  }
  std::erase_if(lanes,
                [](const std::vector<Op> &lane) { return lane.empty(); });
  if (order.edges().size() * lanes.size() > kMostSlackEdges)
    return {};
  std::vector<Dependency> added;
  for (const Edge &edge : order.edges())
    for (const std::vector<Op> &lane : lanes)
      if (auto last = lastBefore(lane, plenty, edge.to); last != lane.end())
        added.push_back({*last, edge.to});
  return added;
}

namespace {
/// The last unit of each chain of one domain, since the last drain.
class ChainEnds {
public:
  bool place(const SyncProblem &problem, const Attempt &attempt, uint32_t unit,
             int64_t usable) {
    const std::vector<Unit> &all = attempt.units.units;
    for (uint32_t &end : ends)
      if (mayFollow(problem.file.kind, attempt.order, attempt.units, all[end],
                    all[unit])) {
        end = unit;
        return true;
      }
    if (static_cast<int64_t>(ends.size()) >= usable)
      return false;
    ends.push_back(unit);
    return true;
  }

private:
  std::vector<uint32_t> ends;
};
} // namespace

std::vector<Op> tally::plan::sync::drainsToFit(const SyncProblem &problem,
                                               const Attempt &attempt,
                                               int64_t usable) {
  size_t count = attempt.units.domains.size();
  std::vector<ChainEnds> before(count), behind(count); // of the last drain
  std::vector<Op> drains;
  Op last = 0;
  for (uint32_t i = 0; i < attempt.units.units.size(); ++i) {
    const Unit &unit = attempt.units.units[i];
    Op firstWaiter = attempt.units.waitersOf(unit)[0];
    bool isBefore = unit.op < last;
    if (isBefore && firstWaiter >= last)
      continue;
    std::vector<ChainEnds> &ends = isBefore ? before : behind;
    if (ends[unit.domain].place(problem, attempt, i, usable))
      continue;
    drains.push_back(firstWaiter);
    if (isBefore)
      continue;
    last = firstWaiter;
    before = std::move(behind);
    behind.assign(count, {});
  }
  const std::vector<Op> &known = attempt.order.drains();
  drains.insert(drains.end(), known.begin(), known.end());
  std::sort(drains.begin(), drains.end());
  drains.erase(std::unique(drains.begin(), drains.end()), drains.end());
  return drains;
}
