//===- Simplify.h - transposes and reshapes that need not be ----*- C++ -*-===//

#ifndef TALLY_REWRITE_LAYOUT_SIMPLIFY_H
#define TALLY_REWRITE_LAYOUT_SIMPLIFY_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tally::rewrite {

/// Removes transposes that a look at their neighbours suffices for: two in a
/// row become one or none, one that only moves dimensions of size 1 becomes a
/// reshape, and readers that absorb the permutation read what is before it.
/// Reshapes of reshapes become one. What became dead is erased.
void simplifyTransposes(mlir::func::FuncOp function);

} // namespace tally::rewrite

#endif // TALLY_REWRITE_LAYOUT_SIMPLIFY_H
