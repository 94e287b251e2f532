//===- Ops.h - the operators of the nn dialect ------------------*- C++ -*-===//
//
// Declarations of all operators, generated from the .td file of each. See
// docs/recipes/add-an-operator.md for how one is added.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_OPS_OPS_H
#define TALLY_OPS_OPS_H

#include "tally/graph/Dialect.h"
#include "tally/graph/Interfaces.h"
#include "tally/graph/Types.h"
#include "tally/ops/Elementwise.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tally::nn {

/// Shape rules of the reductions (rules REDUCE-1, REDUCE-2; see Reduce.td).
llvm::LogicalResult
inferReduction(std::optional<mlir::Location> location, llvm::StringRef name,
               mlir::ValueRange operands, llvm::ArrayRef<int64_t> axes,
               bool keepdims,
               llvm::SmallVectorImpl<mlir::ShapedTypeComponents> &inferred);

/// Rule MOVE-2 of the operators that only move elements (MovementBase.td).
llvm::LogicalResult verifyMovement(mlir::Operation *op);

/// Whether scatter operators know this reduction.
bool isUpdateKind(llvm::StringRef name);

} // namespace tally::nn

#define GET_OP_CLASSES
#include "tally/ops/Ops.h.inc"

#endif // TALLY_OPS_OPS_H
