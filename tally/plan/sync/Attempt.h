//===- Attempt.h - one order tried out on the registers ---------*- C++ -*-===//
//
// Between dependencies and a plan: the order they make, its units, and a
// register for each. A plan that needs more order is a new attempt.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_PLAN_SYNC_ATTEMPT_H
#define TALLY_PLAN_SYNC_ATTEMPT_H

#include "tally/plan/sync/Coloring.h"

namespace tally::plan::sync {

struct Attempt {
  Order order;
  Units units;
  std::vector<uint32_t> registerOf; ///< of each unit, from 0 in its domain
  std::vector<uint32_t> used;       ///< registers of each domain
  uint32_t needed = 0;              ///< largest of `used`
  Assignment hardest;               ///< of the domain with `needed`
};

/// Registers by the rules of sharing.
Result<Attempt> tryShared(const SyncProblem &problem,
                          const std::vector<Dependency> &dependencies,
                          const std::vector<Op> &drains = {});

/// One counter for each group (Grouping.h) in each domain.
Result<Attempt> tryGroups(const SyncProblem &problem,
                          const std::vector<Dependency> &dependencies,
                          const std::vector<uint32_t> &groupOfOp,
                          const std::vector<Op> &drains = {});

/// Where counters would pass their largest value. Signals first move on to
/// registers that are still unused (in `attempt`); where there are none, a
/// drain is needed: the positions, ascending, before which they suffice.
std::vector<Op> limitCounts(const SyncProblem &problem, Attempt &attempt);

/// Dependencies that keep tokens within their largest value: either the
/// producer waits for a consumer, or the consumer for a later producer,
/// whichever is forward.
std::vector<Dependency> limitTokens(const SyncProblem &problem,
                                    const Attempt &attempt);

/// All operations that have an edge, one after the other.
std::vector<Dependency> handOffChain(const Order &order);

/// The fewest drains that do the work of all edges.
std::vector<Op> drainsFor(const Order &order);

/// The commands. Drains are those of the order.
SyncPlan emitPlan(const SyncProblem &problem, const Attempt &attempt);

} // namespace tally::plan::sync

#endif // TALLY_PLAN_SYNC_ATTEMPT_H
