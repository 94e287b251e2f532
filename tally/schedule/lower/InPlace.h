//===- InPlace.h - results in the place of operands that die ----*- C++ -*-===//

#ifndef TALLY_SCHEDULE_LOWER_INPLACE_H
#define TALLY_SCHEDULE_LOWER_INPLACE_H

#include "tally/schedule/lower/Piecewise.h"

namespace tally::schedule {

/// The operand whose bytes the last result of the chain may take in SRAM: of
/// the result's shape and element size, and read, itself and through views, by
/// nothing that runs after the chain. Null if there is none. `runsAfter` tells
/// whether an operator runs after the chain.
mlir::Value
operandInPlace(llvm::ArrayRef<PiecewiseNode> chain,
               llvm::function_ref<bool(mlir::Operation *)> runsAfter);

} // namespace tally::schedule

#endif // TALLY_SCHEDULE_LOWER_INPLACE_H
