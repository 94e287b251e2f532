//===- Schedule.h - an execution that shows what is wrong -------*- C++ -*-===//

#ifndef TALLY_RUN_CHECKER_SCHEDULE_H
#define TALLY_RUN_CHECKER_SCHEDULE_H

#include "tally/run/checker/Progress.h"

namespace tally::checker {

/// Events that complete one after the other.
struct Schedule {
  std::vector<EventId> order;
  /// Possible only with deeper queues than the machine's.
  bool needsDepth = false;
};

/// An execution in which `second` completes while `first` has not, though it
/// could: `first` is at the head of its actor. Ends with `second` and has
/// nothing that both do not need. Nothing if no execution does so.
std::optional<Schedule> overtaking(const Stream &stream,
                                   const machine::Machine &machine,
                                   EventId first, EventId second);

} // namespace tally::checker

#endif // TALLY_RUN_CHECKER_SCHEDULE_H
