//===- FloatNodes.cpp - what stays float in a quantized graph, and why ----===//

#include "tally/graph/Locations.h"
#include "tally/ops/QuantizedGroup.h"
#include "tally/rewrite/Remarks.h"
#include "tally/rewrite/quantize/Quantize.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;
using namespace tally::rewrite;

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

/// Whether a Quantize reads `op`, at most through what may stand between a
/// group's core and its Quantize.
static bool feedsQuantize(Operation &op) {
  return llvm::any_of(op.getUsers(), [](Operation *user) {
    bool mayFollow = isa<ReluOp, ClipOp>(user) ||
                     (isa<Movement>(user) && user->getNumOperands() == 1);
    return isa<QuantizeOp>(user) || (mayFollow && feedsQuantize(*user));
  });
}

static bool touchesCodes(Operation &op) {
  bool reads = llvm::any_of(op.getOperands(), [](Value value) {
    return isa_and_nonnull<DequantizeOp>(producer(value));
  });
  return reads || feedsQuantize(op);
}

static std::string describeOperand(unsigned index, Value operand) {
  StringRef name = tensorName(operand);
  std::string text = "operand " + std::to_string(index);
  return name.empty() ? text : text + " ('" + name.str() + "')";
}

/// The first operand that keeps the node from being on codes.
static FloatNode blockedByOperand(Operation &op) {
  for (auto [i, operand] : llvm::enumerate(op.getOperands())) {
    Operation *source = producer(operand);
    if (isa_and_nonnull<DequantizeOp>(source))
      continue;
    std::string which = describeOperand(i, operand);
    auto constant = dyn_cast_or_null<ConstantOp>(source);
    if (constant && !isFinite(constant))
      return {&op,
              which + " has an infinity or a NaN, which no code stands for",
              "make it finite", operand};
    if (constant)
      return {&op, which + " is a float constant",
              "give it a Quantize and a Dequantize", operand};
    return {&op, which + " is not dequantized right before the node",
            "put a Quantize and a Dequantize between the two", operand};
  }
  return {&op,
          "its grids have no integer meaning here (per-axis where per-tensor "
          "is needed, or too many bits)",
          "quantize it per tensor, with 8 or 16 bits",
          {}};
}

static FloatNode explain(Operation &op) {
  if (!isa<Quantizable>(op))
    return {&op,
            "the operator mixes codes non-linearly: its float meaning holds "
            "between the Quantize nodes",
            isa<SoftmaxOp>(op)
                ? "QLinearSoftmax (com.microsoft) computes on codes"
                : "use operators with an integer meaning; `tally ops` tells "
                  "which have one",
            {}};
  if (!feedsQuantize(op))
    return {&op, "its result is read as floats: no Quantize follows directly",
            "put a Quantize and a Dequantize after it", op.getResult(0)};
  return blockedByOperand(op);
}

std::vector<FloatNode> tally::rewrite::floatNodes(func::FuncOp function) {
  std::vector<FloatNode> nodes;
  for (Operation &op : function.getBody().front())
    if (isArithmetic(op) && touchesCodes(op))
      nodes.push_back(explain(op));
  return nodes;
}

static void report(const FloatNode &node) {
  auto remark = remarkAt(node.op, RemarkCode::StaysFloat);
  if (node.edge)
    remark << edge(node.edge);
  remark << because("{0}", node.reason) << instead("{0}", node.suggestion);
}

void tally::rewrite::noteFloatNodes(func::FuncOp function) {
  Builder builder(function.getContext());
  for (const FloatNode &node : floatNodes(function)) {
    node.op->setAttr("nn.float_reason", builder.getStringAttr(node.reason));
    report(node);
  }
}
