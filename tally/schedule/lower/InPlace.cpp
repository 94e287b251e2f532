//===- InPlace.cpp - results in the place of operands that die ------------===//
//
// A tensor dies at a chain when no operator after it reads the tensor or a view
// of the tensor. Tensors that may hold parts of others, such as joins, are left
// alone.
//
// Example: %a = gemm; %b = reshape %a; %c = table %b; gemm %c: nothing after
// the table reads %a or %b, so %c takes their bytes.
//
//===----------------------------------------------------------------------===//

#include "tally/schedule/lower/InPlace.h"
#include "tally/ops/Ops.h"
#include "tally/schedule/lower/Lowerings.h"

using namespace mlir;
using namespace tally;
using namespace tally::schedule;

static const LoweringRow *rowOf(Operation *op) {
  return op ? findLowering(op->getName().getStringRef()) : nullptr;
}

static bool isView(Operation *op) {
  const LoweringRow *row = rowOf(op);
  return row && row->reach == Reach::View;
}

static int64_t bytesOf(Value value) {
  auto element = elementTypeOf(value.getType());
  auto type = cast<RankedTensorType>(value.getType());
  return element ? type.getNumElements() * machine::elementBytes(*element) : 0;
}

/// What `value` is a view of all bytes of, or null.
static Value rootOf(Value value) {
  while (isView(value.getDefiningOp())) {
    Value operand = value.getDefiningOp()->getOperand(0);
    if (bytesOf(operand) != bytesOf(value))
      return {};
    value = operand;
  }
  return value;
}

/// Whether the bytes of a value are its own: results of vector and matrix
/// engines, and inputs.
static bool ownsBytes(Value root) {
  Operation *producer = root.getDefiningOp();
  if (!producer)
    return true;
  const LoweringRow *row = rowOf(producer);
  return (row && row->prepare) ||
         llvm::isa<nn::ConvOp, nn::FusedOp, nn::GemmOp, nn::MatMulOp>(producer);
}

/// Whether nothing after the chain, and nothing of the chain but through
/// `operand`, reads `value` or a view of it.
static bool diesAt(ArrayRef<PiecewiseNode> chain, Value value, Value operand,
                   llvm::function_ref<bool(Operation *)> runsAfter) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    if (isView(user))
      return llvm::all_of(user->getResults(), [&](Value view) {
        return diesAt(chain, view, operand, runsAfter);
      });
    bool isMember = llvm::any_of(
        chain, [&](const auto &node) { return node.contains(user); });
    return isMember ? value == operand : !runsAfter(user);
  });
}

static bool isMadeBy(ArrayRef<PiecewiseNode> chain, Value root) {
  Operation *producer = root.getDefiningOp();
  return producer && llvm::any_of(chain, [&](const PiecewiseNode &node) {
           return node.contains(producer);
         });
}

Value tally::schedule::operandInPlace(
    ArrayRef<PiecewiseNode> chain,
    llvm::function_ref<bool(Operation *)> runsAfter) {
  const PiecewiseNode &last = chain.back();
  if (!last.worksInPlace)
    return {};
  auto shapeOf = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getShape();
  };
  for (const PiecewiseNode &node : chain)
    for (const Read &read : node.reads) {
      if (!read.isBroadcast || shapeOf(read.value) != shapeOf(last.result()) ||
          bytesOf(read.value) != bytesOf(last.result()))
        continue;
      Value root = rootOf(read.value);
      if (root && ownsBytes(root) && !isMadeBy(chain, root) &&
          diesAt(chain, root, read.value, runsAfter))
        return read.value;
    }
  return {};
}
