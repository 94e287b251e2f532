//===- Order.h - what has happened before an operation starts ---*- C++ -*-===//
//
// Vector clocks over a set of dependencies, and with them the smallest set of
// dependencies that needs a register.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_PLAN_SYNC_ORDER_H
#define TALLY_PLAN_SYNC_ORDER_H

#include "tally/plan/sync/Problem.h"

namespace tally::plan::sync {

/// One dependency that a register must carry: `to` starts after `from`
/// completes.
struct Edge {
  Op from = 0, to = 0;
  bool operator==(const Edge &) const = default;
};

/// The order that queues, drains and edges make. Immutable.
class Order {
public:
  /// `dependencies` of `problem` (which is checked), possibly more than its
  /// own, all forward. SYNC-10 when the clocks would be too large.
  static Result<Order> reduce(const SyncProblem &problem,
                              const std::vector<Dependency> &dependencies,
                              std::vector<Op> drains = {});

  /// Dependencies not implied by the others and the queues: necessary,
  /// sufficient and unique. By `to`, and of one `to` the latest first.
  const std::vector<Edge> &edges() const { return kept; }
  const std::vector<Op> &drains() const { return drainsBefore; }

  /// Whether a has completed whenever b starts.
  bool completed(Op a, Op b) const {
    if (a >= b)
      return false;
    if (segment(a) != segment(b))
      return true;
    return cell(b, lane[a]) >= laneIndex[a];
  }
  /// Whether a has started whenever b starts.
  bool started(Op a, Op b) const {
    if (a >= b)
      return false;
    if (startColumn[a] == kNone || segment(a) != segment(b))
      return completed(a, b);
    return cell(b, startColumn[a]) >= queueIndex[a];
  }
  /// Whether a has started whenever b arrives, before any wait of b.
  bool startedAtArrival(Op a, Op b) const {
    if (segment(a) != segment(b))
      return a < b;
    Op before = predecessor[b];
    return before != kNone && (a == before || started(a, before));
  }

  /// A chain of operations of one queue that complete in order: the queue, or
  /// one of several when the queue completes out of order.
  uint32_t laneOf(Op op) const { return lane[op]; }
  uint32_t lanes() const { return columns; }
  size_t operations() const { return lane.size(); }
  /// The number of drains before an operation.
  uint32_t segment(Op op) const { return segments.empty() ? 0 : segments[op]; }

private:
  static constexpr uint32_t kNone = UINT32_MAX;

  uint32_t cell(Op row, uint32_t column) const {
    size_t at = rowStart[row] + column;
    return at < rowStart[row + 1] ? cells[at] : 0;
  }
  void layOut(const SyncProblem &problem);
  Status openRow(Op op, bool inOrder);
  void learn(Op from, Op to, bool done);
  void join(Op from, Op to);
  void chooseLane(Op op, std::vector<uint32_t> &lanesOfQueue);

  std::vector<Edge> kept;
  std::vector<Op> drainsBefore;
  std::vector<uint32_t> segments;
  uint32_t columns = 0;
  std::vector<size_t> rowStart;
  std::vector<uint32_t> cells;
  std::vector<uint32_t> lane, laneIndex; ///< an index counts from 1
  std::vector<uint32_t> startColumn, queueIndex;
  std::vector<Op> laneEnd; ///< for lanes of queues out of order
  std::vector<Op> predecessor;
};

} // namespace tally::plan::sync

#endif // TALLY_PLAN_SYNC_ORDER_H
