//===- TestOracle.h - every execution of a small program --------*- C++ -*-===//
//
// For tests: walks all interleavings of the processor, of starts and of
// completions of entries, on memories that hold names of values. Knows nothing
// of order, clocks or proofs, and shares no code with the checker.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_RUN_CHECKER_TESTORACLE_H
#define TALLY_RUN_CHECKER_TESTORACLE_H

#include "tally/run/checker/Subject.h"

namespace tally::checker {

struct Exploration {
  /// "race" (conflicting commands run at once), "differs" (two executions end
  /// with different memories), "late" (a scalar register changes while a
  /// command may read it), "unwritten", "twice" (an output or state is
  /// written again), "old" (a state is read behind its write), "hang", "width",
  /// "residue", "fault";
  /// "" when every execution is right, "?" when there are too many states.
  std::string harm;
  uint64_t states = 0;
};

/// Without run-time scalars; stops at the first harm.
Exploration exploreAll(const Subject &subject, uint64_t maxStates = 1'000'000);

} // namespace tally::checker

#endif // TALLY_RUN_CHECKER_TESTORACLE_H
