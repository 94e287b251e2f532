//===- Order.cpp - which operation completes before which starts ----------===//
//
// Example: load (queue L), mul after load (queue M), store after mul (queue S).
// The clock of store is L 1, M 1, S 0. A second load has position 2 in L, so
// nothing orders it against the store.
//
//===----------------------------------------------------------------------===//

#include "tally/plan/memory/Order.h"

#include <algorithm>

using namespace tally;
using namespace tally::plan::memory;

bool Span::precedes(const Span &other) const {
  for (size_t queue = 0; queue < completed.size(); ++queue)
    if (completed[queue] > other.started[queue])
      return false;
  return true;
}

Order::Order(const MemoryProblem &problem)
    : problem(problem), queues(problem.queues.size()),
      clocks(problem.operations.size() * queues),
      position(problem.operations.size()) {
  std::vector<int64_t> last(queues, kNone);
  for (OpId op = 0; op < problem.operations.size(); ++op) {
    const Operation &operation = problem.operations[op];
    uint32_t *clock = clocks.data() + op * queues;
    auto include = [&](OpId earlier) {
      const uint32_t *other = clocks.data() + earlier * queues;
      for (size_t queue = 0; queue < queues; ++queue)
        clock[queue] = std::max(clock[queue], other[queue]);
      uint32_t &own = clock[problem.operations[earlier].queue];
      own = std::max(own, position[earlier]);
    };
    if (last[operation.queue] != kNone)
      include(static_cast<OpId>(last[operation.queue]));
    for (OpId earlier : operation.after)
      include(earlier);
    position[op] = clock[operation.queue] + 1;
    last[operation.queue] = op;
  }
}

Span Order::spanOf(const std::vector<OpId> &operations) const {
  Span span;
  span.isEmpty = operations.empty();
  span.started.assign(queues, UINT32_MAX);
  span.completed.assign(queues, 0);
  for (OpId op : operations) {
    for (size_t queue = 0; queue < queues; ++queue)
      span.started[queue] =
          std::min(span.started[queue], clocks[op * queues + queue]);
    uint32_t &completed = span.completed[problem.operations[op].queue];
    completed = std::max(completed, position[op]);
  }
  return span;
}

bool Order::isBefore(OpId a, OpId b) const {
  return clocks[b * queues + problem.operations[a].queue] >= position[a];
}
