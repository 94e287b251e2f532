//===- Attempt.cpp - one order tried out on the registers -----------------===//

#include "tally/plan/sync/Attempt.h"
#include "tally/plan/sync/Grouping.h"

#include <algorithm>
#include <map>

using namespace tally;
using namespace tally::plan::sync;

static Result<Attempt> begin(const SyncProblem &problem,
                             const std::vector<Dependency> &dependencies,
                             const std::vector<Op> &drains) {
  Result<Order> order = Order::reduce(problem, dependencies, drains);
  if (!order)
    return order.takeError();
  Attempt attempt{std::move(*order), {}, {}, {}, 0, {}};
  attempt.units = unitsOf(problem, attempt.order);
  attempt.registerOf.resize(attempt.units.units.size());
  attempt.used.resize(attempt.units.domains.size());
  return attempt;
}

static void settle(Attempt &attempt, uint32_t domain,
                   const std::vector<uint32_t> &members,
                   Assignment assignment) {
  for (size_t i = 0; i < members.size(); ++i)
    attempt.registerOf[members[i]] = assignment.assignment[i];
  attempt.used[domain] = assignment.registers;
  if (assignment.registers <= attempt.needed)
    return;
  attempt.needed = assignment.registers;
  attempt.hardest = std::move(assignment);
}

Result<Attempt>
tally::plan::sync::tryShared(const SyncProblem &problem,
                             const std::vector<Dependency> &dependencies,
                             const std::vector<Op> &drains) {
  Result<Attempt> attempt = begin(problem, dependencies, drains);
  if (!attempt)
    return attempt;
  const std::vector<std::vector<uint32_t>> domains = attempt->units.byDomain();
  for (uint32_t domain = 0; domain < domains.size(); ++domain)
    settle(*attempt, domain, domains[domain],
           problem.file.kind == FileKind::Counter
               ? assignCounters(attempt->order, attempt->units, domains[domain])
               : assignChains(problem, attempt->order, attempt->units,
                              domains[domain]));
  return attempt;
}

static Assignment byGroup(const Units &units,
                          const std::vector<uint32_t> &members,
                          const std::vector<uint32_t> &groupOfOp) {
  Assignment result;
  std::map<uint32_t, uint32_t> counterOf;
  for (uint32_t unit : members) {
    auto [at, isNew] = counterOf.try_emplace(groupOfOp[units.units[unit].op],
                                             result.registers);
    result.registers += isNew;
    result.assignment.push_back(at->second);
  }
  return result;
}

Result<Attempt> tally::plan::sync::tryGroups(
    const SyncProblem &problem, const std::vector<Dependency> &dependencies,
    const std::vector<uint32_t> &groupOfOp, const std::vector<Op> &drains) {
  std::vector<Dependency> all = dependencies;
  std::vector<Dependency> added = groupOrder(groupOfOp);
  all.insert(all.end(), added.begin(), added.end());
  Result<Attempt> attempt = begin(problem, all, drains);
  if (!attempt)
    return attempt;
  const std::vector<std::vector<uint32_t>> domains = attempt->units.byDomain();
  for (uint32_t domain = 0; domain < domains.size(); ++domain)
    settle(*attempt, domain, domains[domain],
           byGroup(attempt->units, domains[domain], groupOfOp));
  return attempt;
}

//===----------------------------------------------------------------------===//
// Values that grow too large
//===----------------------------------------------------------------------===//

namespace {
/// How far one counter has counted since the last drain.
struct Count {
  uint32_t current = UINT32_MAX; ///< register that counts now
  int64_t value = 0;
  uint32_t segment = 0;
};

/// Moves signals on to fresh counters, or asks for drains.
class CountLimiter {
public:
  CountLimiter(const SyncProblem &problem, Attempt &attempt)
      : attempt(attempt), most(problem.file.maxValue()),
        usable(static_cast<uint32_t>(problem.file.usable().size())) {}

  void add(uint32_t index) {
    const Unit &unit = attempt.units.units[index];
    Count &count = counts[{unit.domain, attempt.registerOf[index]}];
    if (count.current == UINT32_MAX)
      count.current = attempt.registerOf[index];
    uint32_t segment =
        attempt.order.segment(unit.op) + static_cast<uint32_t>(drains.size());
    if (count.segment != segment)
      count = {count.current, 0, segment};
    if (count.value == most && attempt.used[unit.domain] < usable)
      count = {attempt.used[unit.domain]++, 0, segment};
    if (count.value == most) {
      drains.push_back(unit.op);
      count = {count.current, 0, segment + 1};
    }
    ++count.value;
    attempt.registerOf[index] = count.current;
  }

  std::vector<Op> drains;

private:
  Attempt &attempt;
  int64_t most;
  uint32_t usable;
  std::map<std::pair<uint32_t, uint32_t>, Count> counts;
};
} // namespace

std::vector<Op> tally::plan::sync::limitCounts(const SyncProblem &problem,
                                               Attempt &attempt) {
  if (static_cast<int64_t>(attempt.units.units.size()) <=
      problem.file.maxValue())
    return {};
  CountLimiter limiter(problem, attempt);
  for (uint32_t unit = 0; unit < attempt.units.units.size(); ++unit)
    limiter.add(unit);
  return std::move(limiter.drains);
}

std::vector<Dependency>
tally::plan::sync::limitTokens(const SyncProblem &problem,
                               const Attempt &attempt) {
  const Order &order = attempt.order;
  std::map<std::pair<uint32_t, uint32_t>, std::vector<uint32_t>> uses;
  for (uint32_t unit = 0; unit < attempt.units.units.size(); ++unit)
    uses[{attempt.units.units[unit].domain, attempt.registerOf[unit]}]
        .push_back(unit);
  std::vector<Dependency> added;
  auto most = static_cast<size_t>(problem.file.maxValue());
  for (const auto &[reg, units] : uses) {
    size_t taken = 0;
    for (size_t i = 0; i < units.size(); ++i) {
      Op producer = attempt.units.units[units[i]].op;
      auto consumer = [&](size_t use) {
        return attempt.units
            .waiters[attempt.units.units[units[use]].firstWaiter];
      };
      while (taken < i && (consumer(taken) == producer ||
                           order.started(consumer(taken), producer)))
        ++taken;
      if (i + 1 - taken <= most)
        continue;
      Op waiting = consumer(taken++);
      added.push_back({std::min(waiting, producer), std::max(waiting, producer),
                       Strength::Completed});
    }
  }
  return added;
}

std::vector<Dependency> tally::plan::sync::handOffChain(const Order &order) {
  std::vector<uint32_t> group(order.operations(), kNoGroup);
  for (const Edge &edge : order.edges())
    group[edge.from] = group[edge.to] = 0;
  return groupOrder(group);
}

/// Each edge needs a drain in (from, to]; the latest place for the edge that
/// ends first serves most others.
std::vector<Op> tally::plan::sync::drainsFor(const Order &order) {
  std::vector<Op> drains;
  for (const Edge &edge : order.edges())
    if (drains.empty() || edge.from >= drains.back())
      drains.push_back(edge.to);
  return drains;
}
