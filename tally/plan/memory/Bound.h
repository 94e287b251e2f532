//===- Bound.h - what no plan can go below ----------------------*- C++ -*-===//

#ifndef TALLY_PLAN_MEMORY_BOUND_H
#define TALLY_PLAN_MEMORY_BOUND_H

#include "tally/plan/memory/Instance.h"

namespace tally::plan::memory {

/// No plan ends below `top`, because of `proof`: items of which each meets each
/// other; empty when it is the end of a storage with a fixed address.
struct Bound {
  int64_t top = 0;
  std::vector<ItemId> proof;
};

/// The heaviest section, and with extra pairs the heaviest set of items that
/// meet pairwise, as far as `nodes` steps of a search find it.
Bound findBound(const Instance &instance, uint64_t nodes);

/// Items of which each meets each other, as heavy as found.
std::vector<ItemId> findClique(const std::vector<std::vector<ItemId>> &meets,
                               const std::vector<int64_t> &weights,
                               uint64_t nodes);

/// First end of `need` units that are stacked from 0 on beside `taken`.
int64_t stackedTop(std::span<const Interval> taken, int64_t need);

/// The items of one section.
std::vector<ItemId> itemsOf(const Instance &instance, uint32_t section);

/// Sum of `value(item)` of the items of each section.
template <typename Value>
std::vector<int64_t> sumSections(const Instance &instance, Value value) {
  std::vector<int64_t> sums(instance.sections + 1);
  for (ItemId item = 0; item < instance.items.size(); ++item)
    for (const Sections &life : instance.lives[item]) {
      sums[life.begin] += value(item);
      sums[life.end] -= value(item);
    }
  for (uint32_t section = 0; section < instance.sections; ++section)
    sums[section + 1] += sums[section];
  sums.resize(instance.sections);
  return sums;
}

} // namespace tally::plan::memory

#endif // TALLY_PLAN_MEMORY_BOUND_H
