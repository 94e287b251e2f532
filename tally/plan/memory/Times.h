//===- Times.h - lives of groups as sections --------------------*- C++ -*-===//

#ifndef TALLY_PLAN_MEMORY_TIMES_H
#define TALLY_PLAN_MEMORY_TIMES_H

#include "tally/plan/memory/Instance.h"

namespace tally::plan::memory {

struct Times {
  uint32_t sections = 0;
  Rows<Sections> lives; ///< of groups; needed always: all sections
  /// Pairs that meet beside their sections, smaller first, sorted.
  std::vector<std::pair<uint32_t, uint32_t>> extra;
  bool isExact = true;
};

/// Not exact for accesses of more than kMostCompared groups: see
/// InPlaceChoice::forBound.
Times findTimes(const MemoryProblem &problem, const Groups &groups);

inline constexpr size_t kMostCompared = 4000;

} // namespace tally::plan::memory

#endif // TALLY_PLAN_MEMORY_TIMES_H
