//===- Commute.h - operators under another order of dimensions --*- C++ -*-===//
//
// Two ways in which an operation and a permutation of its operands' dimensions
// get along, both bit for bit:
//
//   it commutes   on permuted operands, with its axis attributes moved along,
//                 it gives its result permuted:  relu(T(x)) = T(relu(x))
//   it absorbs    on a permuted operand, with attributes changed, it gives the
//                 result as it was:  reduce(T(x)), matmul(T(a), b), and
//                 matmul(reshape(T(a)), b), see Terms.h
//
// Numbers of dimensions go through the inverse permutation (Permutation.h).
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_REWRITE_LAYOUT_COMMUTE_H
#define TALLY_REWRITE_LAYOUT_COMMUTE_H

#include "mlir/IR/Builders.h"

namespace tally::rewrite {

/// Whether the operation commutes with `permutation`, which has as many entries
/// as its first result has dimensions.
bool commutes(mlir::Operation *op, llvm::ArrayRef<int64_t> permutation);

/// Whether an operation that commutes wants this operand permuted, extended by
/// leading dimensions of size 1 where it broadcasts a lower rank.
bool isPermuted(mlir::OpOperand &operand);
/// Whether an operation that commutes gives this result permuted.
bool isPermuted(mlir::OpResult result);

/// The operation that commutes, on `operands` (permuted where isPermuted says
/// so). Its results have no name in the model.
mlir::Operation *permutedCopy(mlir::OpBuilder &builder, mlir::Operation *op,
                              llvm::ArrayRef<int64_t> permutation,
                              mlir::ValueRange operands);

/// Whether the operand's owner absorbs `permutation` there.
bool absorbs(mlir::OpOperand &operand, llvm::ArrayRef<int64_t> permutation);

/// Makes the owner read `permuted`, its operand under `permutation`, instead.
void absorb(mlir::OpOperand &operand, llvm::ArrayRef<int64_t> permutation,
            mlir::Value permuted);

} // namespace tally::rewrite

#endif // TALLY_REWRITE_LAYOUT_COMMUTE_H
