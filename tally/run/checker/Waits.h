//===- Waits.h - whether a program needs its waits --------------*- C++ -*-===//

#ifndef TALLY_RUN_CHECKER_WAITS_H
#define TALLY_RUN_CHECKER_WAITS_H

#include "tally/run/checker/Checker.h"

namespace tally::checker {

/// Waits, takes and tests of queues; an instruction in a loop counts once.
struct WaitReview {
  int64_t waits = 0; ///< in the text
  int64_t tried = 0;
  std::vector<Place> needless; ///< the program is accepted without each of them
};

/// Judges an accepted program without one of its waits, for at most `most` of
/// them, spread evenly over the text. Costs a check each. A needless wait costs
/// time; that a wait is needed says that the checker would find it missing.
Result<WaitReview> reviewWaits(const Subject &subject, int64_t most,
                               const CheckOptions &options = {});

} // namespace tally::checker

#endif // TALLY_RUN_CHECKER_WAITS_H
