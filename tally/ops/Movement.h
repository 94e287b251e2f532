//===- Movement.h - rules shared by operators that move elements *- C++ -*-===//

#ifndef TALLY_OPS_MOVEMENT_H
#define TALLY_OPS_MOVEMENT_H

#include "tally/ops/Inference.h"

namespace tally::nn {

/// Where a dimension of the input ends up; see Movement::movedAxis.
using AxisMove = llvm::function_ref<std::optional<int64_t>(int64_t)>;

/// Infers the single result of a movement: `shape`, with the input's element
/// type. A per-axis grid moves with its axis, or fails by MOVE-1.
llvm::LogicalResult inferMovement(MaybeLocation location, mlir::Value input,
                                  llvm::ArrayRef<int64_t> shape,
                                  AxisMove movedAxis, Inferred &inferred);

/// `element` of the input as the result has it; null when a per-axis grid does
/// not survive.
mlir::Type movedElement(mlir::Type element, AxisMove movedAxis);

/// "2, 0, 1", for messages.
std::string listText(llvm::ArrayRef<int64_t> values);

} // namespace tally::nn

#endif // TALLY_OPS_MOVEMENT_H
