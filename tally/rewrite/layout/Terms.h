//===- Terms.h - products whose terms come in another order -----*- C++ -*-===//
//
// A transpose, then a reshape that joins what it moved, then a product:
//
//   matmul(reshape(T(x)), W)  =  matmul(reshape(x), W')
//
// where W' has the rows of W in the order in which x holds the terms. An
// integer sum has no order, so on codes and integers that is the same; on
// floats the order of terms is part of the meaning.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_REWRITE_LAYOUT_TERMS_H
#define TALLY_REWRITE_LAYOUT_TERMS_H

#include "tally/ops/Ops.h"

namespace tally::rewrite {

/// Whether every reader of `reshape` is a product whose terms can come in the
/// order that `permutation` of the reshape's operand gives them: the moved
/// dimensions are all joined into the terms, and each weight is a constant that
/// nothing else reads.
bool canReorderTerms(nn::ReshapeOp reshape,
                     llvm::ArrayRef<int64_t> permutation);

/// Makes `reshape` read `permuted`, its operand under `permutation`, and
/// permutes the weights of its readers.
void reorderTerms(nn::ReshapeOp reshape, llvm::ArrayRef<int64_t> permutation,
                  mlir::Value permuted);

} // namespace tally::rewrite

#endif // TALLY_REWRITE_LAYOUT_TERMS_H
