//===- Checker.h - the independent judge of programs ------------*- C++ -*-===//
//
// Proves of a decoded program that whatever the timing of engines, for every
// value of the run-time scalars, it does the same and leaves the machine as it
// found it; or names the rule (Rules.def) that it breaks.
//
// Trusted: the instruction table (what bytes a command touches, when a scalar
// is read), the machine description, and what the program file says about
// regions and scalars. Not trusted: everything that made the program. No code
// is shared with the planners, the emitter or the simulator.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_RUN_CHECKER_CHECKER_H
#define TALLY_RUN_CHECKER_CHECKER_H

#include "tally/run/checker/Expansion.h"
#include "tally/run/checker/Verdict.h"
#include "tally/support/Result.h"

namespace tally::checker {

struct CheckOptions {
  std::optional<int64_t> budget; ///< bytes that an arena may have; CHK-6
  Limits limits;
};

/// CHK-6.
std::optional<Finding> breaksRegionRule(const Subject &subject,
                                        std::optional<int64_t> budget);

/// Fails where the checker cannot judge:
///   CHECK-1  run-time scalars have at most Limits::combinations values
///            together, and all executions at most Limits::work events
///            (Unsupported)
///   CHECK-2  what the program declares makes sense: scalars are words of the
///            context with a range, the machine has queues and registers
///            (Model)
Result<Verdict> check(const Subject &subject, const CheckOptions &options = {});

} // namespace tally::checker

#endif // TALLY_RUN_CHECKER_CHECKER_H
