//===- Folding.cpp - operations on constants ------------------------------===//

#include "tally/ops/Folding.h"
#include "tally/ops/Ops.h"

#include <cstring>

using namespace mlir;
using namespace tally;
using namespace tally::nn;

static std::optional<eval::Tensor> evaluateAs(Operator node,
                                              eval::Request request,
                                              RankedTensorType type,
                                              eval::Profile profile) {
  request.profile = profile;
  request.results.push_back(describe(type));
  request.out().allocate();
  if (!node.evaluate(request))
    return std::nullopt;
  return request.out();
}

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
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  auto result = evaluateAs(node, request, type, eval::Profile::Ideal);
  if (!result || !quantizedElement(type))
    return result;
  for (auto profile : {eval::Profile::OnnxRuntime, eval::Profile::TfLite}) {
    auto other = evaluateAs(node, request, type, profile);
    if (!other || std::memcmp(other->storage.get(), result->storage.get(),
                              result->byteCount()))
      return std::nullopt;
  }
  return result;
}
