//===- Wording.h - findings in words of the user ----------------*- C++ -*-===//

#ifndef TALLY_RUN_CHECKER_WORDING_H
#define TALLY_RUN_CHECKER_WORDING_H

#include "tally/run/checker/Finding.h"
#include "tally/run/checker/Progress.h"
#include "tally/run/checker/Subject.h"
#include "tally/run/checker/Verdict.h"

namespace tally::checker {

/// An instruction of the text, executed or not.
Place placeOf(const Subject &subject, uint32_t instruction);

/// Fills rule, message, hint, places, overlap and, where two events are in the
/// wrong order, the schedule. `stream` may have no events.
void explain(const Subject &subject, const Stream &stream,
             const Finding &finding, Verdict &verdict);

/// CHK-11: every actor that does not get on in `progress`.
void explainDeadlock(const Subject &subject, const Stream &stream,
                     const Progress &progress, Verdict &verdict);

} // namespace tally::checker

#endif // TALLY_RUN_CHECKER_WORDING_H
