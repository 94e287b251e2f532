//===- CleanUp.h - constants and dead code after a rewrite ------*- C++ -*-===//
//
// What every rewrite of the graph ends with. Both work on the body of one
// function and keep the model's tensor names.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_REWRITE_CLEANUP_H
#define TALLY_REWRITE_CLEANUP_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tally::rewrite {

/// Replaces `op` by a constant, its exact meaning, when all its operands are
/// constants. Returns whether it did; `op` is erased then.
bool foldConstant(mlir::Operation *op);

/// Folds every operation on constants only, in program order, so that weights
/// behind movements, casts and the like become constants themselves. Not
/// folded is what would make the constants larger: a dequantized weight stays
/// codes, and a transposed copy of a constant that others read as it is stays
/// a transpose (rewrite/layout finds a reader that takes it).
void foldConstants(mlir::func::FuncOp function);

/// Erases operations whose results nothing reads.
void removeDead(mlir::func::FuncOp function);

} // namespace tally::rewrite

#endif // TALLY_REWRITE_CLEANUP_H
