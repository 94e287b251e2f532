//===- Plan.h - signals and waits on registers ------------------*- C++ -*-===//
//
// What a synchronization plan adds to the operations, and the judge of it.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_PLAN_SYNC_PLAN_H
#define TALLY_PLAN_SYNC_PLAN_H

#include "tally/plan/sync/Problem.h"

namespace tally::plan::sync {

/// No queue: the file's key does not tell this end.
inline constexpr uint32_t kAnyQueue = UINT32_MAX;

/// One register of the file: its number, and the queues that the key names.
struct Register {
  uint32_t number = 0;
  uint32_t source = kAnyQueue, destination = kAnyQueue;
  bool operator==(const Register &) const = default;
};

/// A command of a queue that belongs to no operation: it does its waits, clears
/// and signals right before a loop's first trip, or after its last, in any
/// case once. It takes a place in the queue and no time. Below, `op` may stand
/// for one: the number of operations and its position in SyncPlan::gates. Those
/// at one place are issued in that order.
struct Gate {
  uint32_t region = 0; ///< a loop
  bool isAfter = false;
  uint32_t queue = 0;
};

/// When `op` completes, add 1 to a counter or token, or set a flag. `reg`
/// counts in SyncPlan::registers, here and below.
struct Signal {
  Op op = 0;
  uint32_t reg = 0;
};

/// Before `op` starts: a counter has reached `value`; one token is taken; a
/// flag is set. A relative wait passes when of the signals on the counter that
/// were issued before it (since the last drain), at most `value` are missing.
/// Command 0 is the operation itself; the others are wait
/// commands right before it in its queue.
struct Wait {
  Op op = 0;
  uint32_t reg = 0;
  int64_t value = 1; ///< 1 unless a counter
  uint32_t command = 0;
  bool isRelative = false;
};

/// When `op` starts, its waits passed, a flag goes back to 0.
struct Clear {
  Op op = 0;
  uint32_t reg = 0;
};

struct SyncPlan {
  std::vector<Register> registers; ///< those used
  std::vector<Signal> signals;     ///< by op
  std::vector<Wait> waits;         ///< by op, then command
  std::vector<Clear> clears;       ///< by op
  /// Before it issues such an operation, the command processor lets all queues
  /// run empty and sets all registers to 0. Ascending.
  std::vector<Op> drains;
  /// Registers to set to 0 after the last operation has completed.
  std::vector<uint32_t> finalClears;
  std::vector<Gate> gates;
  /// Operations and gates inside an if. Where another branch runs, a command
  /// takes their place in the queue that does their waits, clears, signals and
  /// drain, and takes no time. Ascending.
  std::vector<Op> compensated;
};

/// Why a plan is wrong; `law` is one of the labels below, or empty.
struct Violation {
  std::string law, message;
  explicit operator bool() const { return !law.empty(); }
};

/// Judges a plan from its commands alone: what a wait proves follows from what
/// a register can hold, not from why the planner put it there. Shares no code
/// with the planner and trusts neither argument. Laws:
///   FORM     the plan's numbers name what exists, in the order stated above
///   KEY      a register is the file's, not reserved, and used between the
///            queues that its key names
///   WAITS    no command has more waits than the file allows
///   REACH    operations issued before a wait suffice to let it pass, whatever
///            others do meanwhile (so nothing hangs, at any depth)
///   ORDER    every dependency holds in every execution
///   WIDTH    no counter or token can pass 2^bits - 1
///   CLEAR    a flag that is waited for is not cleared in between
///   RESIDUE  every register is 0 at the end
///   BALANCE  every trip of a loop leaves the registers as the trip before did
/// A problem with regions is judged by its executions as straight lines: every
/// loop with 0, 1, 2 and some more trips, every if both ways. A trip looks back
/// no further than the largest distance, and by BALANCE finds the registers as
/// the one before did, so what holds for two trips after that many holds for
/// all that follow.
Violation findViolation(const SyncProblem &problem, const SyncPlan &plan);

} // namespace tally::plan::sync

#endif // TALLY_PLAN_SYNC_PLAN_H
