//===- Numbers.h - arithmetic of plain integers -----------------*- C++ -*-===//

#ifndef TALLY_SCHEDULE_LOWER_NUMBERS_H
#define TALLY_SCHEDULE_LOWER_NUMBERS_H

#include "tally/schedule/lower/Piecewise.h"

namespace tally::schedule {

/// Lowers an elementwise operator on plain integers or booleans.
Result<PiecewiseNode> lowerIntegers(Scheduler &s, mlir::Operation *op);

} // namespace tally::schedule

#endif // TALLY_SCHEDULE_LOWER_NUMBERS_H
