//===- Relative.cpp - waits that count from what has been issued ----------===//
//
// One counter for each queue that signals. A relative wait lets at most n of
// the signals issued so far be missing; with n the signals that stand between
// an operation and the one that waits for it, on the shortest way through loops
// and ifs, its own is not among the missing ones. More signals in between, on
// another way, only make the wait longer; in a first trip it is for older
// signals, or passes at once. So there is no credit, and nothing depends on the
// number of trips but how far the counter counts.
//
//   loop { a; b; c after b of 1 trip before, and after a }, queue A: a b
//     c waits until at most 2 are missing (a, b of this trip), then at most 1.
//
// That needs signals to be counted in the order of issue. Where several queues
// share a counter, or its queue completes out of order, each operation that
// signals on it first waits until none is missing. So any number of counters is
// enough.
//
// Time O(E L) for E waits over at most L operations.
//
//===----------------------------------------------------------------------===//

#include "tally/plan/sync/Program.h"

#include <algorithm>
#include <set>

using namespace tally;
using namespace tally::plan::sync;

namespace {
class RelativePlanner {
public:
  explicit RelativePlanner(const SyncProblem &problem)
      : problem(problem), levels(problem), builder(problem),
        usable(problem.file.usable()), regionsAt(problem.operations.size()) {
    for (const Region &region : problem.regions)
      if (region.first < region.end)
        regionsAt[region.first].push_back(&region);
  }

  Result<Way> plan();

private:
  Status collectEdges();
  void chooseCounters();
  uint32_t counterOf(Op from, Op to) const {
    return counters.at(
        {problem.operations[from].queue, problem.operations[to].queue});
  }
  void emit();
  bool fits() const;
  void describe();
  int64_t between(const Dependency &edge, uint32_t reg) const;
  int64_t least(Op begin, Op end, uint32_t reg, bool isAfterOp = false,
                const Region *branchOf = nullptr) const;
  bool skipRegion(Op &at, Op end, uint32_t reg, const Region *branchOf,
                  int64_t &count) const;

  const SyncProblem &problem;
  Levels levels;
  PlanBuilder builder;
  std::vector<uint32_t> usable;
  std::vector<std::vector<const Region *>> regionsAt; ///< by first operation
  std::vector<Dependency> edges;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> counters; ///< by queues
  std::set<uint32_t> unordered; ///< counters that queues do not order
  std::set<std::pair<uint32_t, Op>> signals;
  Way way;
};
} // namespace

/// Of dependencies right inside one level and outside of ifs the smallest set,
/// all others as they are: none follows from what may not run.
Status RelativePlanner::collectEdges() {
  const Nesting &nesting = levels.nesting;
  auto isRightIn = [&](uint32_t loop, Op op) {
    return nesting.loopAround(op) == loop && !nesting.isConditional(op);
  };
  std::map<uint32_t, std::vector<Dependency>> within;
  for (const Dependency &one : problem.dependencies) {
    uint32_t queue = problem.operations[one.from].queue;
    bool isQueueOrder = queue == problem.operations[one.to].queue &&
                        problem.queues[queue].inOrder;
    if (isQueueOrder || (one.from == one.to && !one.distance))
      continue;
    uint32_t loop = nesting.commonLoop(one.from, one.to);
    if (isRightIn(loop, one.from) && isRightIn(loop, one.to))
      within[loop].push_back(one);
    else
      edges.push_back(one);
  }
  for (auto &[loop, dependencies] : within) {
    Level level{loop, {}, std::move(dependencies)};
    for (Op item : levels.of(loop).items)
      if (item < problem.operations.size() && isRightIn(loop, item))
        level.items.push_back(item);
    Result<std::vector<LevelEdge>> kept = levels.reduce(level);
    if (!kept)
      return kept.takeError();
    for (const LevelEdge &edge : *kept)
      edges.push_back({level.items[edge.from], level.items[edge.to],
                       Strength::Completed, edge.distance});
  }
  return Status::success();
}

/// A counter for each queue, as far as they go; the last is for all others.
void RelativePlanner::chooseCounters() {
  std::map<std::pair<uint32_t, uint32_t>, std::set<uint32_t>> sources;
  for (const Dependency &edge : edges) {
    uint32_t from = problem.operations[edge.from].queue,
             to = problem.operations[edge.to].queue;
    Register key;
    if (problem.file.key != FileKey::Global)
      key.source = from;
    if (problem.file.key == FileKey::SourceDestination)
      key.destination = to;
    std::set<uint32_t> &known = sources[{key.source, key.destination}];
    known.insert(from);
    way.needed = std::max(way.needed, static_cast<int64_t>(known.size()));
  }
  for (const auto &[key, queues] : sources) {
    size_t index = 0;
    for (uint32_t queue : queues) {
      size_t number = std::min(index++, usable.size() - 1);
      uint32_t reg = builder.use({usable[number], key.first, key.second});
      for (uint32_t to = 0; to < problem.queues.size(); ++to)
        if (key.second == kAnyQueue || key.second == to)
          counters[{queue, to}] = reg;
      bool isShared =
          queues.size() > usable.size() && number == usable.size() - 1;
      if (isShared || !problem.queues[queue].inOrder)
        unordered.insert(reg);
      if (key.second != kAnyQueue && !problem.queues[queue].inOrder)
        way.obstacle = "queue '" + problem.queues[queue].name +
                       "' completes out of order and may not wait on registers "
                       "that it signals";
    }
  }
}

