//===- Account.h - where the bytes of a plan are ----------------*- C++ -*-===//

#ifndef TALLY_PLAN_MEMORY_ACCOUNT_H
#define TALLY_PLAN_MEMORY_ACCOUNT_H

#include "tally/plan/memory/Instance.h"
#include "tally/plan/memory/Solver.h"

namespace tally::plan::memory {

/// Fills `report` but for the bound, the pairs and the steps.
void account(const MemoryProblem &problem, const MemoryPlan &plan,
             MemoryReport &report);

/// First roots of items.
std::vector<StorageId> rootsOf(const Grouped &grouped,
                               const std::vector<ItemId> &items);

/// Largest first, then by name.
void sortBySize(const MemoryProblem &problem, std::vector<StorageId> &storages);

} // namespace tally::plan::memory

#endif // TALLY_PLAN_MEMORY_ACCOUNT_H
