//===- Views.h - other tensors of the same storage --------------*- C++ -*-===//

#ifndef TALLY_SCHEDULE_LOWER_VIEWS_H
#define TALLY_SCHEDULE_LOWER_VIEWS_H

#include "tally/schedule/Scheduler.h"

namespace tally::schedule {

/// `count` indices of dimension `d`: first, first + step, ...; a step may be
/// negative, or 0 to repeat one index.
Tensor indicesOf(Tensor tensor, size_t d, int64_t first, int64_t count,
                 int64_t step = 1);

/// The order in which a tensor made from `like` is best laid out: that of
/// `like`.
Layout layoutLike(const Tensor &like);

} // namespace tally::schedule

#endif // TALLY_SCHEDULE_LOWER_VIEWS_H
