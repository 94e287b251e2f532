//===- Account.cpp - where the bytes of a plan are ------------------------===//

#include "tally/plan/memory/Account.h"

#include "tally/plan/memory/Bound.h"
#include "tally/plan/memory/Times.h"

#include <algorithm>
#include <numeric>

using namespace tally;
using namespace tally::plan::memory;

std::vector<StorageId> plan::memory::rootsOf(const Grouped &grouped,
                                             const std::vector<ItemId> &items) {
  std::vector<bool> isIn(grouped.instance.items.size());
  for (ItemId item : items)
    isIn[item] = true;
  std::vector<StorageId> roots;
  for (size_t group = 0; group < grouped.groups.groups.size(); ++group)
    if (int64_t item = grouped.instance.itemOf[group];
        item != kNone && isIn[item])
      roots.push_back(grouped.groups.groups[group].first);
  return roots;
}

void plan::memory::sortBySize(const MemoryProblem &problem,
                              std::vector<StorageId> &storages) {
  std::sort(storages.begin(), storages.end(), [&](StorageId a, StorageId b) {
    const Storage &first = problem.storages[a], &second = problem.storages[b];
    return first.bytes != second.bytes ? first.bytes > second.bytes
                                       : first.name < second.name;
  });
}

namespace {
/// Finds the groups that need most bytes together. A result that took its
/// operand's place counts from the next step on.
class PeakFinder {
public:
  PeakFinder(const MemoryProblem &problem, const MemoryPlan &plan)
      : problem(problem), groups(findGroups(problem, {{}, plan.inPlace, true})),
        times(findTimes(problem, groups)) {}

  std::vector<StorageId> run() {
    std::vector<uint32_t> heaviest = heaviestSection();
    if (!times.extra.empty() && groups.groups.size() <= kMostCompared)
      if (std::vector<uint32_t> clique = heaviestClique();
          weightOf(clique) > weightOf(heaviest))
        heaviest = clique;
    std::vector<StorageId> roots;
    for (uint32_t group : heaviest)
      if (bytesOf(group) > 0)
        roots.push_back(groups.groups[group].first);
    return roots;
  }

  /// First step at which all `storages`, which are roots, are needed.
  int64_t stepOf(const std::vector<StorageId> &storages) const;

private:
  int64_t bytesOf(uint32_t group) const {
    return problem.storages[groups.groups[group].first].bytes;
  }
  int64_t weightOf(const std::vector<uint32_t> &chosen) const {
    int64_t sum = 0;
    for (uint32_t group : chosen)
      sum += bytesOf(group);
    return sum;
  }
  std::vector<uint32_t> heaviestSection() const;
  std::vector<uint32_t> heaviestClique() const;

  const MemoryProblem &problem;
  Groups groups;
  Times times;
};
} // namespace

std::vector<uint32_t> PeakFinder::heaviestSection() const {
  std::vector<int64_t> sums(times.sections + 1);
  for (uint32_t group = 0; group < groups.groups.size(); ++group)
    for (const Sections &life : times.lives[group]) {
      sums[life.begin] += bytesOf(group);
      sums[life.end] -= bytesOf(group);
    }
  std::partial_sum(sums.begin(), sums.end(), sums.begin());
  auto section = std::max_element(sums.begin(), sums.end()) - sums.begin();
  std::vector<uint32_t> members;
  for (uint32_t group = 0; group < groups.groups.size(); ++group)
    for (const Sections &life : times.lives[group])
      if (life.begin <= section && section < life.end)
        members.push_back(group);
  return members;
}

std::vector<uint32_t> PeakFinder::heaviestClique() const {
  constexpr uint64_t nodes = 20'000;
  std::vector<std::vector<ItemId>> meets(groups.groups.size());
  std::vector<int64_t> weights;
  auto share = [&](uint32_t a, uint32_t b) {
    for (const Sections &one : times.lives[a])
      for (const Sections &other : times.lives[b])
        if (std::max(one.begin, other.begin) < std::min(one.end, other.end))
          return true;
    return false;
  };
  for (auto [a, b] : times.extra)
    meets[a].push_back(b);
  for (uint32_t a = 0; a < groups.groups.size(); ++a) {
    weights.push_back(bytesOf(a));
    for (uint32_t b = a + 1; b < groups.groups.size(); ++b)
      if (share(a, b))
        meets[a].push_back(b);
  }
  return findClique(meets, weights, nodes);
}

int64_t PeakFinder::stepOf(const std::vector<StorageId> &storages) const {
  if (groups.hasAccesses)
    return kNone;
  std::vector<std::span<const Interval>> lives;
  std::vector<int64_t> steps;
  for (StorageId id : storages)
    if (int64_t group = groups.groupOf[id]; !groups.groups[group].isAlways) {
      lives.push_back(groups.lives[group]);
      for (const Interval &one : lives.back())
        steps.push_back(one.begin);
    }
  std::sort(steps.begin(), steps.end());
  for (int64_t step : steps)
    if (std::all_of(lives.begin(), lives.end(), [&](auto life) {
          return std::any_of(life.begin(), life.end(), [&](auto &one) {
            return one.begin <= step && step < one.end;
          });
        }))
      return step;
  return kNone;
}

/// The largest range below the extent that nobody has.
static Interval largestHole(std::vector<Interval> taken, int64_t extent) {
  normalize(taken);
  Interval largest;
  int64_t end = 0;
  auto offer = [&](int64_t begin) {
    if (begin - end > largest.end - largest.begin)
      largest = {end, begin};
  };
  for (const Interval &one : taken) {
    offer(std::min(one.begin, extent));
    end = std::max(end, one.end);
  }
  offer(extent);
  return largest;
}

void plan::memory::account(const MemoryProblem &problem, const MemoryPlan &plan,
                           MemoryReport &report) {
  int64_t granule = problem.limits.granule;
  PeakFinder finder(problem, plan);
  report.extent = plan.extent;
  report.peakSet = finder.run();
  sortBySize(problem, report.peakSet);
  report.peakStep = finder.stepOf(report.peakSet);
  std::vector<Interval> taken;
  for (StorageId id : report.peakSet) {
    int64_t bytes = problem.storages[id].bytes;
    int64_t rounded = (bytes + granule - 1) / granule * granule;
    report.livePeak += bytes;
    report.padding += rounded - bytes;
    taken.push_back({plan.offsets[id], plan.offsets[id] + rounded});
  }
  std::vector<Interval> reserved;
  reserved.reserve(problem.reserved.size());
  for (const Region &region : problem.reserved)
    reserved.push_back({region.begin, std::min(region.end, plan.extent)});
  normalize(reserved);
  for (const Interval &one : reserved)
    report.reserved += one.end - one.begin;
  taken.insert(taken.end(), reserved.begin(), reserved.end());
  report.hole = largestHole(std::move(taken), plan.extent);
}
