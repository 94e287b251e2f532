//===- Joins.h - results that are parts of a concatenation ------*- C++ -*-===//

#ifndef TALLY_SCHEDULE_JOINS_H
#define TALLY_SCHEDULE_JOINS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace tally::schedule {

/// The indices from `first` on of dimension `axis` of `whole`.
struct JoinedPart {
  mlir::Value whole;
  int64_t axis = 0, first = 0;
};

/// The results that can be written straight to their place in the one
/// concatenation that gets them: of products and elementwise operators, which
/// write with any strides, on the concatenation's grid and with its home (one
/// of `away`, or not). Concatenations of more than `mostBytes` in SRAM are left
/// out: they live from their first part on.
llvm::DenseMap<mlir::Value, JoinedPart>
joinedParts(mlir::func::FuncOp function,
            const llvm::DenseSet<mlir::Value> &away, int64_t mostBytes);

} // namespace tally::schedule

#endif // TALLY_SCHEDULE_JOINS_H
