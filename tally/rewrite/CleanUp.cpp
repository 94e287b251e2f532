//===- CleanUp.cpp - constants and dead code after a rewrite --------------===//

#include "tally/rewrite/CleanUp.h"
#include "tally/graph/Locations.h"
#include "tally/ops/Folding.h"
#include "tally/ops/Ops.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

static int64_t operandBytes(Operation *op) {
  int64_t bytes = 0;
  for (Value operand : op->getOperands())
    bytes += describe(cast<RankedTensorType>(operand.getType())).byteCount();
  return bytes;
}

static void replaceByConstant(Operation *op, const eval::Tensor &result) {
  OpBuilder builder(op);
  ElementsAttr value = elementsAttr(op->getContext(), result, nodeName(op));
  auto constant = ConstantOp::create(builder, op->getLoc(),
                                     op->getResult(0).getType(), value);
  op->getResult(0).replaceAllUsesWith(constant);
  op->erase();
}

bool tally::rewrite::foldConstant(Operation *op) {
  auto result = evaluateConstant(op);
  if (result)
    replaceByConstant(op, *result);
  return result.has_value();
}

void tally::rewrite::foldConstants(func::FuncOp function) {
  for (Operation &op : llvm::make_early_inc_range(function.getBody().front())) {
    bool isCopy = isa<TransposeOp>(op) && !op.getOperand(0).hasOneUse();
    if (isCopy)
      continue;
    auto result = evaluateConstant(&op);
    if (result && result->byteCount() <= operandBytes(&op))
      replaceByConstant(&op, *result);
  }
}

void tally::rewrite::removeDead(func::FuncOp function) {
  Block &body = function.getBody().front();
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (isOpTriviallyDead(&op))
      op.erase();
}
