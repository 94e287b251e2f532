//===- Dive.cpp - a plan from the bottom, without looking back ------------===//
//
// Always place the item whose lowest free address is the smallest. Addresses
// only rise, so a heap holds them as they were last seen: an item that comes
// out is looked up again, and goes back when it has risen. All that is placed
// below an item is summed up by the highest filled address of its sections.
//
// Example: a 4 [0,2), b 2 [1,3), c 4 [2,4), all at 0. a is placed at 0; b has
// risen to 4; c is placed at 0; b at 4. Size-ordered first fit can leave holes
// that this never makes, since what lies lower is placed first.
//
//===----------------------------------------------------------------------===//

#include "tally/plan/memory/Dive.h"

#include "tally/plan/memory/Bound.h"
#include "tally/plan/memory/Skyline.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <queue>

using namespace tally;
using namespace tally::plan::memory;

/// Positions of items in the order in which they are tried.
static std::vector<uint32_t> ranksOf(const Instance &instance,
                                     DiveOrder order) {
  std::vector<int64_t> load = sumSections(
      instance, [&](ItemId item) { return instance.items[item].room; });
  // Sections of a life are asked for their maximum: the skyline can say it.
  Skyline loads(instance.sections);
  for (uint32_t section = 0; section < instance.sections; ++section)
    loads.fill({section, section + 1}, load[section]);
  size_t count = instance.items.size();
  std::vector<std::array<double, 3>> keys(count);
  for (ItemId item = 0; item < count; ++item) {
    double fullest = 0, time = double(instance.extra[item].size());
    for (const Sections &life : instance.lives[item]) {
      fullest = std::max(fullest, double(loads.highest(life)));
      time += life.end - life.begin;
    }
    auto size = double(instance.items[item].size);
    double area = time * size;
    switch (order) {
    case DiveOrder::LoadTimeArea:
      keys[item] = {fullest, time, area};
      break;
    case DiveOrder::LoadAreaTime:
      keys[item] = {fullest, area, time};
      break;
    case DiveOrder::TimeArea:
      keys[item] = {time, area, fullest};
      break;
    case DiveOrder::Area:
      keys[item] = {area, fullest, time};
      break;
    case DiveOrder::Size:
      keys[item] = {size, time, fullest};
      break;
    }
  }
  std::vector<ItemId> items(count);
  std::iota(items.begin(), items.end(), 0);
  std::sort(items.begin(), items.end(), [&](ItemId a, ItemId b) {
    return keys[a] != keys[b] ? keys[a] > keys[b] : a < b;
  });
  std::vector<uint32_t> ranks(count);
  for (uint32_t rank = 0; rank < count; ++rank)
    ranks[items[rank]] = rank;
  return ranks;
}

namespace {
class Diver {
public:
  Diver(const Instance &instance, DiveOrder order)
      : instance(instance), skyline(instance.sections),
        addresses(instance.items.size(), kNone) {
    std::vector<uint32_t> ranks = ranksOf(instance, order);
    std::vector<Waiting> waiting;
    for (ItemId item = 0; item < instance.items.size(); ++item)
      waiting.push_back({instance.settle(item, 0), ranks[item], item});
    heap = std::priority_queue<Waiting>({}, std::move(waiting));
  }

  Packing run() {
    while (!heap.empty()) {
      Waiting next = heap.top();
      heap.pop();
      int64_t low = lowest(next.item);
      if (low == next.low)
        place(next.item, low);
      else
        heap.push({low, next.rank, next.item});
    }
    return packed(instance, std::move(addresses));
  }

private:
  struct Waiting {
    int64_t low;
    uint32_t rank;
    ItemId item;
    /// The heap's top is the greatest.
    bool operator<(const Waiting &other) const {
      return low != other.low ? low > other.low : rank > other.rank;
    }
  };

  int64_t lowest(ItemId item) const {
    int64_t low = 0;
    for (const Sections &life : instance.lives[item])
      low = std::max(low, skyline.highest(life));
    for (ItemId other : instance.extra[item])
      if (addresses[other] != kNone)
        low = std::max(low, addresses[other] + instance.items[other].room);
    return instance.settle(item, low);
  }

  void place(ItemId item, int64_t low) {
    addresses[item] = low;
    for (const Sections &life : instance.lives[item])
      skyline.fill(life, low + instance.items[item].room);
  }

  const Instance &instance;
  Skyline skyline;
  std::vector<int64_t> addresses;
  std::priority_queue<Waiting> heap;
};
} // namespace

Packing plan::memory::packed(const Instance &instance,
                             std::vector<int64_t> addresses) {
  Packing packing;
  int64_t top = instance.fixedTop;
  for (ItemId item = 0; item < addresses.size(); ++item) {
    int64_t end = addresses[item] + instance.items[item].size;
    if (end > instance.items[item].high)
      return packing;
    top = std::max(top, end);
  }
  packing.addresses = std::move(addresses);
  packing.top = top;
  return packing;
}

Packing plan::memory::dive(const Instance &instance, DiveOrder order) {
  return Diver(instance, order).run();
}
