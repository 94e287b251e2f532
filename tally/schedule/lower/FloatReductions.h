//===- FloatReductions.h - reductions of floats and integers ----*- C++ -*-===//

#ifndef TALLY_SCHEDULE_LOWER_FLOATREDUCTIONS_H
#define TALLY_SCHEDULE_LOWER_FLOATREDUCTIONS_H

#include "tally/schedule/lower/Piecewise.h"

namespace tally::schedule {

/// The operand of a reduction along `axes`, which the result may have or not.
Read reducedRead(mlir::Value value, llvm::ArrayRef<int64_t> axes);

/// Lowers an nn.reduce_* operator of plain numbers.
Result<PiecewiseNode> lowerPlainReduction(Scheduler &s, mlir::Operation *op,
                                          llvm::ArrayRef<int64_t> axes);

} // namespace tally::schedule

#endif // TALLY_SCHEDULE_LOWER_FLOATREDUCTIONS_H