/// Counts the region at `at`, or its branch, and moves on; false when the
/// operation at `at` comes next.
bool RelativePlanner::skipRegion(Op &at, Op end, uint32_t reg,
                                 const Region *branchOf, int64_t &count) const {
  for (const Region *region : regionsAt[at]) {
    if (branchOf && region <= branchOf)
      continue; // outer ones come first
    bool isWhole = region->end <= end;
    if (region->kind == Region::Loop) {
      if (!isWhole)
        continue;
      at = region->end;
      return true;
    }
    if (isWhole) {
      count +=
          std::min(least(region->first, region->elseAt, reg, false, region),
                   least(region->elseAt, region->end, reg, false, region));
      at = region->end;
      return true;
    }
    if (region->elseAt <= end && region->elseAt > at) {
      at = region->elseAt;
      return true;
    }
  }
  return false;
}

/// The fewest signals on a counter by operations of [begin, end), on any way
/// from right before `begin` to `end`; the way comes from the operation before
/// `begin`, and so from its branches, if `isAfterOp`.
int64_t RelativePlanner::least(Op begin, Op end, uint32_t reg, bool isAfterOp,
                               const Region *branchOf) const {
  int64_t count = 0;
  for (Op at = begin; at < end;) {
    auto leaves = std::find_if(
        problem.regions.begin(), problem.regions.end(), [&](const Region &one) {
          return isAfterOp && one.kind == Region::If && one.first < begin &&
                 begin <= one.elseAt && one.elseAt == at && at < one.end &&
                 one.end <= end;
        });
    if (leaves != problem.regions.end()) {
      at = leaves->end;
      continue;
    }
    if (skipRegion(at, end, reg, branchOf, count))
      continue;
    count += static_cast<int64_t>(signals.count({reg, at}));
    ++at;
  }
  return count;
}

int64_t RelativePlanner::between(const Dependency &edge, uint32_t reg) const {
  if (edge.distance == 0)
    return least(edge.from + 1, edge.to, reg, true);
  const Region &loop =
      problem.regions[levels.nesting.commonLoop(edge.from, edge.to)];
  return least(edge.from + 1, loop.end, reg, true) +
         (edge.distance - 1) * least(loop.first, loop.end, reg) +
         least(loop.first, edge.to, reg);
}

void RelativePlanner::emit() {
  for (const Dependency &edge : edges)
    signals.insert({counterOf(edge.from, edge.to), edge.from});
  for (auto [reg, op] : signals)
    builder.signal(op, reg);
  std::map<std::pair<Op, uint32_t>, int64_t> waits;
  for (const Dependency &edge : edges) {
    uint32_t reg = counterOf(edge.from, edge.to);
    int64_t value = between(edge, reg);
    auto [at, isNew] = waits.try_emplace({edge.to, reg}, value);
    at->second = std::min(at->second, value);
  }
  way.edges = waits.size();
  for (auto [reg, op] : signals)
    if (unordered.count(reg))
      waits[{op, reg}] = 0;
  way.addedOrder = waits.size() - way.edges;
  for (auto [place, value] : waits)
    builder.wait(place.first, place.second, value, true);
}

/// Whether every counter can count all its signals in all trips.
bool RelativePlanner::fits() const {
  std::map<uint32_t, int64_t> sums;
  for (auto [reg, op] : signals) {
    int64_t runs = 1;
    for (uint32_t loop = levels.nesting.loopAround(op); loop != kOutside;
         loop = levels.nesting.loopAroundLoop(loop)) {
      int64_t trips = problem.regions[loop].trips;
      if (trips == Region::kAnyTrips ||
          __builtin_mul_overflow(runs, trips, &runs))
        return false;
    }
    int64_t &sum = sums[reg];
    if (__builtin_add_overflow(sum, runs, &sum) ||
        sum > problem.file.maxValue())
      return false;
  }
  return true;
}

void RelativePlanner::describe() {
  std::map<std::pair<uint32_t, Op>, Holder> holders;
  for (const Dependency &edge : edges) {
    Holder &holder = holders[{counterOf(edge.from, edge.to), edge.from}];
    holder.op = edge.from;
    holder.waiters.push_back(edge.to);
  }
  for (auto &[place, holder] : holders)
    way.pressure.push_back(std::move(holder));
}

Result<Way> RelativePlanner::plan() {
  way.method = Method::Relative;
  if (problem.file.kind != FileKind::Counter || !problem.file.relative) {
    way.obstacle = "there are no relative waits";
    return std::move(way);
  }
  if (Status status = collectEdges(); !status)
    return status.takeError();
  if (usable.empty() && !edges.empty()) {
    way.obstacle = "there is no usable counter";
    return std::move(way);
  }
  chooseCounters();
  if (!way.obstacle.empty())
    return std::move(way);
  emit();
  if (!fits()) {
    way.obstacle = "counters end at " +
                   std::to_string(problem.file.maxValue()) +
                   ", and loops may signal more often";
    return std::move(way);
  }
  describe();
  way.plan = builder.finish({}, [](Op) { return false; });
  return std::move(way);
}

Result<Way> tally::plan::sync::planRelative(const SyncProblem &problem) {
  return RelativePlanner(problem).plan();
}
