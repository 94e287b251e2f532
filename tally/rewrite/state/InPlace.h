//===- InPlace.h - writing a state over its old value -----------*- C++ -*-===//

#ifndef TALLY_REWRITE_STATE_INPLACE_H
#define TALLY_REWRITE_STATE_INPLACE_H

#include "tally/ops/State.h"

#include <optional>
#include <string>

namespace tally::rewrite {

/// The tensor whose bytes `value` is a view of (reshape, storage cast).
mlir::Value storageRoot(mlir::Value value);

/// The operations that read the bytes of `value`, itself or through views, in
/// no order; views are none of them.
llvm::SmallVector<mlir::Operation *> storageReaders(mlir::Value value);

/// A state that is written over its old value, and by what.
struct Overwritten {
  mlir::Value old;
  mlir::Operation *writer;
};

/// Adds to `settled` that `writer` overwrites `old`, if all other readers of it
/// come before, or `writer` can be moved behind them.
bool settleOrder(mlir::Value old, mlir::Operation *writer,
                 llvm::SmallVectorImpl<Overwritten> &settled);

/// Adds to `settled` that the memory of `old` becomes that of `next`, if every
/// element of it is read before it is overwritten; for that the operation that
/// makes `next` may move behind other readers of `old`, as far as the states of
/// `settled` allow. If not, the reason, for people.
std::optional<std::string>
refuseInPlace(mlir::Value old, mlir::Value next,
              llvm::SmallVectorImpl<Overwritten> &settled);

} // namespace tally::rewrite

#endif // TALLY_REWRITE_STATE_INPLACE_H
