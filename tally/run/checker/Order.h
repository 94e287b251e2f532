//===- Order.h - what surely happens before what ----------------*- C++ -*-===//
//
// Happens-before, rebuilt from queues, waits, signals and fences alone, as
// vector clocks. `a` before `b` means: in every execution `a` has completed
// when `b` starts.
//
//   In a queue that completes in order, an entry is before the next one. In
//   one that does not, waits are before what follows, and signals are after
//   all that precedes.
//   A fence is after what it waits for; what the processor did before it issued
//   an entry is before that entry.
//   A signal `s` is before a wait `w` that needs `n` signals of its register if
//   fewer than `n` can happen without `s`: those of the epoch that are neither
//   after `s` nor after `w`, `s` apart.
//
// Order that exists only because a queue is full is not used: an accepted
// program stays right with deeper queues.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_RUN_CHECKER_ORDER_H
#define TALLY_RUN_CHECKER_ORDER_H

#include "tally/run/checker/Progress.h"

namespace tally::checker {

class Order {
public:
  /// `progress` is a complete execution of `stream`; all three outlive the
  /// order.
  Order(const Stream &stream, const machine::Machine &machine,
        const Progress &progress);

  /// Whether `a` has completed whenever `b` starts; of a wait `b`, whenever it
  /// has passed.
  bool before(EventId a, EventId b) const;
  /// Whether `a` has completed whenever the wait `b` gets to the head of its
  /// queue, even if it passes at once.
  bool beforeArrival(EventId a, EventId b) const;

  /// For each actor, how many of its events have surely completed when `event`
  /// starts; of a wait, when it has passed.
  std::span<const uint32_t> clock(EventId event) const {
    return {clocks.data() + size_t(event) * actors, actors};
  }
  /// Likewise when a wait gets to the head of its queue.
  std::span<const uint32_t> arrival(EventId wait) const {
    return {arrivals.data() + size_t(arrivalOf[wait]) * actors, actors};
  }

  /// Rounds that it took to find which waits imply what.
  uint32_t rounds() const { return roundCount; }

private:
  /// Events on a register that one queue issues, as they happened.
  struct Source {
    uint32_t queue;
    std::vector<EventId> events;
    std::vector<uint32_t> places; ///< among those of all queues
  };
  using Sources = std::vector<Source>;
  /// That a wait is after the signals [begin, end) of a source.
  struct Claim {
    uint32_t source; ///< in signals[register]
    uint32_t begin, end;
  };

  static Sources bySource(const Stream &stream,
                          const std::vector<EventId> &events);
  std::span<const EventId> ofEpoch(const std::vector<EventId> &events,
                                   EventId wait) const;
  void claimAll();
  void claim(EventId wait);
  void computeClocks();
  void startOf(EventId id, std::vector<uint32_t> &known);
  void fenceQueue(uint32_t queue, EventId fence, int64_t pending,
                  std::vector<uint32_t> &known) const;
  void joinAfter(EventId event, std::vector<uint32_t> &known) const;
  bool dropUnproven();
  bool dropUnproven(EventId wait);
  bool holds(EventId wait, EventId signal, int64_t need) const;
  int64_t needOf(EventId wait) const;
  bool inOrder(uint32_t actor) const;
  bool knows(EventId a, EventId b, std::span<const uint32_t> clock) const;

  const Stream &stream;
  const machine::Machine &machine;
  const Progress &progress;
  size_t actors;
  uint32_t roundCount = 0;
  std::vector<uint32_t> clocks, arrivals;
  std::vector<uint32_t> arrivalOf;  ///< of a wait, its place in arrivals
  std::vector<uint32_t> firstClaim; ///< of each event, and one more
  std::vector<Claim> claims;
  std::vector<Sources> signals, takes; ///< of each register
};

} // namespace tally::checker

#endif // TALLY_RUN_CHECKER_ORDER_H
