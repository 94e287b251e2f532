//===- Dive.cpp - a plan from the bottom, without looking back ------------===//
//
// Always place the item whose lowest free address is the smallest. Addresses
// only rise, so a queue holds them as they were last seen: all items of the
// lowest level come out, in the order of their ranks; each is looked up again,
// and goes back to a higher level when it has risen. All that is placed below
// an item is summed up by the highest filled address of its sections.
//
// Example: a 4 [0,2), b 2 [1,3), c 4 [2,4), all at 0. a is placed at 0; b has
// risen to 4; c is placed at 0; b at 4. Size-ordered first fit can leave holes
// that this never makes, since what lies lower is placed first.
//
//===----------------------------------------------------------------------===//

#include "tally/plan/memory/Dive.h"

#include "tally/plan/memory/Bound.h"
#include "tally/plan/memory/LevelQueue.h"
#include "tally/plan/memory/Skyline.h"

#include <algorithm>
#include <tuple>

using namespace tally;
using namespace tally::plan::memory;

namespace {
struct Key {
  int64_t first, second, third;
  ItemId item;
  bool operator<(const Key &other) const {
    return std::tie(other.first, other.second, other.third, item) <
           std::tie(first, second, third, other.item);
  }
};
} // namespace

/// Fullness of the fullest section of each item.
static std::vector<int64_t> loadsOf(const Instance &instance) {
  std::vector<int64_t> sums = sumSections(
      instance, [&](ItemId item) { return instance.items[item].room; });
  Skyline skyline(instance.sections);
  for (uint32_t section = 0; section < instance.sections; ++section)
    skyline.fill({section, section + 1}, sums[section]);
  std::vector<int64_t> loads(instance.items.size());
  for (ItemId item = 0; item < loads.size(); ++item)
    for (const Sections &life : instance.lives[item])
      loads[item] = std::max(loads[item], skyline.highest(life));
  return loads;
}

/// Items in the order in which they are tried.
static std::vector<ItemId> orderOf(const Instance &instance, DiveOrder order) {
  std::vector<int64_t> loads = loadsOf(instance);
  std::vector<Key> keys(instance.items.size());
  for (ItemId item = 0; item < keys.size(); ++item) {
    auto time = static_cast<int64_t>(instance.extra[item].size());
    for (const Sections &life : instance.lives[item])
      time += life.end - life.begin;
    int64_t load = loads[item], size = instance.items[item].size, area;
    if (__builtin_mul_overflow(time, size, &area))
      area = kUnlimited;
    switch (order) {
    case DiveOrder::LoadTimeArea:
      keys[item] = {load, time, area, item};
      break;
    case DiveOrder::LoadAreaTime:
      keys[item] = {load, area, time, item};
      break;
    case DiveOrder::TimeArea:
      keys[item] = {time, area, load, item};
      break;
    case DiveOrder::Area:
      keys[item] = {area, load, time, item};
      break;
    case DiveOrder::Size:
      keys[item] = {size, time, load, item};
      break;
    }
  }
  std::sort(keys.begin(), keys.end());
  std::vector<ItemId> items;
  items.reserve(keys.size());
  for (const Key &key : keys)
    items.push_back(key.item);
  return items;
}

namespace {
class Diver {
public:
  Diver(const Instance &instance, DiveOrder order)
      : instance(instance), items(orderOf(instance, order)),
        skyline(instance.sections), addresses(instance.items.size(), kNone) {
    for (uint32_t rank = 0; rank < items.size(); ++rank)
      waiting.push(instance.settle(items[rank], 0), rank);
  }

  Packing run() {
    std::vector<uint32_t> level;
    while (!waiting.isEmpty()) {
      int64_t low = waiting.popLevel(level);
      std::sort(level.begin(), level.end());
      for (uint32_t rank : level) {
        ItemId item = items[rank];
        int64_t now = lowest(item);
        if (now == low)
          place(item, low);
        else
          waiting.push(now, rank);
      }
    }
    return packed(instance, std::move(addresses));
  }

private:
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
  std::vector<ItemId> items; ///< by rank
  Skyline skyline;
  LevelQueue waiting;
  std::vector<int64_t> addresses;
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
