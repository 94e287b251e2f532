//===- Permutation.h - tensors under another order of dimensions *- C++ -*-===//
//
// A permutation is written as nn.transpose has it: dimension d of the permuted
// tensor is dimension permutation[d] of the plain one. A quantization axis,
// and any other number of a dimension, therefore goes through the inverse:
// axis a of the plain tensor is axis d of the permuted one with
// permutation[d] = a.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_REWRITE_LAYOUT_PERMUTATION_H
#define TALLY_REWRITE_LAYOUT_PERMUTATION_H

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace tally::rewrite {

using Permutation = llvm::SmallVector<int64_t>;

/// The permuted tensor's type; a per-axis grid moves along.
mlir::RankedTensorType permutedType(mlir::RankedTensorType type,
                                    llvm::ArrayRef<int64_t> permutation);

/// Whether permuting a tensor of `shape` leaves its bytes as they are: the
/// dimensions that are not 1 keep their order, or there are no elements.
bool keepsBytes(llvm::ArrayRef<int64_t> shape,
                llvm::ArrayRef<int64_t> permutation);

/// Whether exactly the last two dimensions are exchanged.
bool exchangesMatrix(llvm::ArrayRef<int64_t> permutation);

/// `value` under `permutation`, by a new nn.reshape where the bytes stay, else
/// by a new nn.transpose.
mlir::Value permutedValue(mlir::OpBuilder &builder, mlir::Location location,
                          mlir::Value value,
                          llvm::ArrayRef<int64_t> permutation);

/// `value` with leading dimensions of size 1 up to `rank`; itself when it has
/// that rank.
mlir::Value withRank(mlir::OpBuilder &builder, mlir::Location location,
                     mlir::Value value, int64_t rank);

} // namespace tally::rewrite

#endif // TALLY_REWRITE_LAYOUT_PERMUTATION_H
