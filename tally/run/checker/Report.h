//===- Report.h - a verdict for people and programs -------------*- C++ -*-===//

#ifndef TALLY_RUN_CHECKER_REPORT_H
#define TALLY_RUN_CHECKER_REPORT_H

#include "tally/run/checker/Waits.h"

namespace llvm {
class raw_ostream;
}

namespace tally::checker {

/// "FILE: accepted: ..." or the rule, both instructions, the bytes and a
/// schedule, on lines of their own.
void printVerdict(llvm::raw_ostream &os, const std::string &file,
                  const Verdict &verdict);

/// Which of its waits an accepted program does not need.
void printWaits(llvm::raw_ostream &os, const std::string &file,
                const WaitReview &review);

/// All of it as one JSON object; docs/reference/checker.md. `review` may be
/// null.
void writeVerdictJson(llvm::raw_ostream &os, const Verdict &verdict,
                      const WaitReview *review = nullptr);

} // namespace tally::checker

#endif // TALLY_RUN_CHECKER_REPORT_H
