//===- Placement.h - transposes go where they cost least --------*- C++ -*-===//

#ifndef TALLY_REWRITE_LAYOUT_PLACEMENT_H
#define TALLY_REWRITE_LAYOUT_PLACEMENT_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tally::rewrite {

/// For every permutation among the transposes of `function`: moves those of it
/// and of its inverse through operations that commute with them to where the
/// transposed tensors have the fewest bytes in sum, none where that is
/// possible. Each step is optimal for its permutation (Links.h); steps repeat
/// until none gains.
void placeTransposes(mlir::func::FuncOp function);

} // namespace tally::rewrite

#endif // TALLY_REWRITE_LAYOUT_PLACEMENT_H
