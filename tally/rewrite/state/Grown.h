//===- Grown.h - what depends on how much a cache holds ---------*- C++ -*-===//
//
// A model whose cache grows from call to call has another graph for each number
// of rows: sizes grow, and so may numbers that shape arithmetic made of them.
// Four imports of it, with n, n - 1, n - 2 and very few rows, show which do and
// how: the first three how much a row adds, the last that it always does.
//
// Rules (FailureKind::Unsupported):
//   GROW-1  the four graphs are one but for sizes and constants
//   GROW-2  a tensor grows along one dimension, by one for each row
//   GROW-3  a constant that grows keeps its other entries; another one, of
//           integers (i32, i64, or f32), grows by the same with each row
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_REWRITE_STATE_GROWN_H
#define TALLY_REWRITE_STATE_GROWN_H

#include "tally/ops/State.h"
#include "tally/support/Result.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

namespace tally::rewrite {

/// Where the rows of a cache that is not full are.
enum class RowOrder {
  FromFront, ///< row i is the i-th; what is not there yet is behind
  FromBack,  ///< the last row is the latest; what is not there yet is before
};

/// Of a function, what another number of rows would change.
struct Grown {
  /// The dimension of a tensor that has an entry for each row; -1 of others.
  llvm::DenseMap<mlir::Value, int64_t> axes;
  /// Constants that count rows, and what one row more adds.
  llvm::MapVector<mlir::Value, eval::Tensor> counts;

  int64_t axisOf(mlir::Value value) const {
    auto found = axes.find(value);
    return found == axes.end() ? -1 : found->second;
  }
};

/// `less` and `least` are `function` with one row and with two rows fewer, and
/// `few` with `fewer`.
Result<Grown> findGrown(mlir::func::FuncOp function, mlir::func::FuncOp less,
                        mlir::func::FuncOp least, mlir::func::FuncOp few,
                        int64_t fewer, RowOrder order);

} // namespace tally::rewrite

#endif // TALLY_REWRITE_STATE_GROWN_H
