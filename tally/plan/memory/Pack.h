//===- Pack.h - the best addresses that effort finds ------------*- C++ -*-===//

#ifndef TALLY_PLAN_MEMORY_PACK_H
#define TALLY_PLAN_MEMORY_PACK_H

#include "tally/plan/memory/Bound.h"
#include "tally/plan/memory/Dive.h"

#include <chrono>

namespace tally::plan::memory {

/// When to stop. Steps are the same on every machine; the clock is a guard,
/// and what is found before it may differ.
struct Effort {
  uint64_t steps = 4'000'000; ///< of the searches in all
  std::chrono::steady_clock::time_point until =
      std::chrono::steady_clock::time_point::max();
  /// A packing that ends here or below is good enough; kNone: only the best is.
  int64_t enough = kNone;
};

struct PackResult {
  Packing best;
  int64_t lowerBound = 0;   ///< no packing ends below
  bool isExhausted = false; ///< the search showed it, not Bound::proof
  uint64_t steps = 0;
};

/// Dives first, then searches for lower tops until one meets the bound.
PackResult pack(const Instance &instance, const Bound &bound,
                const Effort &effort);

} // namespace tally::plan::memory

#endif // TALLY_PLAN_MEMORY_PACK_H
