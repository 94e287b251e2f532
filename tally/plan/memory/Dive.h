//===- Dive.h - a plan from the bottom, without looking back ----*- C++ -*-===//

#ifndef TALLY_PLAN_MEMORY_DIVE_H
#define TALLY_PLAN_MEMORY_DIVE_H

#include "tally/plan/memory/Instance.h"

namespace tally::plan::memory {

/// Which of the items that can lie lowest is placed first: the one in the
/// fullest section (Load), that lives longest (Time), or that is largest in
/// bytes times sections (Area) or in bytes (Size); ties go on in this order.
enum class DiveOrder { LoadTimeArea, LoadAreaTime, TimeArea, Area, Size };
inline constexpr DiveOrder kDiveOrders[] = {
    DiveOrder::LoadTimeArea, DiveOrder::LoadAreaTime, DiveOrder::TimeArea,
    DiveOrder::Area, DiveOrder::Size};

struct Packing {
  std::vector<int64_t> addresses; ///< of items; empty: an item found no place
  int64_t top = kUnlimited;       ///< end of the highest, fixed ones included

  bool isFound() const { return top != kUnlimited; }
};

/// O(n log n) for lives that each are one interval, plus the extra pairs.
Packing dive(const Instance &instance, DiveOrder order);

/// `addresses` as a packing.
Packing packed(const Instance &instance, std::vector<int64_t> addresses);

} // namespace tally::plan::memory

#endif // TALLY_PLAN_MEMORY_DIVE_H
