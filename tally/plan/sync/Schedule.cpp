//===- Schedule.cpp - when operations would run ---------------------------===//

#include "tally/plan/sync/Schedule.h"

#include <algorithm>
#include <functional>
#include <queue>

using namespace tally::plan::sync;

namespace {
using MinHeap =
    std::priority_queue<int64_t, std::vector<int64_t>, std::greater<>>;

/// What the next operation of a queue has to wait for.
struct QueueState {
  int64_t lastStart = 0, lastEnd = 0;
  MinHeap ends; ///< of the operations that still hold a place
};

class Clock {
public:
  Clock(const SyncProblem &problem, std::span<const uint32_t> groupOf)
      : problem(problem), groupOf(groupOf), queues(problem.queues.size()) {
    if (!groupOf.empty())
      groupEnd.assign(problem.operations.size(), 0);
  }

  void drain() { issued = std::max(issued, latest); }

  /// `ready` is when the edges let the operation start.
  void run(Op op, int64_t ready, Schedule &schedule) {
    const Operation &operation = problem.operations[op];
    const Queue &queue = problem.queues[operation.queue];
    QueueState &state = queues[operation.queue];
    if (state.ends.size() == static_cast<size_t>(queue.depth)) {
      issued = std::max(issued, state.ends.top());
      state.ends.pop();
    }
    int64_t start = std::max(
        {ready, issued, queue.inOrder ? state.lastEnd : state.lastStart});
    uint32_t group = groupOf.empty() ? kNoGroup : groupOf[op];
    if (group != kNoGroup)
      start = std::max(start, groupEnd[group]);
    int64_t end = start + operation.duration;
    if (group != kNoGroup)
      groupEnd[group] = end;
    state.lastStart = start;
    state.lastEnd = end;
    state.ends.push(end);
    latest = std::max(latest, end);
    schedule.start[op] = start;
    schedule.end[op] = end;
  }

  int64_t latest = 0;

private:
  const SyncProblem &problem;
  std::span<const uint32_t> groupOf;
  std::vector<QueueState> queues;
  std::vector<int64_t> groupEnd;
  int64_t issued = 0;
};
} // namespace

Schedule tally::plan::sync::predict(const SyncProblem &problem,
                                    const std::vector<Edge> &edges,
                                    const std::vector<Op> &drains,
                                    std::span<const uint32_t> groupOf) {
  size_t count = problem.operations.size();
  Schedule schedule;
  schedule.start.resize(count);
  schedule.end.resize(count);
  Clock clock(problem, groupOf);
  auto edge = edges.begin();
  auto drain = drains.begin();
  for (Op op = 0; op < count; ++op) {
    if (drain != drains.end() && *drain == op) {
      clock.drain();
      ++drain;
    }
    int64_t ready = 0;
    for (; edge != edges.end() && edge->to == op; ++edge)
      ready = std::max(ready, schedule.end[edge->from]);
    clock.run(op, ready, schedule);
  }
  schedule.makespan = clock.latest;
  return schedule;
}
