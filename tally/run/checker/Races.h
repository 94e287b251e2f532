//===- Races.h - accesses in proven order -----------------------*- C++ -*-===//

#ifndef TALLY_RUN_CHECKER_RACES_H
#define TALLY_RUN_CHECKER_RACES_H

#include "tally/run/checker/Finding.h"
#include "tally/run/checker/Order.h"
#include "tally/run/checker/Subject.h"

#include <array>

namespace tally::checker {

/// What is known of a memory when the program begins and demanded at its end.
struct MemoryRole {
  int64_t bytes = 0;          ///< all accesses lie below
  bool isInitialised = false; ///< before the program
  bool isReadOnly = false;
  bool isWrittenOnce = false;   ///< every byte; of a ring all that enter
  std::optional<Frames> frames; ///< of a ring
};
using MemoryRoles = std::array<MemoryRole, kSpaces>;

/// Rules CHK-8, CHK-9, CHK-10, CHK-16 and CHK-18 to CHK-20: the first of the
/// events, in the order of `progress`, that breaks one.
std::optional<Finding> findConflict(const Stream &stream,
                                    const Progress &progress,
                                    const Order &order,
                                    const MemoryRoles &roles);

} // namespace tally::checker

#endif // TALLY_RUN_CHECKER_RACES_H
