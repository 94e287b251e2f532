//===- Groups.cpp - storages that move together ---------------------------===//

#include "tally/plan/memory/Groups.h"

#include <algorithm>
#include <numeric>

using namespace tally;
using namespace tally::plan::memory;

void plan::memory::normalize(std::vector<Interval> &intervals) {
  std::erase_if(intervals, [](auto &one) { return one.begin >= one.end; });
  std::sort(intervals.begin(), intervals.end(),
            [](auto &a, auto &b) { return a.begin < b.begin; });
  size_t kept = 0;
  for (const Interval &one : intervals)
    if (kept > 0 && one.begin <= intervals[kept - 1].end)
      intervals[kept - 1].end = std::max(intervals[kept - 1].end, one.end);
    else
      intervals[kept++] = one;
  intervals.resize(kept);
}

namespace {
class Grouper {
public:
  Grouper(const MemoryProblem &problem, const InPlaceChoice &choice)
      : problem(problem), choice(choice) {}

  Groups run() {
    result.places = *findPlaces(problem);
    result.forBound = choice.forBound;
    mergeRoots();
    numberGroups();
    for (StorageId id = 0; id < problem.storages.size(); ++id)
      if (result.groupOf[id] != kNone)
        add(id);
    collectTimes();
    collectPairs();
    return std::move(result);
  }

private:
  void mergeRoots();
  void numberGroups();
  void add(StorageId id);
  void collectTimes();
  void collectLives();
  void collectPairs();
  StorageId leader(StorageId root) const {
    while (leaders[root] != root)
      root = leaders[root];
    return root;
  }
  std::pair<uint32_t, uint32_t> groupPair(StorageId a, StorageId b) const {
    auto first = static_cast<uint32_t>(result.groupOf[a]),
         second = static_cast<uint32_t>(result.groupOf[b]);
    return std::minmax(first, second);
  }

  const MemoryProblem &problem;
  const InPlaceChoice &choice;
  std::vector<StorageId> leaders;
  Groups result;
};
} // namespace

void Grouper::mergeRoots() {
  leaders.resize(problem.storages.size());
  std::iota(leaders.begin(), leaders.end(), 0);
  for (uint32_t taken : choice.merged) {
    StorageId a = leader(problem.inPlace[taken].result),
              b = leader(problem.inPlace[taken].operand);
    leaders[std::max(a, b)] = std::min(a, b);
  }
}

void Grouper::numberGroups() {
  std::vector<int64_t> ofLeader(problem.storages.size(), kNone);
  result.groupOf.assign(problem.storages.size(), kNone);
  for (StorageId id = 0; id < problem.storages.size(); ++id) {
    StorageId root = leader(result.places[id].root);
    if (problem.storages[root].kind == StorageClass::Caller)
      continue;
    if (ofLeader[root] == kNone) {
      ofLeader[root] = static_cast<int64_t>(result.groups.size());
      result.groups.emplace_back().first = root;
    }
    result.groupOf[id] = ofLeader[root];
  }
}

void Grouper::add(StorageId id) {
  const Storage &storage = problem.storages[id];
  Group &group = result.groups[result.groupOf[id]];
  int64_t granule = problem.limits.granule;
  group.alignment =
      *intersect(group.alignment, alignmentAtRoot(storage, result.places[id]));
  if (storage.isPart())
    return;
  group.alignment = *intersect(group.alignment, {granule, 0});
  int64_t bytes = (storage.bytes + granule - 1) / granule * granule;
  group.bytes = std::max(group.bytes, bytes);
  if (storage.at != kNone)
    group.at = storage.at;
  if (storage.bank != kNone)
    group.bank = storage.bank;
  group.isAlways |= storage.kind == StorageClass::Constant ||
                    storage.kind == StorageClass::State;
}

void Grouper::collectTimes() {
  std::vector<std::pair<uint32_t, OpId>> accesses;
  for (StorageId id = 0; id < problem.storages.size(); ++id) {
    result.hasAccesses |= !problem.storages[id].accesses.empty();
    if (result.groupOf[id] != kNone)
      for (OpId op : problem.storages[id].accesses)
        accesses.emplace_back(result.groupOf[id], op);
  }
  result.accesses = {result.groups.size(), accesses};
  collectLives();
}

void Grouper::collectLives() {
  std::vector<std::pair<uint32_t, Interval>> given;
  for (StorageId id = 0; id < problem.storages.size(); ++id)
    if (result.groupOf[id] != kNone)
      for (const Interval &life : problem.storages[id].life)
        given.emplace_back(result.groupOf[id], life);
  Rows<Interval> all(result.groups.size(), given);
  std::vector<bool> isLater(result.groups.size());
  if (!result.hasAccesses)
    for (uint32_t relaxed : choice.relaxed)
      isLater[result.groupOf[problem.inPlace[relaxed].result]] = true;
  std::vector<Interval> life;
  for (size_t group = 0; group < result.groups.size(); ++group) {
    life.assign(all[group].begin(), all[group].end());
    normalize(life);
    if (isLater[group] && !life.empty() &&
        ++life.front().begin == life.front().end)
      life.erase(life.begin());
    result.lives.push(life);
  }
}

void Grouper::collectPairs() {
  for (auto [a, b] : problem.conflicts)
    if (result.groupOf[a] != kNone && result.groupOf[b] != kNone)
      result.conflicts.push_back(groupPair(a, b));
  std::sort(result.conflicts.begin(), result.conflicts.end());
  result.conflicts.erase(
      std::unique(result.conflicts.begin(), result.conflicts.end()),
      result.conflicts.end());
  if (result.hasAccesses)
    for (uint32_t relaxed : choice.relaxed)
      result.relaxed.push_back(groupPair(problem.inPlace[relaxed].result,
                                         problem.inPlace[relaxed].operand));
  std::sort(result.relaxed.begin(), result.relaxed.end());
}

Groups plan::memory::findGroups(const MemoryProblem &problem,
                                const InPlaceChoice &choice) {
  return Grouper(problem, choice).run();
}
