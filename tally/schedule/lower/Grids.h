//===- Grids.h - codes on another grid --------------------------*- C++ -*-===//

#ifndef TALLY_SCHEDULE_LOWER_GRIDS_H
#define TALLY_SCHEDULE_LOWER_GRIDS_H

#include "tally/schedule/lower/Walk.h"

namespace tally::schedule {

/// The work that moves elements of the tensor type `from` to the grid of `to`,
/// each real rounded once; nothing where the element types are equal. Grids are
/// per tensor.
Result<std::optional<Work>> gridChange(Scheduler &s, mlir::Type from,
                                       mlir::Type to);

} // namespace tally::schedule

#endif // TALLY_SCHEDULE_LOWER_GRIDS_H
