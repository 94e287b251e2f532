//===- RowTables.h - what follows a one-hot row becomes a table -*- C++ -*-===//
//
// Networks on bytes or tokens begin with a one-hot row for each, a product of
// it by a matrix and an activation. Whatever works row by row gives as many
// different rows as there are tokens:
//
//   e = equal(x, {0, 1, .., K - 1});  y = gelu(matmul(e, w) + b)
//     ==> y = gather(table, min(max(x, -1), K) + 1)
//
// with the K rows of y and, at either end, the row of an x that equals none.
// Each is what the operators give by their own meaning, so no bit changes.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_REWRITE_FUSION_ROWTABLES_H
#define TALLY_REWRITE_FUSION_ROWTABLES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tally::rewrite {

/// Replaces the last operator on rows of a one-hot, and those before it that
/// nothing else reads, by a table of at most 1 MiB. Where results are not exact
/// reals, rounded once (`idealRounding`), operators on codes stay. Remarks are
/// FUSE-19.
void tabulateRows(mlir::func::FuncOp function, bool idealRounding);

} // namespace tally::rewrite

#endif // TALLY_REWRITE_FUSION_ROWTABLES_H
