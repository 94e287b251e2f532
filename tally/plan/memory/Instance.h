//===- Instance.h - the problem as solvers see it ---------------*- C++ -*-===//
//
// Numbers instead of names: items to place, and for each the sections of time
// in which it is needed. Sections are the maximal sets of storages that live
// together, in the order of time; other steps add nothing. Lives in accesses
// become sections, too, when that order is an interval order; otherwise, and
// for conflicts that are given, items have a list of those they meet.
//
// Items are in an order that does not depend on that of the storages, so equal
// problems have equal plans whatever the order of their rows.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_PLAN_MEMORY_INSTANCE_H
#define TALLY_PLAN_MEMORY_INSTANCE_H

#include "tally/plan/memory/Groups.h"

namespace tally::plan::memory {

using ItemId = uint32_t;

/// All numbers of bytes of items are in units of Instance::unit.
struct Item {
  int64_t size = 0;
  int64_t room = 0; ///< size, rounded up to what all addresses are multiples of
  int64_t alignment = 1,
          residue = 0;               ///< addresses are residue modulo alignment
  int64_t low = 0, high = INT64_MAX; ///< it lies in [low, high)
  /// How long it is needed: in steps of its lives, or else in sections. Only
  /// says what to try first.
  double duration = 0;
};

/// Sections [begin, end).
struct Sections {
  uint32_t begin = 0, end = 0;
};

struct Instance {
  int64_t unit = 1;
  int64_t step = 1; ///< all addresses are multiples
  std::vector<Item> items;
  uint32_t sections = 0;
  Rows<Sections> lives;        ///< of items
  Rows<ItemId> extra;          ///< of items: those it meets beside its sections
  Rows<Interval> taken;        ///< of items: bytes it may not have, sorted
  Rows<Interval> sectionTaken; ///< of sections: bytes no item may have, sorted
  std::vector<Interval> reserved; ///< bytes nothing may have
  bool isExact = true;            ///< items meet only if the problem says so
  int64_t fixedTop = 0; ///< end of the highest storage with a fixed address
  std::vector<int64_t> itemOf; ///< groups to items, or kNone

  bool hasExtra() const { return extra.total() != 0; }
  /// First address from `from` on where the item fits beside what is fixed.
  int64_t settle(ItemId item, int64_t from) const;
};

struct Grouped {
  Groups groups;
  Instance instance;
};

/// Fails with MEM-6 when storages with fixed addresses clash. `problem` keeps
/// MEM-2 to MEM-9.
Result<Grouped> makeInstance(const MemoryProblem &problem,
                             const InPlaceChoice &choice);

/// The plan that puts items at `addresses` (in units).
MemoryPlan makePlan(const MemoryProblem &problem, const Grouped &grouped,
                    const InPlaceChoice &choice,
                    const std::vector<int64_t> &addresses);

} // namespace tally::plan::memory

#endif // TALLY_PLAN_MEMORY_INSTANCE_H
