//===- Meets.h - lists of who meets whom ------------------------*- C++ -*-===//

#ifndef TALLY_PLAN_MEMORY_MEETS_H
#define TALLY_PLAN_MEMORY_MEETS_H

#include "tally/plan/memory/Instance.h"

namespace tally::plan::memory {

/// Instances of more items are not searched: lists of pairs get too long.
inline constexpr size_t kMostListed = 6000;

/// Of each item those that it meets, without itself, in rising order.
std::vector<std::vector<ItemId>> findMeets(const Instance &instance);

/// Sets of items that meet pairwise: sections, and with extra pairs one that
/// each item is in.
std::vector<std::vector<ItemId>>
findCliques(const Instance &instance,
            const std::vector<std::vector<ItemId>> &meets);

} // namespace tally::plan::memory

#endif // TALLY_PLAN_MEMORY_MEETS_H
