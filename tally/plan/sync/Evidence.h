//===- Evidence.h - what the waits of a plan prove --------------*- C++ -*-===//
//
// Part of the judge (Plan.h, findViolation); the planner does not use it.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_PLAN_SYNC_EVIDENCE_H
#define TALLY_PLAN_SYNC_EVIDENCE_H

#include "tally/plan/sync/Plan.h"

#include <algorithm>

namespace tally::plan::sync {

/// Events on one register between two drains, each queue's in issue order;
/// those of a queue that completes out of order stand alone when they are
/// completions.
using Lines = std::vector<std::vector<Op>>;

/// What happens to one register between two drains.
struct RegisterUse {
  Lines signals, takes, clears;
};

/// The order that queues, drains and waits enforce in every execution. Of a
/// plan in good form.
class Evidence {
public:
  Evidence(const SyncProblem &problem, const SyncPlan &plan);

  bool isTooLarge() const { return tooLarge; }
  /// Whether a has completed whenever b starts.
  bool completed(Op a, Op b) const;
  /// Whether a has started whenever b starts.
  bool started(Op a, Op b) const;
  /// Whether a has started whenever b arrives.
  bool startedAtArrival(Op a, Op b) const;
  /// Whether a has started whenever b completes.
  bool startedBeforeEnd(Op a, Op b) const { return a == b || started(a, b); }

  /// Whether a, or all that stand before it in its queue, must have started for
  /// the queue to have room for what is issued after them and before b.
  bool startedByIssue(Op a, Op b) const;

  uint32_t segmentOf(Op op) const { return segment[op]; }
  uint32_t segments() const { return segmentCount; }
  const RegisterUse &use(uint32_t reg, uint32_t inSegment) const {
    return uses[reg * size_t(segmentCount) + inSegment];
  }

private:
  using Row = std::vector<uint32_t>;

  void claimAll();
  void number(const SyncProblem &problem, const SyncPlan &plan);
  void collect(const SyncProblem &problem, const SyncPlan &plan);
  bool visit(Op op, const Wait *begin, const Wait *end);
  void learnStart(Row &row, Op from) const;
  void learnEnd(Row &row, Op from) const;
  void proveCount(Row &row, const Wait &wait) const;
  void proveFlag(Row &row, const Wait &wait) const;
  int64_t tokensTaken(const Wait &wait, const RegisterUse &use) const;

  FileKind kind;
  bool tooLarge = false;
  size_t columns = 0;
  uint32_t segmentCount = 1;
  std::vector<uint32_t> segment, column, position, startColumn, startPosition;
  std::vector<Op> before; ///< of the same queue; UINT32_MAX: none
  std::vector<bool> inOrder;
  std::vector<std::vector<Op>> ofQueue;
  std::vector<uint32_t> queueOf;
  std::vector<int64_t> depths;
  std::vector<uint32_t> rows;
  std::vector<RegisterUse> uses;
};

/// The number of leading events of a line for which `holds` is true.
template <typename Holds>
size_t leading(const std::vector<Op> &line, const Holds &holds) {
  return std::partition_point(line.begin(), line.end(), holds) - line.begin();
}

} // namespace tally::plan::sync

#endif // TALLY_PLAN_SYNC_EVIDENCE_H
