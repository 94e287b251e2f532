//===- PoolsOnCodes.h - a max pool behind its Quantize ----------*- C++ -*-===//
//
//   quantize(max_pool x)  ==>  max_pool(quantize x)
//
// Rounding onto a grid is monotone, so the code of the largest real is the
// largest code. The pool then reads bytes in place of floats, and the Quantize
// can join the chain that makes x.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_REWRITE_FUSION_POOLSONCODES_H
#define TALLY_REWRITE_FUSION_POOLSONCODES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tally::rewrite {

/// Exchanges the two wherever nothing else reads the pool or its input, and no
/// element can be NaN: a window with one is NaN, which has the smallest code.
/// Remarks are FUSE-18.
void poolCodes(mlir::func::FuncOp function);

} // namespace tally::rewrite

#endif // TALLY_REWRITE_FUSION_POOLSONCODES_H
