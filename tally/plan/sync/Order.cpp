//===- Order.cpp - the unique smallest set of edges -----------------------===//
//
// Every operation has a row of numbers, one for each chain of operations that
// complete in order (a lane): how many of the lane have completed when it
// starts. Operations are visited in issue order. A row starts as the row of
// the operation before it in the queue; dependencies are then looked at latest
// first, and one that the row already shows is dropped, another is kept and its
// row joined.
//
//   A: a1   B: b1 (after a1)   C: c1 (after b1), c2 (after a1)
//   c1 learns {A:1, B:1} from b1; c2 starts from c1's row and drops a1.
//
// An edge that is kept is in every sufficient set, since nothing else orders
// its ends, so the set is unique: the transitive reduction beyond the queues.
// Dependencies point forward, so an edge can only be implied through later
// operations than its own start, which is why the latest come first.
//
// A queue that completes out of order has a column for its starts, and its
// operations are chained greedily into lanes: one joins a lane whose last is
// known to have completed before it starts.
//
// Time O(E (lanes + log E)), memory O(V lanes).
//
// Vector clocks: Fidge 1988, Mattern 1989. Reduction of a directed acyclic
// graph: Aho, Garey, Ullman 1972.
//
//===----------------------------------------------------------------------===//

#include "tally/plan/sync/Order.h"

#include <algorithm>

using namespace tally;
using namespace tally::plan::sync;

static constexpr size_t kMaxCells = size_t(1) << 31;

namespace {
/// The dependencies of each operation, side by side, latest first.
struct Incoming {
  std::vector<uint32_t> start;
  std::vector<Dependency> all;
};
} // namespace

static bool isBefore(const Dependency &a, const Dependency &b) {
  if (a.from != b.from)
    return a.from > b.from;
  return a.strength > b.strength;
}

static Incoming incomingOf(size_t operations,
                           const std::vector<Dependency> &dependencies) {
  Incoming incoming;
  incoming.start.assign(operations + 1, 0);
  for (const Dependency &dependency : dependencies)
    ++incoming.start[dependency.to + 1];
  for (size_t op = 0; op < operations; ++op)
    incoming.start[op + 1] += incoming.start[op];
  incoming.all.resize(dependencies.size());
  std::vector<uint32_t> next(incoming.start.begin(), incoming.start.end() - 1);
  for (const Dependency &dependency : dependencies)
    incoming.all[next[dependency.to]++] = dependency;
  for (size_t op = 0; op < operations; ++op)
    std::sort(incoming.all.begin() + incoming.start[op],
              incoming.all.begin() + incoming.start[op + 1], isBefore);
  return incoming;
}

static std::vector<uint32_t> segmentsOf(size_t operations,
                                        const std::vector<Op> &drains) {
  if (drains.empty())
    return {};
  std::vector<uint32_t> segments(operations, 0);
  for (Op drain : drains)
    ++segments[drain];
  for (size_t op = 1; op < operations; ++op)
    segments[op] += segments[op - 1];
  return segments;
}

/// Columns known before any order is: one for each queue. Of a queue that
/// completes out of order it counts starts.
void Order::layOut(const SyncProblem &problem) {
  size_t count = problem.operations.size();
  columns = static_cast<uint32_t>(problem.queues.size());
  lane.assign(count, kNone);
  laneIndex.assign(count, 0);
  laneEnd.assign(columns, kNone);
  startColumn.assign(count, kNone);
  queueIndex.assign(count, 0);
  predecessor.assign(count, kNone);
  rowStart.assign(1, 0);
  rowStart.reserve(count + 1);
  cells.reserve(count * columns);
  std::vector<Op> last(problem.queues.size(), kNone);
  for (Op op = 0; op < count; ++op) {
    uint32_t queue = problem.operations[op].queue;
    predecessor[op] = last[queue];
    queueIndex[op] = last[queue] == kNone ? 1 : queueIndex[last[queue]] + 1;
    last[queue] = op;
    if (problem.queues[queue].inOrder) {
      lane[op] = queue;
      laneIndex[op] = queueIndex[op];
    } else {
      startColumn[op] = queue;
    }
  }
}

void Order::join(Op from, Op to) {
  size_t width = rowStart[from + 1] - rowStart[from];
  for (size_t column = 0; column < width; ++column)
    cells[rowStart[to] + column] =
        std::max(cells[rowStart[to] + column], cells[rowStart[from] + column]);
}

/// `to` starts after `from` has started and, if `done`, completed.
void Order::learn(Op from, Op to, bool done) {
  if (segment(from) != segment(to))
    return;
  join(from, to);
  uint32_t *row = cells.data() + rowStart[to];
  if (done)
    row[lane[from]] = std::max(row[lane[from]], laneIndex[from]);
  if (startColumn[from] != kNone)
    row[startColumn[from]] = std::max(row[startColumn[from]], queueIndex[from]);
}

static Diagnostic tooManyCells(size_t operations, size_t columns) {
  Diagnostic failure;
  failure.kind = FailureKind::Unsupported;
  failure.rule = "SYNC-10";
  failure.message =
      "the order of " + std::to_string(operations) +
      " operations needs more than 2^31 numbers: " + std::to_string(columns) +
      " operations and queues run independently";
  failure.hint =
      "plan fewer operations at a time, or queues that complete in order";
  return failure;
}

Status Order::openRow(Op op, bool inOrder) {
  if (cells.size() + columns > kMaxCells)
    return tooManyCells(lane.size(), columns);
  cells.resize(cells.size() + columns, 0);
  rowStart.push_back(cells.size());
  if (predecessor[op] != kNone)
    learn(predecessor[op], op, inOrder);
  return Status::success();
}

void Order::chooseLane(Op op, std::vector<uint32_t> &lanesOfQueue) {
  auto free = std::find_if(
      lanesOfQueue.begin(), lanesOfQueue.end(),
      [&](uint32_t candidate) { return completed(laneEnd[candidate], op); });
  if (free != lanesOfQueue.end()) {
    lane[op] = *free;
    laneIndex[op] = laneIndex[laneEnd[*free]] + 1;
    laneEnd[*free] = op;
    return;
  }
  lane[op] = columns++;
  laneIndex[op] = 1;
  laneEnd.push_back(op);
  lanesOfQueue.push_back(lane[op]);
}

Result<Order> Order::reduce(const SyncProblem &problem,
                            const std::vector<Dependency> &dependencies,
                            std::vector<Op> drains) {
  size_t count = problem.operations.size();
  if (count * problem.queues.size() > kMaxCells)
    return tooManyCells(count, problem.queues.size());
  Order order;
  order.segments = segmentsOf(count, drains);
  order.drainsBefore = std::move(drains);
  order.layOut(problem);
  Incoming incoming = incomingOf(count, dependencies);
  std::vector<std::vector<uint32_t>> lanesOfQueue(problem.queues.size());
  for (Op op = 0; op < count; ++op) {
    uint32_t queue = problem.operations[op].queue;
    bool inOrder = problem.queues[queue].inOrder;
    if (Status status = order.openRow(op, inOrder); !status)
      return status.takeError();
    for (uint32_t i = incoming.start[op]; i < incoming.start[op + 1]; ++i) {
      const Dependency &dependency = incoming.all[i];
      bool known = dependency.strength == Strength::Completed
                       ? order.completed(dependency.from, op)
                       : order.started(dependency.from, op);
      if (known || dependency.from == op)
        continue;
      order.kept.push_back({dependency.from, op});
      order.learn(dependency.from, op, true);
    }
    if (!inOrder)
      order.chooseLane(op, lanesOfQueue[queue]);
  }
  return order;
}
