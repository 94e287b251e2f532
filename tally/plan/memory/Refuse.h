//===- Refuse.h - why a problem has no plan that fits -----------*- C++ -*-===//

#ifndef TALLY_PLAN_MEMORY_REFUSE_H
#define TALLY_PLAN_MEMORY_REFUSE_H

#include "tally/plan/memory/Solver.h"

namespace tally::plan::memory {

/// Of a solution whose extent is beyond a limit.
Refusal refuse(const MemoryProblem &problem, MemorySolution solution,
               const SolveOptions &options);

/// MEM-14: banks and fixed addresses leave a storage no place.
Diagnostic noPlace();

/// A remedy as a request: "move 'a' (4096 bytes) to another memory".
std::string remedyText(const MemoryProblem &problem, const Refusal &refusal,
                       const Remedy &remedy);

} // namespace tally::plan::memory

#endif // TALLY_PLAN_MEMORY_REFUSE_H
