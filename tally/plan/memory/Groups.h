//===- Groups.h - storages that move together -------------------*- C++ -*-===//
//
// A root with its parts, and with what takes its place, is one thing to place:
// a group. Caller's storages are in no group.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_PLAN_MEMORY_GROUPS_H
#define TALLY_PLAN_MEMORY_GROUPS_H

#include "tally/plan/memory/Roots.h"
#include "tally/plan/memory/Rows.h"

namespace tally::plan::memory {

/// What is done about in-place pairs: positions of MemoryProblem::inPlace, all
/// of them legal (InPlace.h).
struct InPlaceChoice {
  std::vector<uint32_t> merged;  ///< one address, one group
  std::vector<uint32_t> relaxed; ///< may share bytes or not: for lower bounds
  /// Where time is not known exactly, groups that may not meet do not: what
  /// holds of them holds of all plans. Otherwise groups that may meet do.
  bool forBound = false;
};

struct Group {
  StorageId first = 0; ///< its first root
  int64_t bytes = 0;   ///< a multiple of the granule
  Alignment alignment;
  int64_t at = kNone;
  int64_t bank = kNone;
  bool isAlways = false;
};

struct Groups {
  std::vector<Group> groups;
  std::vector<int64_t> groupOf; ///< storages to groups, or kNone
  std::vector<Place> places;    ///< of storages in their roots
  bool hasAccesses = false;
  bool forBound = false;
  Rows<Interval> lives; ///< of groups: sorted, disjoint; without accesses
  Rows<OpId> accesses;  ///< of groups
  /// Pairs of groups, smaller first, each once.
  std::vector<std::pair<uint32_t, uint32_t>> conflicts;
  std::vector<std::pair<uint32_t, uint32_t>> relaxed; ///< never meet; sorted
};

/// `problem` keeps MEM-2 to MEM-9.
Groups findGroups(const MemoryProblem &problem, const InPlaceChoice &choice);

/// Sorted, disjoint, without empty ones.
void normalize(std::vector<Interval> &intervals);

} // namespace tally::plan::memory

#endif // TALLY_PLAN_MEMORY_GROUPS_H
