//===- FloatFunctions.h - f32 operators by their formulas -------*- C++ -*-===//

#ifndef TALLY_SCHEDULE_LOWER_FLOATFUNCTIONS_H
#define TALLY_SCHEDULE_LOWER_FLOATFUNCTIONS_H

#include "tally/schedule/lower/Steps.h"

namespace tally::schedule {

/// Writes `out` = the operator of f32 tensors `in`, in the operations and the
/// order of its float meaning.
using FloatFormula = void (*)(Steps &, mlir::Operation *,
                              llvm::ArrayRef<Tensor> in, const Tensor &out);

/// The formula of an elementwise operator that no single function of the
/// vector engine computes, or null.
FloatFormula findFloatFormula(llvm::StringRef name);

} // namespace tally::schedule

#endif // TALLY_SCHEDULE_LOWER_FLOATFUNCTIONS_H
