//===- RowMask.h - passing over rows that are not there ---------*- C++ -*-===//

#ifndef TALLY_REWRITE_STATE_ROWMASK_H
#define TALLY_REWRITE_STATE_ROWMASK_H

#include "tally/rewrite/state/Grown.h"

namespace tally::rewrite {

/// Which rows of a cache are there.
struct Rows {
  int64_t capacity = 0;
  RowOrder order = RowOrder::FromFront;
  /// One i64: how many rows are there (FromFront), or how many in front are
  /// not (FromBack).
  mlir::Value bound;
};

/// Makes what takes rows of `grown` tensors together pass over rows that are
/// not there. Tensors with fewer entries than the capacity are none of its
/// business. GROW-6.
Status maskRows(mlir::func::FuncOp function, const Grown &grown,
                const Rows &rows);

} // namespace tally::rewrite

#endif // TALLY_REWRITE_STATE_ROWMASK_H
