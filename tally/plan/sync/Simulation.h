//===- Simulation.h - when the operations of a plan would run ---*- C++ -*-===//

#ifndef TALLY_PLAN_SYNC_SIMULATION_H
#define TALLY_PLAN_SYNC_SIMULATION_H

#include "tally/plan/sync/Plan.h"
#include "tally/plan/sync/Schedule.h"

namespace tally::plan::sync {

/// One execution of a straight-line plan that is right, with registers that
/// hold values: every operation as early as its waits, queue and issue let it.
/// Signals, waits, clears and issuing take no time. O(n q) for n operations in
/// q queues.
Schedule simulate(const SyncProblem &problem, const SyncPlan &plan);

} // namespace tally::plan::sync

#endif // TALLY_PLAN_SYNC_SIMULATION_H
