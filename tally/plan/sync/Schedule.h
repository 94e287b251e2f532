//===- Schedule.h - when operations would run -------------------*- C++ -*-===//

#ifndef TALLY_PLAN_SYNC_SCHEDULE_H
#define TALLY_PLAN_SYNC_SCHEDULE_H

#include "tally/plan/sync/Order.h"

#include <span>

namespace tally::plan::sync {

/// An operation runs in the half-open interval [start, end).
struct Schedule {
  std::vector<int64_t> start, end;
  int64_t makespan = 0;
};

/// A group of operations to run one after the other; none.
inline constexpr uint32_t kNoGroup = UINT32_MAX;

/// Every operation as early as its durations, edges, drains, queue and group
/// let it; signals, waits and the issue itself take no time. groupOf is empty
/// or has a group for each operation. Linear, but for queues that complete out
/// of order a logarithm of their depth.
Schedule predict(const SyncProblem &problem, const std::vector<Edge> &edges,
                 const std::vector<Op> &drains,
                 std::span<const uint32_t> groupOf = {});

} // namespace tally::plan::sync

#endif // TALLY_PLAN_SYNC_SCHEDULE_H
