//===- Bound.cpp - what no plan can go below ------------------------------===//
//
// What is needed at one time is stacked, each with its room but the topmost,
// which needs only its size. Without an order of time the same holds for items
// that meet pairwise: the heaviest such clique is searched by branch and bound,
// where a coloring bounds what can be added: of items that do not meet, a
// clique has one (Carraghan and Pardalos 1990; Kumlander 2004).
//
//===----------------------------------------------------------------------===//

#include "tally/plan/memory/Bound.h"

#include "tally/plan/memory/Meets.h"

#include <algorithm>
#include <numeric>

using namespace tally;
using namespace tally::plan::memory;

int64_t plan::memory::stackedTop(std::span<const Interval> taken,
                                 int64_t need) {
  int64_t at = 0;
  if (need == 0)
    return 0;
  for (const Interval &range : taken) {
    int64_t gap = range.begin - at;
    if (need <= gap)
      break;
    need -= std::max<int64_t>(gap, 0);
    at = range.end;
  }
  return at + need;
}

std::vector<ItemId> plan::memory::itemsOf(const Instance &instance,
                                          uint32_t section) {
  std::vector<ItemId> items;
  for (ItemId item = 0; item < instance.items.size(); ++item)
    for (const Sections &life : instance.lives[item])
      if (life.begin <= section && section < life.end)
        items.push_back(item);
  return items;
}

//===----------------------------------------------------------------------===//
// Cliques
//===----------------------------------------------------------------------===//

namespace {
class CliqueSearch {
public:
  CliqueSearch(const std::vector<std::vector<ItemId>> &meets,
               const std::vector<int64_t> &weights, uint64_t nodes)
      : weights(weights), nodes(nodes),
        edges(meets.size(), std::vector<bool>(meets.size())) {
    for (ItemId a = 0; a < meets.size(); ++a)
      for (ItemId b : meets[a])
        edges[a][b] = edges[b][a] = true;
  }

  std::vector<ItemId> run() {
    std::vector<ItemId> all(weights.size());
    std::iota(all.begin(), all.end(), 0);
    std::stable_sort(all.begin(), all.end(), [&](ItemId a, ItemId b) {
      return weights[a] > weights[b];
    });
    extend(all, 0);
    return best;
  }

private:
  /// An item, and the most that it and those before it in the list can add.
  struct Bounded {
    ItemId item;
    int64_t most;
  };

  std::vector<Bounded> color(const std::vector<ItemId> &items) const;
  void extend(const std::vector<ItemId> &items, int64_t weight);

  const std::vector<int64_t> &weights;
  uint64_t nodes;
  std::vector<std::vector<bool>> edges;
  std::vector<ItemId> clique, best;
  int64_t bestWeight = -1;
};
} // namespace

std::vector<CliqueSearch::Bounded>
CliqueSearch::color(const std::vector<ItemId> &items) const {
  std::vector<Bounded> result;
  std::vector<ItemId> rest = items, left;
  int64_t below = 0;
  while (!rest.empty()) {
    std::vector<ItemId> color;
    left.clear();
    for (ItemId item : rest) {
      bool meets = std::any_of(color.begin(), color.end(), [&](ItemId other) {
        return edges[item][other];
      });
      (meets ? left : color).push_back(item);
    }
    // Heaviest last, so that those before it are bounded by less.
    std::reverse(color.begin(), color.end());
    for (ItemId item : color)
      result.push_back({item, below + weights[item]});
    below = result.back().most;
    rest.swap(left);
  }
  return result;
}

void CliqueSearch::extend(const std::vector<ItemId> &items, int64_t weight) {
  if (weight > bestWeight) {
    bestWeight = weight;
    best = clique;
  }
  std::vector<Bounded> bounded = color(items);
  std::vector<bool> isLeft(weights.size());
  for (ItemId item : items)
    isLeft[item] = true;
  while (!bounded.empty()) {
    auto [item, most] = bounded.back();
    bounded.pop_back();
    if (weight + most <= bestWeight || nodes == 0)
      return;
    --nodes;
    isLeft[item] = false;
    std::vector<ItemId> next;
    for (ItemId other : items)
      if (isLeft[other] && edges[item][other])
        next.push_back(other);
    clique.push_back(item);
    extend(next, weight + weights[item]);
    clique.pop_back();
  }
}

std::vector<ItemId>
plan::memory::findClique(const std::vector<std::vector<ItemId>> &meets,
                         const std::vector<int64_t> &weights, uint64_t nodes) {
  return CliqueSearch(meets, weights, nodes).run();
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

/// The end of items that are stacked, the one with most padding on top.
static int64_t topOf(const Instance &instance, std::span<const ItemId> items,
                     std::span<const Interval> taken) {
  int64_t need = 0, padding = 0;
  for (ItemId item : items) {
    need += instance.items[item].room;
    padding = std::max(padding,
                       instance.items[item].room - instance.items[item].size);
  }
  return stackedTop(taken, need - padding);
}

static void boundSections(const Instance &instance, Bound &bound) {
  std::vector<int64_t> sums = sumSections(
      instance, [&](ItemId item) { return instance.items[item].room; });
  std::vector<std::pair<int64_t, uint32_t>> tops;
  tops.reserve(instance.sections);
  for (uint32_t section = 0; section < instance.sections; ++section)
    tops.emplace_back(
        -stackedTop(instance.sectionTaken[section], sums[section]), section);
  // Padding on top differs by less than a step.
  constexpr size_t kMostTried = 64;
  size_t tried = std::min(kMostTried, tops.size());
  std::partial_sort(tops.begin(), tops.begin() + tried, tops.end());
  for (size_t i = 0; i < tried && -tops[i].first > bound.top; ++i) {
    std::vector<ItemId> items = itemsOf(instance, tops[i].second);
    int64_t top = topOf(instance, items, instance.sectionTaken[tops[i].second]);
    if (top > bound.top)
      bound = {top, std::move(items)};
  }
}

static void boundCliques(const Instance &instance, uint64_t nodes,
                         Bound &bound) {
  std::vector<std::vector<ItemId>> meets = findMeets(instance);
  std::vector<int64_t> weights;
  weights.reserve(instance.items.size());
  for (const Item &item : instance.items)
    weights.push_back(item.room);
  std::vector<ItemId> clique = findClique(meets, weights, nodes);
  int64_t top = topOf(instance, clique, instance.reserved);
  if (top > bound.top)
    bound = {top, std::move(clique)};
}

Bound plan::memory::findBound(const Instance &instance, uint64_t nodes) {
  Bound bound{instance.fixedTop, {}};
  for (ItemId item = 0; item < instance.items.size(); ++item) {
    int64_t top = instance.settle(item, 0) + instance.items[item].size;
    if (top > bound.top)
      bound = {top, {item}};
  }
  boundSections(instance, bound);
  if (instance.hasExtra() && instance.items.size() <= kMostListed)
    boundCliques(instance, nodes, bound);
  return bound;
}
