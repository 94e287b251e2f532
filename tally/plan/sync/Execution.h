//===- Execution.h - one run of a program as a straight line ----*- C++ -*-===//
//
// Part of the judge (Plan.h, findViolation) and of tests; the planner does not
// use it. It says once more, in code, what Problem.h and Plan.h say regions,
// distances, gates and compensated commands mean.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_PLAN_SYNC_EXECUTION_H
#define TALLY_PLAN_SYNC_EXECUTION_H

#include "tally/plan/sync/Plan.h"

namespace tally::plan::sync {

/// What is known only at run time, for each region: how many trips a loop has
/// each time that it is reached, and which branches of an if run.
struct Choice {
  enum Branch : uint32_t { Then, Else, ThenElse /*by turns*/, ElseThen };
  std::vector<uint32_t> of; ///< trips, or a Branch

  /// "2 trips of 'tiles', 'last' alternates".
  std::string text(const SyncProblem &problem) const;
};

/// A program in one execution: no regions, gates or relative waits are left.
struct Execution {
  SyncProblem problem;
  SyncPlan plan;
  std::vector<Op> original; ///< of each operation: as in Plan.h, gates too
  /// The most that a register could hold, for each, were operations to run one
  /// after the other in issue order.
  std::vector<int64_t> most;
  Violation imbalance; ///< law BALANCE
};

/// `plan` names nothing that does not exist.
Execution execute(const SyncProblem &problem, const SyncPlan &plan,
                  const Choice &choice);

/// Choices that together show every loop with 0, 1, 2 and some more trips and
/// every if with each Branch; all combinations of up to 3 regions, otherwise
/// equal ones, single ones changed, and others.
std::vector<Choice> choicesOf(const SyncProblem &problem);

/// The laws but BALANCE, of a problem and plan without regions, gates and
/// relative waits.
Violation judgeStraightLine(const SyncProblem &problem, const SyncPlan &plan);

/// The most that any token can hold, of such a plan that is right.
int64_t mostHeld(const SyncProblem &problem, const SyncPlan &plan);

} // namespace tally::plan::sync

#endif // TALLY_PLAN_SYNC_EXECUTION_H
