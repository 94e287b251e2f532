//===- Step.cpp - one step of a graph on given tensors --------------------===//

#include "tally/eval/Step.h"
#include "tally/eval/Elementwise.h"

using namespace mlir;
using namespace tally;
using namespace tally::eval;

/// An operation's only result as `result` describes it.
static Result<Tensor> evaluateAs(Operation *op, Tensor result,
                                 const std::vector<const Tensor *> &inputs,
                                 Profile profile) {
  Request request;
  request.inputs = inputs;
  request.profile = profile;
  result.allocate();
  request.results.push_back(std::move(result));
  if (Status status = cast<nn::Operator>(op).evaluate(request); !status)
    return status.takeError();
  return std::move(request.results[0]);
}

/// `like` in the shape of the operation's result.
static Tensor shapedLike(Operation *op, const Tensor &like) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  Tensor result = like;
  result.shape.assign(type.getShape().begin(), type.getShape().end());
  return result;
}

static Result<Tensor> movedOperand(const nn::GroupOperand &operand,
                                   Tensor tensor, Profile profile) {
  auto type = cast<RankedTensorType>(operand.source.getType());
  for (Operation *movement : operand.path) {
    type = nn::movedType(movement, type);
    auto moved = evaluateAs(movement, nn::describe(type), {&tensor}, profile);
    if (!moved)
      return moved;
    tensor = std::move(*moved);
  }
  return tensor;
}

Result<Step> tally::eval::stepOf(const nn::QuantizedGroup &group,
                                 TensorOf tensorOf, Profile profile) {
  Step step;
  step.core = group.core;
  step.after = group.after;
  for (const nn::GroupOperand &operand : group.operands) {
    if (!operand.source) {
      step.operands.emplace_back();
      continue;
    }
    auto tensor = movedOperand(operand, tensorOf(operand.source), profile);
    if (!tensor)
      return tensor.takeError();
    step.operands.emplace_back(std::move(*tensor));
  }
  return step;
}

Step tally::eval::stepOf(Operation *op, TensorOf tensorOf) {
  Step step;
  step.core = op;
  for (Value operand : cast<nn::Operator>(op).positionalOperands())
    step.operands.push_back(operand ? std::optional(tensorOf(operand))
                                    : std::nullopt);
  return step;
}

static Result<Tensor> evaluateCore(const Step &step, const Tensor &like,
                                   Profile profile) {
  if (!step.core) {
    const Tensor &operand = *step.operands[0];
    if (!like.isQuantized())
      return operand;
    Tensor result = like;
    result.shape = operand.shape;
    result.allocate();
    requantize(operand, result, profile);
    return result;
  }
  std::vector<const Tensor *> inputs;
  for (const std::optional<Tensor> &operand : step.operands)
    inputs.push_back(operand ? &*operand : nullptr);
  return evaluateAs(step.core, shapedLike(step.core, like), inputs, profile);
}

Result<Tensor> tally::eval::evaluateStep(const Step &step, const Tensor &like,
                                         Profile profile) {
  auto tensor = evaluateCore(step, like, profile);
  if (!tensor)
    return tensor;
  for (Operation *op : step.after) {
    auto next = evaluateAs(op, shapedLike(op, like), {&*tensor}, profile);
    if (!next)
      return next;
    tensor = std::move(*next);
  }
  return tensor;
}
