//===- Report.h - a synchronization plan for people and programs *- C++ -*-===//

#ifndef TALLY_PLAN_SYNC_REPORT_H
#define TALLY_PLAN_SYNC_REPORT_H

#include "tally/plan/sync/Solver.h"

namespace llvm {
class raw_ostream;
}

namespace tally::plan::sync {

/// "2", "A:2" or "A>B:2": the queues that the file's key names, and the number.
std::string registerName(const SyncProblem &problem, const Register &reg);

/// An operation's name, or "before tiles in A" of a gate.
std::string commandName(const SyncProblem &problem, const SyncPlan &plan,
                        Op op);

/// What was needed and why, prices, and the commands of each operation.
void printSolution(llvm::raw_ostream &os, const SyncProblem &problem,
                   const SyncSolution &solution);

/// The same as one JSON object; docs/formats/sync-problem.md.
void writeSolutionJson(llvm::raw_ostream &os, const SyncProblem &problem,
                       const SyncSolution &solution);

/// A refusal as one JSON object.
void writeRefusalJson(llvm::raw_ostream &os, const Diagnostic &failure);

/// A drawing: a row for each queue, time to the right as predicted for the
/// plan; an operation is a box, a wait an arrow from the signals it needs, a
/// drain a line across. A program is drawn in the execution that its prices
/// are of. The first 2,000 operations are drawn.
std::string drawSvg(const SyncProblem &problem, const SyncSolution &solution);

} // namespace tally::plan::sync

#endif // TALLY_PLAN_SYNC_REPORT_H
