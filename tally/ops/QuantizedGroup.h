//===- QuantizedGroup.h - which Quantize reads an exact real ----*- C++ -*-===//
//
// The normative rule that gives a dequantize-operate-quantize pattern its
// integer meaning. It is part of the meaning of the graph (see
// docs/rationale/numerics.md), so both the evaluator, which runs the graph as
// imported, and the rewrite, which replaces the pattern, go by it.
//
// A Quantize with a per-tensor grid closes a group when, walking up from its
// input, there are
//
//   1. any number of clamps (Relu, Clip with constant bounds) and single-input
//      movements (Reshape, Transpose, ...), then
//   2. a Dequantize, or a core: an operator with a quantized meaning for
//   3. operands each of which is a Dequantize seen through single-input
//      movements, an f32 constant where the core takes a real one (of finite
//      elements, unless the core only selects them as Where does), or a
//      tensor of plain integers or booleans (indices, conditions).
//
// The group means: the core's exact real result, rounded once onto the
// Quantize's grid; then the clamps and movements on codes of that grid (a
// monotone rounding commutes with both). How many readers any tensor inside
// has does not matter: a reader other than a group's Quantize sees floats.
//
// Which patterns are groups is settled once, on the graph as imported. The
// rewrite that replaces them marks the module (kGroupsReplaced); from then on
// every operation means what it says, whatever pattern folding or moving other
// operations makes of the floats that are left.
//
// Example: Q(Relu(Conv(DQ(x), DQ(w), DQ(b)))).
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_OPS_QUANTIZEDGROUP_H
#define TALLY_OPS_QUANTIZEDGROUP_H

#include "tally/ops/Ops.h"

namespace tally::nn {

/// Attribute (of unit type) of a module whose groups have been replaced. No
/// Quantize in it closes a group.
inline constexpr llvm::StringLiteral kGroupsReplaced = "nn.groups_replaced";

/// One operand of a group's core. `source` is the code tensor below the
/// Dequantize, the real constant, the integers, or null when the optional
/// operand is absent. `path` lists the movements from the source to the core.
struct GroupOperand {
  mlir::Value source;
  llvm::SmallVector<mlir::Operation *, 2> path;
  mlir::RankedTensorType type; ///< of the core's operand, on codes
};

struct QuantizedGroup {
  QuantizeOp quantize;
  /// Null for a bare requantization (rule 2, a Dequantize); the only operand
  /// is then the value to requantize.
  mlir::Operation *core = nullptr;
  llvm::SmallVector<GroupOperand, 3> operands;
  /// Clamps and movements after the core, in execution order.
  llvm::SmallVector<mlir::Operation *, 2> after;
  /// The core's result on the Quantize's grid.
  mlir::RankedTensorType coreType;
};

/// The group that `quantize` closes, or nothing.
std::optional<QuantizedGroup> findQuantizedGroup(QuantizeOp quantize);

/// The pattern that `quantize` ends, or nothing: a group if it was there on
/// import, else what later rewrites made of the floats that are left.
std::optional<QuantizedGroup> findGroupPattern(QuantizeOp quantize);

/// Whether every element is a number; integers and codes always are.
bool isFinite(ConstantOp constant);

/// `movement`'s result type when its input has type `input`; null when a
/// per-axis grid does not survive.
mlir::RankedTensorType movedType(mlir::Operation *movement,
                                 mlir::RankedTensorType input);

} // namespace tally::nn

#endif // TALLY_OPS_QUANTIZEDGROUP_H
