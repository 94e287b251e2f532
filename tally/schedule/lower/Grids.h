//===- Grids.h - codes on another grid --------------------------*- C++ -*-===//

#ifndef TALLY_SCHEDULE_LOWER_GRIDS_H
#define TALLY_SCHEDULE_LOWER_GRIDS_H

#include "tally/schedule/Scheduler.h"

namespace tally::schedule {

/// The elements of a tensor of type `from` on the grid of `to`, each real
/// rounded once; the tensor itself where the element types are equal. Grids are
/// per tensor.
Result<Tensor> ontoGrid(Scheduler &s, const Tensor &tensor,
                        mlir::RankedTensorType from, mlir::RankedTensorType to);

} // namespace tally::schedule

#endif // TALLY_SCHEDULE_LOWER_GRIDS_H
