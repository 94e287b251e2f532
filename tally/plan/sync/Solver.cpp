//===- Solver.cpp - registers, or order, or drains ------------------------===//
//
// First without adding any order. When registers are short, the cheapest of
// these by predicted makespan: counters defer signals, add order that costs
// nothing, merge lanes into as many groups as there are registers, or are
// drained where that takes less time; tokens
// and flags run all operations that have an edge one after the other, which
// needs one register for each destination at most, or are drained wherever they
// run out. When values grow too large: tokens hold their
// producer back, counters move on to unused registers or are drained. Where
// none of it is enough, drains do all the work. All order that is added points
// forward, so no step can close a circle.
//
//===----------------------------------------------------------------------===//

#include "tally/plan/sync/Solver.h"
#include "tally/plan/sync/Attempt.h"
#include "tally/plan/sync/Grouping.h"
#include "tally/plan/sync/Program.h"
#include "tally/plan/sync/Shortage.h"

#include <algorithm>

using namespace tally;
using namespace tally::plan::sync;

/// Each round of limits adds order or drains, which takes edges away but can
/// bring some, too; what has not settled by then falls back.
static constexpr int kRounds = 8;

namespace {
struct Chosen {
  Method method;
  Attempt attempt;
};

/// Order added to the problem's own, and the registers that it leads to.
struct Saving {
  Method method;
  std::vector<Dependency> added;
  Attempt attempt;
  int64_t makespan = 0;
};

class Solver {
public:
  Solver(const SyncProblem &problem, const Attempt &base)
      : problem(problem), base(base),
        usable(static_cast<int64_t>(problem.file.usable().size())) {}

  Result<Chosen> choose();
  std::vector<PricePoint> priceCurve() const;

private:
  Result<Chosen> limited(Method method, Attempt attempt,
                         const std::vector<Dependency> &added,
                         const std::vector<uint32_t> &groupOf) const;
  Result<Chosen> limitedTokens(Attempt attempt) const;
  Result<Chosen> shortCounters() const;
  Result<Chosen> orderedCounters() const;
  Result<Chosen> grouped(const std::vector<Grouping> &groupings) const;
  std::vector<Saving> savings() const;
  Result<Chosen> handOff(int64_t most) const;
  Result<Chosen> handOffChained() const;
  std::optional<Chosen> segmented(int64_t most) const;
  Result<Chosen> drained(Diagnostic refusal) const;
  void priceCounters(std::vector<PricePoint> &curve) const;
  void priceChains(std::vector<PricePoint> &curve) const;
  int64_t price(const Attempt &attempt) const {
    return predict(problem, attempt.order.edges(), attempt.order.drains())
        .makespan;
  }
  std::vector<uint32_t> lanesWithinKeys(int64_t most) const;
  Result<Attempt> again(const std::vector<Dependency> &added,
                        const std::vector<uint32_t> &groupOf,
                        const std::vector<Op> &drains) const;
  std::vector<Dependency> with(std::vector<Dependency> added) const;
  Diagnostic refuse(const char *rule, std::string message,
                    std::string hint) const;

  const SyncProblem &problem;
  const Attempt &base;
  int64_t usable;
};
} // namespace

Diagnostic Solver::refuse(const char *rule, std::string message,
                          std::string hint) const {
  Diagnostic failure;
  failure.kind = FailureKind::Unsupported;
  failure.rule = rule;
  failure.message = std::move(message);
  failure.hint = std::move(hint);
  return failure;
}

std::vector<Dependency> Solver::with(std::vector<Dependency> added) const {
  added.insert(added.end(), problem.dependencies.begin(),
               problem.dependencies.end());
  return added;
}

Result<Chosen> Solver::drained(Diagnostic refusal) const {
  if (!problem.file.drains)
    return refusal;
  Result<Attempt> attempt =
      tryShared(problem, problem.dependencies, drainsFor(base.order));
  if (!attempt)
    return attempt.takeError();
  return Chosen{Method::Drained, std::move(*attempt)};
}

Result<Attempt> Solver::again(const std::vector<Dependency> &added,
                              const std::vector<uint32_t> &groupOf,
                              const std::vector<Op> &drains) const {
  return groupOf.empty() ? tryShared(problem, with(added), drains)
                         : tryGroups(problem, with(added), groupOf, drains);
}

