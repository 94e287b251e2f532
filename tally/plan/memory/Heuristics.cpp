//===- Heuristics.cpp - the classic one-pass planners ---------------------===//
//
// Each takes the items in a fixed order and never moves one again: what is
// placed already and meets the item is sorted by address, and the gaps between
// are tried from the lowest.
//
//===----------------------------------------------------------------------===//

#include "tally/plan/memory/Heuristics.h"

#include "tally/plan/memory/Bound.h"
#include "tally/plan/memory/Meets.h"

#include <algorithm>
#include <numeric>

using namespace tally;
using namespace tally::plan::memory;

const char *plan::memory::heuristicName(Heuristic heuristic) {
  constexpr const char *names[] = {"size, first fit", "size, best fit",
                                   "start, first fit", "breadth, best fit"};
  return names[static_cast<int>(heuristic)];
}

static void sortBySize(const Instance &instance, std::vector<ItemId> &items) {
  std::sort(items.begin(), items.end(), [&](ItemId a, ItemId b) {
    int64_t first = instance.items[a].size, second = instance.items[b].size;
    return first != second ? first > second : a < b;
  });
}

/// Items of the fullest section by size, then those of the next fullest.
static std::vector<ItemId> breadthOrder(const Instance &instance) {
  std::vector<int64_t> load = sumSections(
      instance, [&](ItemId item) { return instance.items[item].size; });
  std::vector<uint32_t> sections(instance.sections), rank(instance.sections);
  std::iota(sections.begin(), sections.end(), 0);
  std::sort(sections.begin(), sections.end(), [&](uint32_t a, uint32_t b) {
    return load[a] != load[b] ? load[a] > load[b] : a < b;
  });
  for (uint32_t i = 0; i < sections.size(); ++i)
    rank[sections[i]] = i;
  std::vector<uint32_t> first(instance.items.size(), UINT32_MAX);
  std::vector<ItemId> items(instance.items.size());
  for (ItemId item = 0; item < items.size(); ++item) {
    items[item] = item;
    for (const Sections &life : instance.lives[item])
      for (uint32_t section = life.begin; section < life.end; ++section)
        first[item] = std::min(first[item], rank[section]);
  }
  sortBySize(instance, items);
  std::stable_sort(items.begin(), items.end(),
                   [&](ItemId a, ItemId b) { return first[a] < first[b]; });
  return items;
}

static std::vector<ItemId> orderOf(const Instance &instance,
                                   Heuristic heuristic) {
  if (heuristic == Heuristic::BreadthBestFit)
    return breadthOrder(instance);
  std::vector<ItemId> items(instance.items.size());
  std::iota(items.begin(), items.end(), 0);
  // Items are numbered by the begin of their lives.
  if (heuristic != Heuristic::StartFirstFit)
    sortBySize(instance, items);
  return items;
}

/// Where `item` goes between `placed`, [begin, end) sorted by address.
static int64_t findGap(const Instance &instance, ItemId item,
                       const std::vector<Interval> &placed, bool bestFit) {
  int64_t size = instance.items[item].size, end = 0;
  int64_t best = kNone, bestGap = kUnlimited;
  for (const Interval &other : placed) {
    int64_t address = instance.settle(item, end);
    int64_t gap = other.begin - end;
    if (address + size <= other.begin && gap < bestGap) {
      best = address;
      bestGap = gap;
      if (!bestFit)
        return best;
    }
    end = std::max(end, other.end);
  }
  return best == kNone ? instance.settle(item, end) : best;
}

Packing plan::memory::packClassic(const Instance &instance,
                                  Heuristic heuristic) {
  bool bestFit = heuristic == Heuristic::SizeBestFit ||
                 heuristic == Heuristic::BreadthBestFit;
  std::vector<std::vector<ItemId>> meets = findMeets(instance);
  std::vector<int64_t> addresses(instance.items.size(), kNone);
  std::vector<Interval> placed;
  for (ItemId item : orderOf(instance, heuristic)) {
    placed.clear();
    for (ItemId other : meets[item])
      if (addresses[other] != kNone)
        placed.push_back(
            {addresses[other], addresses[other] + instance.items[other].size});
    std::sort(placed.begin(), placed.end(),
              [](auto &a, auto &b) { return a.begin < b.begin; });
    addresses[item] = findGap(instance, item, placed, bestFit);
  }
  return packed(instance, std::move(addresses));
}
