//===- FloatReductions.h - reductions of floats and integers ----*- C++ -*-===//

#ifndef TALLY_SCHEDULE_LOWER_FLOATREDUCTIONS_H
#define TALLY_SCHEDULE_LOWER_FLOATREDUCTIONS_H

#include "tally/schedule/Scheduler.h"

namespace tally::schedule {

/// Lowers an nn.reduce_* operator of plain numbers.
Status lowerPlainReduction(Scheduler &s, mlir::Operation *op,
                           llvm::ArrayRef<int64_t> axes);

} // namespace tally::schedule

#endif // TALLY_SCHEDULE_LOWER_FLOATREDUCTIONS_H