/// Counters within their largest value.
Result<Chosen> Solver::limited(Method method, Attempt attempt,
                               const std::vector<Dependency> &added,
                               const std::vector<uint32_t> &groupOf) const {
  for (int round = 0; round < kRounds; ++round) {
    std::vector<Op> more = limitCounts(problem, attempt);
    if (more.empty())
      return Chosen{method, std::move(attempt)};
    if (!problem.file.drains)
      break;
    const std::vector<Op> &known = attempt.order.drains();
    more.insert(more.end(), known.begin(), known.end());
    std::sort(more.begin(), more.end());
    Result<Attempt> next = again(added, groupOf, more);
    if (!next)
      return next.takeError();
    attempt = std::move(*next);
  }
  return drained(
      refuse("SYNC-9",
             std::to_string(attempt.units.units.size()) + " signals on " +
                 std::to_string(usable) + " counters that count to " +
                 std::to_string(problem.file.maxValue()),
             "use more registers or bits, or let the command processor drain"));
}

/// Tokens within their largest value; may need more registers than there are.
Result<Chosen> Solver::limitedTokens(Attempt attempt) const {
  std::vector<Dependency> added;
  for (int round = 0; round < kRounds; ++round) {
    if (attempt.needed > usable)
      return handOff(usable);
    std::vector<Dependency> more = limitTokens(problem, attempt);
    if (more.empty())
      return Chosen{round ? Method::Throttled : Method::Shared,
                    std::move(attempt)};
    added.insert(added.end(), more.begin(), more.end());
    Result<Attempt> next = tryShared(problem, with(added));
    if (!next)
      return next.takeError();
    attempt = std::move(*next);
  }
  return handOff(usable);
}

Result<Chosen> Solver::handOffChained() const {
  Result<Attempt> attempt = tryShared(problem, with(handOffChain(base.order)));
  if (!attempt)
    return attempt.takeError();
  return Chosen{Method::HandOff, std::move(*attempt)};
}

/// Drains are added until registers suffice; each pass places at least one.
std::optional<Chosen> Solver::segmented(int64_t most) const {
  Result<Attempt> attempt = base;
  for (int round = 0; round < kRounds; ++round) {
    if (attempt->needed <= most) {
      if (problem.file.kind == FileKind::Token &&
          !limitTokens(problem, *attempt).empty())
        return std::nullopt;
      return Chosen{Method::Segmented, std::move(*attempt)};
    }
    attempt = tryShared(problem, problem.dependencies,
                        drainsToFit(problem, *attempt, most));
    if (!attempt)
      return std::nullopt;
  }
  return std::nullopt;
}

/// Tokens or flags that are short: the cheapest of what works.
Result<Chosen> Solver::handOff(int64_t most) const {
  Result<Chosen> chain = handOffChained();
  if (!chain)
    return chain;
  bool fits = chain->attempt.needed <= most;
  if (!problem.file.drains && !fits)
    return refuse(
        "SYNC-8",
        std::to_string(most) + " usable registers; without added order " +
            std::to_string(base.needed) + " are needed, and " +
            std::to_string(chain->attempt.needed) +
            " to run one operation after the other",
        "give the file at least " + std::to_string(chain->attempt.needed) +
            " registers, or let the command processor drain");
  if (!problem.file.drains)
    return chain;
  Result<Chosen> best = drained({});
  if (!best)
    return best;
  if (fits && price(chain->attempt) <= price(best->attempt))
    best = std::move(chain);
  if (std::optional<Chosen> segments = segmented(most);
      segments && price(segments->attempt) <= price(best->attempt))
    return std::move(*segments);
  return best;
}

/// For keys that name queues: one group for each queue that has too many lanes,
/// one for each lane of the others.
std::vector<uint32_t> Solver::lanesWithinKeys(int64_t most) const {
  std::vector<std::vector<uint32_t>> lanesOf(problem.queues.size());
  std::vector<uint32_t> group(base.order.lanes(), 0);
  for (const Unit &unit : base.units.units) {
    uint32_t lane = base.order.laneOf(unit.op);
    group[lane] = lane;
    std::vector<uint32_t> &lanes = lanesOf[problem.operations[unit.op].queue];
    if (std::find(lanes.begin(), lanes.end(), lane) == lanes.end())
      lanes.push_back(lane);
  }
  for (const std::vector<uint32_t> &lanes : lanesOf)
    if (static_cast<int64_t>(lanes.size()) > most)
      for (uint32_t lane : lanes)
        group[lane] = lanes[0];
  return group;
}

/// Order that saves counters and is predicted to cost nothing, or little.
std::vector<Saving> Solver::savings() const {
  std::vector<Saving> found;
  Schedule plenty = predict(problem, base.order.edges(), {});
  auto offer = [&](Method method, std::vector<Dependency> added) {
    if (added.empty())
      return;
    Result<Attempt> attempt = again(added, {}, {});
    if (!attempt || attempt->needed >= base.needed)
      return;
    int64_t makespan = price(*attempt);
    found.push_back({method, std::move(added), std::move(*attempt), makespan});
  };
  offer(Method::Deferred, deferSignals(base.order, plenty));
  offer(Method::Slack, orderBySlack(base.order, base.units, plenty));
  return found;
}

