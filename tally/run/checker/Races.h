//===- Races.h - accesses in proven order -----------------------*- C++ -*-===//

#ifndef TALLY_RUN_CHECKER_RACES_H
#define TALLY_RUN_CHECKER_RACES_H

#include "tally/emit/isa/Effects.h"
#include "tally/run/checker/Finding.h"
#include "tally/run/checker/Order.h"
#include "tally/run/checker/Subject.h"

#include <array>
#include <span>

namespace tally::checker {

/// What is known of a memory when the program begins and demanded at its end.
struct MemoryRole {
  int64_t bytes = 0;          ///< all accesses lie below
  bool isInitialised = false; ///< before the program
  bool isReadOnly = false;
  bool isWrittenOnce = false; ///< every byte, or all that enter
  /// What is initialised of a memory that is not: the old frames of a ring.
  std::optional<isa::Box> old;
  /// Of a ring or a cache: what is written. Nothing else is.
  std::optional<isa::Box> entering;
};
using MemoryRoles = std::array<MemoryRole, kSpaces>;

/// Sizes and roles of all spaces, for these values of the run-time scalars.
MemoryRoles memoryRoles(const Subject &subject,
                        std::span<const int64_t> values);

/// Rules CHK-8, CHK-9, CHK-10, CHK-16 and CHK-18 to CHK-20: the first of the
/// events, in the order of `progress`, that breaks one.
std::optional<Finding> findConflict(const Stream &stream,
                                    const Progress &progress,
                                    const Order &order,
                                    const MemoryRoles &roles);

} // namespace tally::checker

#endif // TALLY_RUN_CHECKER_RACES_H
