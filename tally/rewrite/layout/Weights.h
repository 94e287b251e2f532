//===- Weights.h - constants of products, stored once -----------*- C++ -*-===//

#ifndef TALLY_REWRITE_LAYOUT_WEIGHTS_H
#define TALLY_REWRITE_LAYOUT_WEIGHTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tally::rewrite {

/// Makes the weights of every product its right operand:
///
///   W * X  =  T(T(X) * T(W))
///
/// where both inner transposes are flags of the product (Product.h), so W stays
/// the tensor it is. The outer one is a new transpose. Post-condition: a
/// product whose left operand alone is a weight has a remark LAYOUT-2 with the
/// reason.
void weightsToTheRight(mlir::func::FuncOp function);

/// Makes constants of equal type (grid included) and content one, and then
/// operations that are equal.
void shareEqual(mlir::func::FuncOp function);

/// Transposes of constants become constants. One whose constant has readers in
/// its own order as well is stored twice from then on.
void foldTransposes(mlir::func::FuncOp function);

} // namespace tally::rewrite

#endif // TALLY_REWRITE_LAYOUT_WEIGHTS_H
