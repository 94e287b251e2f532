//===- ArenaPlan.h - where in the arena each storage lies -------*- C++ -*-===//

#ifndef TALLY_CPU_ARENAPLAN_H
#define TALLY_CPU_ARENAPLAN_H

#include "tally/plan/memory/Problem.h"
#include "tally/runtime/Interface.h"
#include "tally/support/Result.h"

#include <optional>

namespace tally::cpu {

struct ArenaPlan {
  plan::memory::MemoryPlan plan;         ///< valid
  std::vector<runtime::PeakTensor> peak; ///< largest first
};

/// Plans the storages; names need not be distinct. CPU-PLAN, and CPU-BUDGET
/// when the arena is larger than `budget`.
Result<ArenaPlan> planArena(const plan::memory::MemoryProblem &wanted,
                            std::optional<int64_t> budget);

} // namespace tally::cpu

#endif // TALLY_CPU_ARENAPLAN_H
