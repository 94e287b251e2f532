//===- Order.h - which operation completes before which starts --*- C++ -*-===//
//
// Queues complete their operations in order, so what has completed when an
// operation starts is a number for each queue: its vector clock. Memory is
// operations times queues.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_PLAN_MEMORY_ORDER_H
#define TALLY_PLAN_MEMORY_ORDER_H

#include "tally/plan/memory/Problem.h"

namespace tally::plan::memory {

/// Of a set of operations: how far each queue is before any of them starts,
/// and has to be for all of them to have completed.
struct Span {
  std::vector<uint32_t> started, completed;
  bool isEmpty = true;

  /// Whether all of this has completed before any of `other` starts.
  bool precedes(const Span &other) const;
};

class Order {
public:
  /// `problem` keeps MEM-3.
  explicit Order(const MemoryProblem &problem);

  Span spanOf(const std::vector<OpId> &operations) const;
  /// Whether `a` has completed before `b` starts.
  bool isBefore(OpId a, OpId b) const;

private:
  const MemoryProblem &problem;
  size_t queues;
  std::vector<uint32_t> clocks;   ///< operations x queues
  std::vector<uint32_t> position; ///< of an operation in its queue, from 1
};

} // namespace tally::plan::memory

#endif // TALLY_PLAN_MEMORY_ORDER_H
