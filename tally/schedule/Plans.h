//===- Plans.h - order and synchronization of a program ---------*- C++ -*-===//
//
// The joins with the planners, in one direction: order, then memory
// (Addresses.h), then synchronization. Each answer is attributes of the
// npu.program.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_SCHEDULE_PLANS_H
#define TALLY_SCHEDULE_PLANS_H

#include "tally/machine/Machine.h"
#include "tally/plan/sync/Solver.h"
#include "tally/schedule/Choices.h"
#include "tally/schedule/Npu.h"
#include "tally/support/Result.h"

namespace tally::schedule {

/// Fixes the order of issue and fills `after`. Loads of constants go
/// choices.prefetch steps ahead of their readers, and wait for the step before
/// that: the weights of prefetch + 1 steps at most are in SRAM. Whatever else
/// has to wait follows from what commands read and write in one storage.
void orderCommands(npu::ProgramOp program, const machine::Machine &machine,
                   const Choices &choices);

/// A synchronization problem, of operations named "place node", as solved.
struct SyncPlan {
  plan::sync::SyncProblem problem;
  plan::sync::SyncSolution solution;
};

struct SyncOptions {
  /// Use no more registers than these, of each key of the machine's file.
  std::optional<int64_t> registers;
  bool priceFewer = false; ///< report what fewer would cost
};

/// Fills waits, clears, signals and drains. Fails by the planner's rules
/// (SYNC-n).
Result<SyncPlan> planSync(npu::ProgramOp program,
                          const machine::Machine &machine,
                          const SyncOptions &options = {});

} // namespace tally::schedule

#endif // TALLY_SCHEDULE_PLANS_H
