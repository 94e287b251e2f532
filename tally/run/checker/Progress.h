//===- Progress.h - one untimed execution of a stream -----------*- C++ -*-===//
//
// Every actor goes as far as it can, in turns, without a clock. Queues hold
// `depth` entries, the running one included; the processor blocks at a full
// one.
//
// One execution is enough to decide about deadlock: where the laws of Laws.h
// hold, a wait that can pass stays so until it does, so all executions come
// equally far. If this one hangs, hanging is possible in any case.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_RUN_CHECKER_PROGRESS_H
#define TALLY_RUN_CHECKER_PROGRESS_H

#include "tally/machine/Machine.h"
#include "tally/run/checker/Stream.h"

namespace tally::checker {

struct Progress {
  std::vector<EventId> order; ///< events as they completed
  /// For each register of the file, its signals, waits and resets as they
  /// happened.
  std::vector<std::vector<EventId>> signals, waits, resets;
  /// For each event on a register, how many resets of it came before.
  std::vector<uint32_t> epoch;
  /// For each wait, how many signals of its register in its epoch it needed;
  /// 0 or less: none.
  std::vector<int32_t> need;
  std::vector<uint32_t> completed; ///< entries of each queue, at the end
  std::vector<uint32_t> issued;    ///< likewise
  /// The event at which the processor stands; kNoEvent: it is done.
  EventId processorAt = kNoEvent;
  std::vector<int64_t> values; ///< of each register at the end
  /// The first signal beyond the width of its register, if there was one.
  EventId overflow = kNoEvent;

  bool isComplete(const Stream &stream) const {
    return order.size() == stream.events.size();
  }
};

struct ProgressOptions {
  bool unlimitedDepth = false;
  /// An event that never completes: what does not need it goes on.
  EventId held = kNoEvent;
  /// Stop when this event has completed.
  EventId goal = kNoEvent;
};

Progress advance(const Stream &stream, const machine::Machine &machine,
                 const ProgressOptions &options = {});

} // namespace tally::checker

#endif // TALLY_RUN_CHECKER_PROGRESS_H
