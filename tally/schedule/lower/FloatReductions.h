//===- FloatReductions.h - reductions of floats and integers ----*- C++ -*-===//

#ifndef TALLY_SCHEDULE_LOWER_FLOATREDUCTIONS_H
#define TALLY_SCHEDULE_LOWER_FLOATREDUCTIONS_H

#include "tally/schedule/lower/Steps.h"

namespace tally::schedule {

/// Pieces of a reduction's operand and result.
struct Reduction {
  Tensor in, out; ///< out with one element along the axes
  llvm::ArrayRef<int64_t> axes;
  int64_t count = 1; ///< elements that become one
};

/// A formula of one operand that is reduced along `axes`, which the result may
/// have or not.
PiecewiseNode
reductionNode(Scheduler &s, mlir::Operation *op, llvm::ArrayRef<int64_t> axes,
              std::function<void(Steps &, const Reduction &)> formula);

/// Lowers an nn.reduce_* operator of plain numbers.
Result<PiecewiseNode> lowerPlainReduction(Scheduler &s, mlir::Operation *op,
                                          llvm::ArrayRef<int64_t> axes);

} // namespace tally::schedule

#endif // TALLY_SCHEDULE_LOWER_FLOATREDUCTIONS_H
