//===- Quantize.h - groups become quantized operators -----------*- C++ -*-===//
//
// Replaces every dequantize-operate-quantize group (ops/QuantizedGroup.h) by
// operators on codes. The group's integers do not change: the rewrite is the
// definition of the group's meaning, written as operations.
//
//   Q(Relu(Conv(DQ(x), DQ(w), DQ(b)))) on grid s,z
//     ==> relu(conv(x, w, b) : on s,z) : on s,z
//
// Floats that other readers of a group's inner tensors need stay.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_REWRITE_QUANTIZE_QUANTIZE_H
#define TALLY_REWRITE_QUANTIZE_QUANTIZE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace tally::rewrite {

/// Rewrites all functions of `module`, evaluates what depends on constants
/// only (unless that would enlarge them), removes what became dead, and notes
/// what stays float. Post-condition: no Quantize closes a group any more, and
/// the module says so (nn::kGroupsReplaced), so that none does later.
void quantize(mlir::ModuleOp module);

/// A node that computes on floats although quantized tensors surround it.
struct FloatNode {
  mlir::Operation *op;
  std::string reason;     ///< lower case, without a final stop
  std::string suggestion; ///< what would change it, in the same form
  mlir::Value edge;       ///< the tensor that decided; null when none did
};

/// The operations of `function` that stay float in a graph that quantizes,
/// with why: after `quantize`, every arithmetic operation on floats that has a
/// Dequantize (with scales of its type or computed, or block-wise) among its
/// sources or a Quantize among its readers.
std::vector<FloatNode> floatNodes(mlir::func::FuncOp function);

/// Puts each node's reason into its attribute nn.float_reason, for the
/// artifact's table of stages, and reports it as a remark (StaysFloat).
void noteFloatNodes(mlir::func::FuncOp function);

/// Registers the pass `--nn-quantize`.
void registerQuantizePass();

} // namespace tally::rewrite

#endif // TALLY_REWRITE_QUANTIZE_QUANTIZE_H
