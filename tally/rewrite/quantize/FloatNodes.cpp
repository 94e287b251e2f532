//===- FloatNodes.cpp - what stays float in a quantized graph, and why ----===//

#include "tally/ops/QuantizedGroup.h"
#include "tally/rewrite/quantize/Quantize.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;
using tally::rewrite::FloatNode;

static bool isArithmetic(Operation &op) {
  return isa<Operator>(op) && !isa<Movement>(op) &&
         !isa<ConstantOp, QuantizeOp, DequantizeOp, StorageCastOp>(op) &&
         op.getNumResults() > 0 &&
         isa<FloatType>(getElementTypeOrSelf(op.getResult(0).getType()));
}

/// The producer seen through single-input movements.
static Operation *producer(Value value) {
  Operation *op = value.getDefiningOp();
  while (op && isa<Movement>(op) && op->getNumOperands() == 1)
    op = op->getOperand(0).getDefiningOp();
  return op;
}

static bool touchesCodes(Operation &op) {
  bool reads = llvm::any_of(op.getOperands(), [](Value value) {
    return isa_and_nonnull<DequantizeOp>(producer(value));
  });
  bool feeds = llvm::any_of(op.getResult(0).getUsers(), [](Operation *user) {
    return isa<QuantizeOp>(user);
  });
  return reads || feeds;
}

static std::string operandReason(Operation &op) {
  for (auto [i, operand] : llvm::enumerate(op.getOperands())) {
    Operation *source = producer(operand);
    if (isa_and_nonnull<DequantizeOp>(source))
      continue;
    std::string which = "operand " + std::to_string(i);
    if (isa_and_nonnull<ConstantOp>(source))
      return which + " is a float constant: give it a Quantize and a "
                     "Dequantize";
    return which + " is not dequantized right before the node";
  }
  return "its grids have no integer meaning here (per-axis where per-tensor "
         "is needed, or too many bits)";
}

static std::string reason(Operation &op) {
  if (!isa<Quantizable>(op))
    return "the operator mixes codes non-linearly: its float meaning holds "
           "between the Quantize nodes";
  bool isQuantized = llvm::any_of(op.getResult(0).getUsers(), [](Operation *u) {
    return isa<QuantizeOp>(u);
  });
  if (!isQuantized)
    return "its result is read as floats: no Quantize follows directly";
  return operandReason(op);
}

std::vector<FloatNode> tally::rewrite::floatNodes(func::FuncOp function) {
  std::vector<FloatNode> nodes;
  for (Operation &op : function.getBody().front())
    if (isArithmetic(op) && touchesCodes(op))
      nodes.push_back({&op, reason(op)});
  return nodes;
}
