//===- Shortage.h - order and drains that save registers --------*- C++ -*-===//
//
// What is tried when a problem needs more registers than there are, besides
// grouping (Grouping.h) and hand-off (Attempt.h). All order that is added
// points forward.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_PLAN_SYNC_SHORTAGE_H
#define TALLY_PLAN_SYNC_SHORTAGE_H

#include "tally/plan/sync/Attempt.h"
#include "tally/plan/sync/Schedule.h"

namespace tally::plan::sync {

/// Signals made later: for each edge one from the last operation of the lane
/// that is predicted to end before the waiter starts. It implies the edge and
/// costs no predicted time; signals of one lane fall together, and later ones
/// come after more.
std::vector<Dependency> deferSignals(const Order &order,
                                     const Schedule &plenty);

/// Order that is predicted anyway: each waiter also waits for the last signal
/// of every lane that is predicted to have been made by then. Empty when that
/// would be more than 2^22 dependencies.
std::vector<Dependency> orderBySlack(const Order &order, const Units &units,
                                     const Schedule &plenty);

/// Positions, ascending, of drains between which `usable` tokens or flags of
/// each key suffice, as far as units in issue order show; with those that the
/// attempt has. Each is as late as can be.
std::vector<Op> drainsToFit(const SyncProblem &problem, const Attempt &attempt,
                            int64_t usable);

} // namespace tally::plan::sync

#endif // TALLY_PLAN_SYNC_SHORTAGE_H
