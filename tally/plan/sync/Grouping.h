//===- Grouping.h - several queues on one counter ---------------*- C++ -*-===//
//
// When counters are short, lanes are merged: all signalling operations of one
// group run one after the other, in issue order, and count on one counter. Any
// number of groups from 1 works, since the order added points forward.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_PLAN_SYNC_GROUPING_H
#define TALLY_PLAN_SYNC_GROUPING_H

#include "tally/plan/sync/Schedule.h"
#include "tally/plan/sync/Units.h"

namespace tally::plan::sync {

/// A group for each lane; those that do not signal have group 0.
struct Grouping {
  std::vector<uint32_t> groupOfLane;
  int64_t groups = 0;
  int64_t makespan = 0; ///< predicted
};

/// groupings[r - 1] is the best one found of at most r groups, for r from 1 to
/// the number of lanes that signal; makespans do not grow with r. All
/// partitions are tried when that is little work, otherwise pairs of groups
/// are merged, the cheapest first; long problems are priced by their first
/// 50,000 operations.
std::vector<Grouping> priceGroupings(const SyncProblem &problem,
                                     const Order &order, const Units &units);

/// Group of each signalling operation, kNoGroup for others.
std::vector<uint32_t> groupOfOps(const Order &order, const Units &units,
                                 const std::vector<uint32_t> &groupOfLane);

/// Dependencies that put the operations of each group in issue order.
std::vector<Dependency> groupOrder(const std::vector<uint32_t> &groupOfOp);

} // namespace tally::plan::sync

#endif // TALLY_PLAN_SYNC_GROUPING_H