Result<Chosen> Solver::grouped(const std::vector<Grouping> &groupings) const {
  std::vector<uint32_t> groupOfLane =
      groupings.empty()
          ? lanesWithinKeys(usable)
          : groupings[std::min<size_t>(usable, groupings.size()) - 1]
                .groupOfLane;
  std::vector<uint32_t> groupOf =
      groupOfOps(base.order, base.units, groupOfLane);
  Result<Attempt> attempt = again({}, groupOf, {});
  if (!attempt)
    return attempt.takeError();
  return limited(Method::Grouped, std::move(*attempt), {}, groupOf);
}

Result<Chosen> Solver::orderedCounters() const {
  std::vector<Saving> found = savings();
  std::erase_if(found, [&](const Saving &one) {
    return int64_t(one.attempt.needed) > usable;
  });
  auto cheapest = std::min_element(
      found.begin(), found.end(),
      [](const Saving &a, const Saving &b) { return a.makespan < b.makespan; });
  int64_t plenty = price(base);
  if (cheapest != found.end() && cheapest->makespan <= plenty)
    return limited(cheapest->method, std::move(cheapest->attempt),
                   cheapest->added, {});
  std::vector<Grouping> groupings;
  if (problem.file.key == FileKey::Global)
    groupings = priceGroupings(problem, base.order, base.units);
  Result<Chosen> group = grouped(groupings);
  if (cheapest == found.end() ||
      (group && price(group->attempt) < cheapest->makespan))
    return group;
  return limited(cheapest->method, std::move(cheapest->attempt),
                 cheapest->added, {});
}

/// Order, or drains where those take less time.
Result<Chosen> Solver::shortCounters() const {
  Result<Chosen> ordered = orderedCounters();
  if (!problem.file.drains)
    return ordered;
  Result<Chosen> drains = drained({});
  bool isCheaper =
      drains && (!ordered || price(drains->attempt) < price(ordered->attempt));
  return isCheaper ? std::move(drains) : std::move(ordered);
}

Result<Chosen> Solver::choose() {
  if (base.order.edges().empty())
    return Chosen{Method::None, base};
  if (usable == 0)
    return drained(refuse(
        "SYNC-7",
        "no usable register (" + std::to_string(problem.file.count) + ", " +
            std::to_string(problem.file.reserved.size()) +
            " of them reserved), but " +
            std::to_string(base.order.edges().size()) + " edges need one",
        "1 counter is enough; or let the command processor "
        "drain"));
  if (problem.file.kind != FileKind::Counter) {
    if (base.needed > usable)
      return handOff(usable);
    return problem.file.kind == FileKind::Token ? limitedTokens(base)
                                                : Chosen{Method::Shared, base};
  }
  if (base.needed > usable)
    return shortCounters();
  return limited(Method::Shared, base, {}, {});
}

/// For each count the cheapest grouping, saving or drains; none grows with it.
void Solver::priceCounters(std::vector<PricePoint> &curve) const {
  if (base.needed <= 1)
    return;
  bool isGlobal = problem.file.key == FileKey::Global;
  std::vector<Grouping> groupings;
  if (isGlobal)
    groupings = priceGroupings(problem, base.order, base.units);
  std::vector<Saving> found = savings();
  for (int64_t count = 1; count < base.needed; ++count) {
    std::vector<uint32_t> groupOf = groupOfOps(
        base.order, base.units,
        isGlobal ? groupings[count - 1].groupOfLane : lanesWithinKeys(count));
    PricePoint point{count,
                     predict(problem, base.order.edges(), {}, groupOf).makespan,
                     Method::Grouped};
    for (const Saving &one : found)
      if (one.attempt.needed <= count &&
          (one.makespan < point.makespan ||
           (one.makespan == point.makespan && point.method == Method::Grouped)))
        point = {count, one.makespan, one.method};
    if (!curve.empty() && curve.front().makespan < point.makespan)
      point = {count, curve.front().makespan, curve.front().method};
    curve.push_back(point);
  }
}

