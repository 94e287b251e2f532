//===- Verdict.h - what the checker says ------------------------*- C++ -*-===//

#ifndef TALLY_RUN_CHECKER_VERDICT_H
#define TALLY_RUN_CHECKER_VERDICT_H

#include "tally/run/checker/Rules.h"

#include "tally/emit/isa/Effects.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tally::checker {

/// One execution of one instruction.
struct Place {
  uint32_t instruction = 0; ///< place in the text
  std::string text;         ///< the instruction as in assembly
  std::string actor;        ///< the queue's name, or "processor"
  uint32_t entry = 0; ///< which of the actor's, from 1; 0: before it has any
  std::string node, line; ///< where it comes from; may be empty
};

/// Bytes of a space; a symbol that holds the first of them, if one does. A
/// scalar register has no bytes.
struct Overlap {
  std::string space;  ///< "sram", "region 'x'", "x5"
  std::string symbol; ///< may be empty
  isa::ByteRange bytes;
};

/// Entries [from, to] of one actor complete, in this order; `last` is the last.
struct ScheduleStep {
  uint32_t from = 0, to = 0;
  Place last;
};

/// A queue or the processor that does not go on.
struct Blocked {
  Place at;
  std::string reason;
};

struct Statistics {
  uint64_t executions = 0; ///< combinations of run-time scalars
  uint64_t instructions = 0, entries = 0, commands = 0, accesses = 0;
  uint32_t rounds = 0; ///< Order::rounds, the most
};

struct Verdict {
  bool isAccepted = false;
  /// The rest of a rejection. Where "the first" and "the second" stand in the
  /// message, they are meant.
  Rule rule = Rule::Race;
  std::string message, hint;
  std::optional<Place> first, second;
  std::optional<Overlap> overlap;
  /// An execution in which the second completes and the first has not, ending
  /// with the second. Empty where order does not matter.
  std::vector<ScheduleStep> schedule;
  bool scheduleNeedsDepth = false; ///< deeper queues than the machine's
  std::vector<Blocked> blocked;    ///< of a deadlock
  /// Run-time scalars and the values for which it is rejected.
  std::vector<std::pair<std::string, int64_t>> scalars;
  Statistics statistics; ///< up to the rejection
};

} // namespace tally::checker

#endif // TALLY_RUN_CHECKER_VERDICT_H
