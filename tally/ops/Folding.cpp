//===- Folding.cpp - operations on constants ------------------------------===//

#include "tally/ops/Folding.h"
#include "tally/ops/Ops.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

std::optional<eval::Tensor> tally::nn::evaluateConstant(Operation *op) {
  auto node = dyn_cast<Operator>(op);
  if (!node || isa<ConstantOp>(op) || op->getNumResults() != 1)
    return std::nullopt;
  SmallVector<Value> operands = node.positionalOperands();
  std::vector<eval::Tensor> tensors;
  tensors.reserve(operands.size());
  eval::Request request;
  for (Value operand : operands) {
    auto constant =
        operand ? operand.getDefiningOp<ConstantOp>() : ConstantOp();
    if (operand && !constant)
      return std::nullopt;
    if (constant)
      tensors.push_back(hostTensor(constant.getValue(), constant.getType()));
    request.inputs.push_back(constant ? &tensors.back() : nullptr);
  }
  request.results.push_back(
      describe(cast<RankedTensorType>(op->getResult(0).getType())));
  request.out().allocate();
  if (!node.evaluate(request))
    return std::nullopt;
  return request.out();
}