/// For each count up to 64, then doubling, what would be chosen. More
/// registers never cost more: what fits fewer fits them, too.
void Solver::priceChains(std::vector<PricePoint> &curve) const {
  constexpr int64_t kEach = 64;
  for (int64_t count = 1; count < base.needed;
       count = count < kEach ? count + 1 : count * 2) {
    Result<Chosen> chosen = handOff(count);
    if (!chosen)
      continue;
    PricePoint point{count, price(chosen->attempt), chosen->method};
    if (!curve.empty() && curve.back().makespan < point.makespan)
      point = {count, curve.back().makespan, curve.back().method};
    curve.push_back(point);
  }
}

std::vector<PricePoint> Solver::priceCurve() const {
  std::vector<PricePoint> curve;
  if (problem.file.drains && base.needed)
    if (Result<Chosen> chosen = drained({}); chosen)
      curve.push_back({0, price(chosen->attempt), Method::Drained});
  if (problem.file.kind != FileKind::Counter)
    priceChains(curve);
  else
    priceCounters(curve);
  curve.push_back(
      {base.needed, price(base), base.needed ? Method::Shared : Method::None});
  return curve;
}

static void describePressure(const Attempt &base, const Schedule &schedule,
                             SyncReport &report) {
  for (uint32_t index : base.hardest.witness) {
    const Unit &unit = base.units.units[index];
    std::span<const Op> waiters = base.units.waitersOf(unit);
    Holder holder{unit.op, {waiters.begin(), waiters.end()}, INT64_MAX};
    for (Op waiter : waiters)
      holder.slack = std::min(holder.slack,
                              schedule.start[waiter] - schedule.end[unit.op]);
    report.pressure.push_back(std::move(holder));
  }
}

static bool isByTarget(const Edge &a, const Edge &b) {
  return a.to != b.to ? a.to < b.to : a.from > b.from;
}

static size_t edgesBeyond(const Order &order, const Order &base) {
  size_t added = 0;
  for (const Edge &edge : order.edges())
    added += !std::binary_search(base.edges().begin(), base.edges().end(), edge,
                                 isByTarget);
  return added;
}

static SyncReport account(const SyncProblem &problem, const Attempt &base,
                          const Chosen &chosen) {
  SyncReport report;
  report.method = chosen.method;
  report.dependencies = problem.dependencies.size();
  report.edges = base.order.edges().size();
  report.addedOrder = edgesBeyond(chosen.attempt.order, base.order);
  report.usable = static_cast<int64_t>(problem.file.usable().size());
  report.needed = base.needed;
  report.proof = base.needed ? base.hardest.proof : Proof::Witness;
  report.lowerBound = report.proof == Proof::Exhaustive
                          ? base.needed
                          : static_cast<int64_t>(base.hardest.witness.size());
  Schedule plenty = predict(problem, base.order.edges(), {});
  report.unlimited = plenty.makespan;
  report.makespan = predict(problem, chosen.attempt.order.edges(),
                            chosen.attempt.order.drains())
                        .makespan;
  for (const Operation &operation : problem.operations)
    report.serial += operation.duration;
  describePressure(base, plenty, report);
  return report;
}

Result<SyncSolution> tally::plan::sync::solve(const SyncProblem &problem,
                                              const SolveOptions &options) {
  if (Status status = checkProblem(problem); !status)
    return status.takeError();
  if (!problem.regions.empty())
    return solveProgram(problem, options);
  Result<Attempt> base = tryShared(problem, problem.dependencies);
  if (!base)
    return base.takeError();
  Solver solver(problem, *base);
  Result<Chosen> chosen = solver.choose();
  if (!chosen)
    return chosen.takeError();
  SyncSolution solution;
  solution.plan = emitPlan(problem, chosen->attempt);
  solution.report = account(problem, *base, *chosen);
  if (options.priceCurve)
    solution.report.curve = solver.priceCurve();
  return solution;
}

const char *tally::plan::sync::methodName(Method method) {
  switch (method) {
  case Method::None:
    return "nothing to wait for";
  case Method::Shared:
    return "no order added";
  case Method::Grouped:
    return "queues grouped on counters";
  case Method::Deferred:
    return "signals deferred";
  case Method::Slack:
    return "order added where there is slack";
  case Method::Throttled:
    return "producers held back";
  case Method::HandOff:
    return "one operation after the other";
  case Method::Segmented:
    return "drains where registers run out";
  case Method::Drained:
    return "drains";
  case Method::Relative:
    return "relative waits";
  case Method::Credited:
    return "credit from trip to trip";
  case Method::Epochs:
    return "a drain in every trip";
  }
  return "";
}

const char *tally::plan::sync::proofName(Proof proof) {
  switch (proof) {
  case Proof::Witness:
    return "witness";
  case Proof::Exhaustive:
    return "exhaustive";
  case Proof::Bracket:
    return "bracket";
  }
  return "";
}
