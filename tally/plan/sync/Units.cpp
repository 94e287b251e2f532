//===- Units.cpp - what occupies a register, and who may share ------------===//

#include "tally/plan/sync/Units.h"

#include <algorithm>
#include <map>
#include <tuple>

using namespace tally::plan::sync;

/// How far ahead an operation that can clear a flag is looked for when no
/// waiter of the flag is the last.
static constexpr Op kClearHorizon = 1000;

namespace {
/// Makes units from edges in the order of (signalling op, domain, waiter).
class UnitMaker {
public:
  UnitMaker(const SyncProblem &problem) : problem(problem) {}

  uint32_t domainOf(const Edge &edge) {
    Register domain;
    uint32_t from = problem.operations[edge.from].queue,
             to = problem.operations[edge.to].queue;
    if (problem.file.key != FileKey::Global)
      domain.source = from;
    if (problem.file.key == FileKey::SourceDestination)
      domain.destination = to;
    auto [at, isNew] = indices.try_emplace({domain.source, domain.destination},
                                           result.domains.size());
    if (isNew)
      result.domains.push_back(domain);
    return at->second;
  }

  void add(const Edge &edge, uint32_t domain) {
    bool joins = problem.file.kind != FileKind::Token &&
                 !result.units.empty() && result.units.back().op == edge.from &&
                 result.units.back().domain == domain;
    auto at = static_cast<uint32_t>(result.waiters.size());
    if (!joins)
      result.units.push_back({edge.from, domain, at, at, Unit::kNoClear});
    result.waiters.push_back(edge.to);
    result.units.back().endWaiter = at + 1;
  }

  Units result;

private:
  const SyncProblem &problem;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> indices;
};

struct Placed {
  Edge edge;
  uint32_t domain;
};
} // namespace

static bool isBefore(const Placed &a, const Placed &b) {
  return std::tie(a.edge.from, a.domain, a.edge.to) <
         std::tie(b.edge.from, b.domain, b.edge.to);
}

static bool startsNoEarlier(const Order &order, std::span<const Op> waiters,
                            Op op) {
  return std::all_of(waiters.begin(), waiters.end(), [&](Op waiter) {
    return waiter == op || order.started(waiter, op);
  });
}

static Op clearOf(const Order &order, std::span<const Op> waiters,
                  size_t operations) {
  Op last = waiters.back();
  Op end = static_cast<Op>(
      std::min<size_t>(operations, size_t(last) + kClearHorizon));
  for (Op op = last; op < end; ++op)
    if (order.segment(op) != order.segment(last))
      break;
    else if (startsNoEarlier(order, waiters, op))
      return op;
  return Unit::kNoClear;
}

std::vector<std::vector<uint32_t>> Units::byDomain() const {
  std::vector<std::vector<uint32_t>> members(domains.size());
  for (uint32_t unit = 0; unit < units.size(); ++unit)
    members[units[unit].domain].push_back(unit);
  return members;
}

Units tally::plan::sync::unitsOf(const SyncProblem &problem,
                                 const Order &order) {
  UnitMaker maker(problem);
  std::vector<Placed> placed;
  placed.reserve(order.edges().size());
  for (const Edge &edge : order.edges())
    placed.push_back({edge, maker.domainOf(edge)});
  std::sort(placed.begin(), placed.end(), isBefore);
  for (const Placed &one : placed)
    maker.add(one.edge, one.domain);
  Units units = std::move(maker.result);
  if (problem.file.kind == FileKind::Flag)
    for (Unit &unit : units.units)
      unit.clear =
          clearOf(order, units.waitersOf(unit), problem.operations.size());
  return units;
}

bool tally::plan::sync::mayShareCounter(const Order &order, const Units &units,
                                        const Unit &a, const Unit &x) {
  if (order.completed(a.op, x.op))
    return true;
  std::span<const Op> first = units.waitersOf(a), second = units.waitersOf(x);
  return std::all_of(first.begin(), first.end(),
                     [&](Op w) { return order.completed(x.op, w); }) &&
         std::all_of(second.begin(), second.end(),
                     [&](Op v) { return order.completed(a.op, v); });
}

static bool mayFollowToken(const Order &order, const Units &units,
                           const Unit &a, const Unit &x) {
  return order.completed(a.op, x.op) &&
         order.startedAtArrival(units.waitersOf(a)[0], units.waitersOf(x)[0]);
}

static bool mayFollowFlag(const Order &order, const Units &units, const Unit &a,
                          const Unit &x) {
  if (a.clear == Unit::kNoClear)
    return false;
  if (a.clear != x.op && !order.started(a.clear, x.op))
    return false;
  std::span<const Op> waiters = units.waitersOf(x);
  return std::all_of(waiters.begin(), waiters.end(), [&](Op waiter) {
    return order.startedAtArrival(a.clear, waiter);
  });
}

bool tally::plan::sync::mayFollow(FileKind kind, const Order &order,
                                  const Units &units, const Unit &a,
                                  const Unit &x) {
  return kind == FileKind::Token ? mayFollowToken(order, units, a, x)
                                 : mayFollowFlag(order, units, a, x);
}
