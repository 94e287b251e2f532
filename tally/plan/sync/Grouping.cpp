//===- Grouping.cpp - several queues on one counter -----------------------===//
//
// The price of a grouping is its predicted makespan, linear to compute. The
// partitions of 6 lanes are 203, of 8 lanes 4,140 (Bell numbers): for short
// problems all are priced. Otherwise each step merges the two groups whose
// union costs least: at most n^3 / 6 prices for n lanes.
//
//===----------------------------------------------------------------------===//

#include "tally/plan/sync/Grouping.h"

#include <algorithm>

using namespace tally::plan::sync;

static constexpr size_t kPricedOperations = 50000;
static constexpr int64_t kExhaustiveWork = 4000000;
static constexpr int64_t kBell[] = {1, 1, 2, 5, 15, 52, 203, 877, 4140};
static constexpr size_t kMostExhaustive = 8;

namespace {
/// Prices partitions of the lanes that signal: part[i] is the group of
/// lanes[i].
class Pricer {
public:
  using Partition = std::vector<uint32_t>;

  Pricer(const SyncProblem &problem, const Order &order, const Units &units)
      : order(order), units(units) {
    size_t count = std::min(problem.operations.size(), kPricedOperations);
    priced = {problem.queues,
              {problem.operations.begin(), problem.operations.begin() + count},
              {},
              problem.file};
    for (const Edge &edge : order.edges())
      if (edge.to < count)
        edges.push_back(edge);
    for (const Unit &unit : units.units)
      lanes.push_back(order.laneOf(unit.op));
    std::sort(lanes.begin(), lanes.end());
    lanes.erase(std::unique(lanes.begin(), lanes.end()), lanes.end());
  }

  size_t laneCount() const { return lanes.size(); }
  size_t operations() const { return priced.operations.size(); }

  void offer(const Partition &part, size_t groups) {
    int64_t makespan = price(part);
    if (best.size() < lanes.size())
      best.resize(lanes.size());
    for (size_t most = groups; most <= best.size(); ++most) {
      Grouping &known = best[most - 1];
      if (known.groups == 0 || makespan < known.makespan)
        known = {groupOfLane(part), static_cast<int64_t>(groups), makespan};
    }
  }

  int64_t price(const Partition &part) const {
    std::vector<uint32_t> groupOf = groupOfOps(order, units, groupOfLane(part));
    groupOf.resize(priced.operations.size());
    return predict(priced, edges, {}, groupOf).makespan;
  }

  std::vector<Grouping> best;

private:
  std::vector<uint32_t> groupOfLane(const Partition &part) const {
    std::vector<uint32_t> groups(order.lanes(), 0);
    for (size_t i = 0; i < lanes.size(); ++i)
      groups[lanes[i]] = part[i];
    return groups;
  }

  const Order &order;
  const Units &units;
  SyncProblem priced;
  std::vector<Edge> edges;
  std::vector<uint32_t> lanes;
};
} // namespace

/// All partitions that extend part[0 .. at), as restricted growth strings.
static void offerAll(Pricer &pricer, Pricer::Partition &part, size_t at,
                     uint32_t groups) {
  if (at == part.size())
    return pricer.offer(part, groups);
  for (uint32_t group = 0; group <= groups; ++group) {
    part[at] = group;
    offerAll(pricer, part, at + 1, std::max(groups, group + 1));
  }
}

/// `part` with two of its groups united and the last one renumbered.
static Pricer::Partition united(Pricer::Partition part, uint32_t groups,
                                uint32_t keep, uint32_t join) {
  for (uint32_t &group : part)
    if (group == join)
      group = keep;
    else if (group == groups - 1)
      group = join;
  return part;
}

static void offerMerges(Pricer &pricer) {
  Pricer::Partition part(pricer.laneCount());
  for (uint32_t i = 0; i < part.size(); ++i)
    part[i] = i;
  for (auto groups = static_cast<uint32_t>(part.size());; --groups) {
    pricer.offer(part, groups);
    if (groups == 1)
      return;
    Pricer::Partition cheapest;
    int64_t least = INT64_MAX;
    for (uint32_t keep = 0; keep < groups; ++keep)
      for (uint32_t join = keep + 1; join < groups; ++join) {
        Pricer::Partition candidate = united(part, groups, keep, join);
        int64_t makespan = pricer.price(candidate);
        if (makespan >= least)
          continue;
        least = makespan;
        cheapest = std::move(candidate);
      }
    part = std::move(cheapest);
  }
}

std::vector<Grouping>
tally::plan::sync::priceGroupings(const SyncProblem &problem,
                                  const Order &order, const Units &units) {
  Pricer pricer(problem, order, units);
  size_t lanes = pricer.laneCount();
  if (lanes == 0)
    return {};
  bool isShort = lanes <= kMostExhaustive &&
                 kBell[lanes] * static_cast<int64_t>(pricer.operations()) <=
                     kExhaustiveWork;
  Pricer::Partition part(lanes);
  if (isShort)
    offerAll(pricer, part, 0, 0);
  else
    offerMerges(pricer);
  return std::move(pricer.best);
}

std::vector<uint32_t>
tally::plan::sync::groupOfOps(const Order &order, const Units &units,
                              const std::vector<uint32_t> &groupOfLane) {
  std::vector<uint32_t> groups(order.operations(), kNoGroup);
  for (const Unit &unit : units.units)
    groups[unit.op] = groupOfLane[order.laneOf(unit.op)];
  return groups;
}

std::vector<Dependency>
tally::plan::sync::groupOrder(const std::vector<uint32_t> &groupOfOp) {
  std::vector<Dependency> added;
  std::vector<Op> last;
  for (Op op = 0; op < groupOfOp.size(); ++op) {
    uint32_t group = groupOfOp[op];
    if (group == kNoGroup)
      continue;
    if (group >= last.size())
      last.resize(group + 1, UINT32_MAX);
    if (last[group] != UINT32_MAX)
      added.push_back({last[group], op, Strength::Completed});
    last[group] = op;
  }
  return added;
}
