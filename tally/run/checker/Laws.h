//===- Laws.h - what holds of synchronization registers ---------*- C++ -*-===//
//
// Rules CHK-12 to CHK-15. Where they hold, the value that lets a wait pass is
// never taken away again, so what is possible in one execution is in all.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_RUN_CHECKER_LAWS_H
#define TALLY_RUN_CHECKER_LAWS_H

#include "tally/run/checker/Finding.h"
#include "tally/run/checker/Order.h"

namespace tally::checker {

/// CHK-12, as one execution shows it; it need not be complete.
std::optional<Finding> goesBeyondWidth(const Stream &stream,
                                       const machine::Machine &machine,
                                       const Progress &progress);

/// The first law that is broken, if one is. `progress` is complete.
std::optional<Finding> breaksLaw(const Stream &stream,
                                 const machine::Machine &machine,
                                 const Progress &progress, const Order &order);

} // namespace tally::checker

#endif // TALLY_RUN_CHECKER_LAWS_H
