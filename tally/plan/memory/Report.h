//===- Report.h - a memory plan for people and programs ---------*- C++ -*-===//

#ifndef TALLY_PLAN_MEMORY_REPORT_H
#define TALLY_PLAN_MEMORY_REPORT_H

#include "tally/plan/memory/Solver.h"

namespace llvm {
class raw_ostream;
}

namespace tally::plan::memory {

/// The numbers, the peak set, in-place pairs, and the address of each storage.
void printSolution(llvm::raw_ostream &os, const MemoryProblem &problem,
                   const MemorySolution &solution);

/// The same as one JSON object; docs/formats/memory-problem.md.
void writeSolutionJson(llvm::raw_ostream &os, const MemoryProblem &problem,
                       const MemorySolution &solution);

/// A refusal as one JSON object, with the plan that does not fit, if any.
void writeRefusalJson(llvm::raw_ostream &os, const MemoryProblem &problem,
                      const Refusal &refusal);

/// A drawing: time to the right, one column for each step or operation at which
/// something changes; addresses upward. A storage is a box, the peak set is
/// highlighted, limits are lines. The first 5,000 storages are drawn.
std::string drawSvg(const MemoryProblem &problem,
                    const MemorySolution &solution);

} // namespace tally::plan::memory

#endif // TALLY_PLAN_MEMORY_REPORT_H
