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
         !isa<ConstantOp, QuantizeOp, DequantizeOp, DequantizeRuntimeOp,
              StorageCastOp>(op) &&
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

/// The Quantize that reads `op`, at most through what may stand between a
/// group's core and its Quantize; null when there is none.
static QuantizeOp followingQuantize(Operation &op) {
  for (Operation *user : op.getUsers()) {
    if (auto quantize = dyn_cast<QuantizeOp>(user))
      return quantize;
    bool mayFollow = isa<ReluOp, ClipOp>(user) ||
                     (isa<Movement>(user) && user->getNumOperands() == 1);
    if (QuantizeOp later = mayFollow ? followingQuantize(*user) : QuantizeOp())
      return later;
  }
  return {};
}

/// Whether import made a float constant of codes: their scales are in no type.
static bool wasDequantized(Operation *op) {
  return isa_and_nonnull<ConstantOp>(op) &&
         nodeOpType(op) == "DequantizeLinear";
}

static bool touchesCodes(Operation &op) {
  bool reads = llvm::any_of(op.getOperands(), [](Value value) {
    Operation *source = producer(value);
    return isa_and_nonnull<DequantizeOp, DequantizeRuntimeOp>(source) ||
           wasDequantized(source);
  });
  return reads || followingQuantize(op);
}

static std::string describeOperand(unsigned index, Value operand) {
  StringRef name = tensorName(operand);
  std::string text = "operand " + std::to_string(index);
  return name.empty() ? text : text + " ('" + name.str() + "')";
}

//===----------------------------------------------------------------------===//
// Which operand keeps a node from being on codes
//===----------------------------------------------------------------------===//

/// Scales that are no part of a type: in blocks, or computed when run.
static std::optional<FloatNode> blockedByScales(Operation &op) {
  for (auto [i, operand] : llvm::enumerate(op.getOperands())) {
    std::string which = describeOperand(i, operand);
    if (wasDequantized(producer(operand)))
      return FloatNode{&op,
                       which + " has codes with a scale for each block, or "
                               "scales that are not fp32: they are floats from "
                               "import on",
                       "quantize it per tensor or per output channel, with "
                       "fp32 scales",
                       operand};
    auto source = dyn_cast_or_null<DequantizeRuntimeOp>(producer(operand));
    if (!source)
      continue;
    if (source.getBlockSize() == 0)
      return FloatNode{&op, which + " has a scale that is computed when run",
                       "make its scale a constant", operand};
    return FloatNode{&op,
                     which + " has a scale for each block of " +
                         std::to_string(source.getBlockSize()) +
                         " elements: block-wise codes are computed as floats",
                     "quantize it per tensor or per output channel", operand};
  }
  return std::nullopt;
}

static FloatNode blockedByMovedConstant(Operation &op, Operation *movement,
                                        const std::string &which,
                                        Value operand) {
  return {&op,
          which + " is a float constant moved by " +
              (nodeOpType(movement).empty() ? movement->getName().getStringRef()
                                            : nodeOpType(movement))
                  .str() +
              ", and a group reads only constants as they are",
          "store the constant as the node reads it", operand};
}

/// Why no group has this operand, whatever its core; nothing when one may.
static std::optional<FloatNode> blockedBy(Operation &op, unsigned index,
                                          Value operand) {
  Operation *source = producer(operand);
  bool isInteger = isa<IntegerType>(getElementTypeOrSelf(operand.getType()));
  if (isInteger || isa_and_nonnull<DequantizeOp>(source))
    return std::nullopt;
  std::string which = describeOperand(index, operand);
  auto constant = dyn_cast_or_null<ConstantOp>(source);
  if (!constant)
    return FloatNode{&op, which + " is not dequantized right before the node",
                     "put a Quantize and a Dequantize between the two",
                     operand};
  if (!isFinite(constant))
    return FloatNode{
        &op, which + " has an infinity or a NaN, which no code stands for",
        "make it finite", operand};
  if (Operation *movement = operand.getDefiningOp(); movement != source)
    return blockedByMovedConstant(op, movement, which, operand);
  return std::nullopt;
}

static std::optional<FloatNode> blockedByAny(Operation &op) {
  for (auto [i, operand] : llvm::enumerate(op.getOperands()))
    if (auto node = blockedBy(op, i, operand))
      return node;
  return std::nullopt;
}

/// The first operand that is a float constant, for which `isMeant` holds.
static std::optional<unsigned>
floatConstant(Operation &op, llvm::function_ref<bool(ConstantOp)> isMeant) {
  for (auto [i, operand] : llvm::enumerate(op.getOperands())) {
    auto constant = operand.getDefiningOp<ConstantOp>();
    if (constant && isa<FloatType>(getElementTypeOrSelf(operand.getType())) &&
        isMeant(constant))
      return i;
  }
  return std::nullopt;
}

/// Every operand may be of a group, yet the node is in none.
static FloatNode blockedByMeaning(Operation &op) {
  auto pattern = findGroupPattern(followingQuantize(op));
  auto wasComputed = [](ConstantOp constant) {
    StringRef node = nodeOpType(constant);
    return !node.empty() && node != "Constant";
  };
  if (pattern && pattern->core == &op)
    if (auto i = floatConstant(op, wasComputed)) {
      Value operand = op.getOperand(*i);
      return blockedByMovedConstant(op, operand.getDefiningOp(),
                                    describeOperand(*i, operand), operand);
    }
  auto any = floatConstant(op, [](ConstantOp) { return true; });
  if (!pattern && any) {
    Value operand = op.getOperand(*any);
    return {&op, describeOperand(*any, operand) + " is a float constant",
            "give it a Quantize and a Dequantize", operand};
  }
  return {&op,
          "its grids have no integer meaning here (per-axis where per-tensor "
          "is needed, or too many bits)",
          "quantize it per tensor, with 8 or 16 bits",
          {}};
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

static FloatNode withoutMeaning(Operation &op) {
  if (isa<DivOp>(op)) {
    bool isByConstant = isa_and_nonnull<ConstantOp>(producer(op.getOperand(1)));
    return {&op,
            "division has no meaning on codes",
            isByConstant
                ? "multiply by the reciprocal, quantized: Mul computes "
                  "on codes"
                : "multiply by a quantized Reciprocal: both compute "
                  "on codes",
            {}};
  }
  return {&op,
          "the operator mixes codes non-linearly: its float meaning holds "
          "between the Quantize nodes",
          isa<SoftmaxOp>(op)
              ? "QLinearSoftmax (com.microsoft) computes on codes"
              : "use operators with an integer meaning; `tally ops` tells "
                "which have one",
          {}};
}

static FloatNode explain(Operation &op) {
  if (!isa<Quantizable>(op))
    return withoutMeaning(op);
  if (auto blocked = blockedByScales(op))
    return *blocked; // no Quantize behind the node would help
  if (!followingQuantize(op))
    return {&op, "its result is read as floats: no Quantize follows directly",
            "put a Quantize and a Dequantize after it", op.getResult(0)};
  auto blocked = blockedByAny(op);
  return blocked ? *blocked : blockedByMeaning(op);
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
