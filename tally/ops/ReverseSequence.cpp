//===- ReverseSequence.cpp - reverses the start of each sequence ----------===//

#include "tally/eval/Movement.h"
#include "tally/ops/Movement.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

/// Only the time dimension changes the meaning of its indices.
static std::optional<int64_t> keptAxis(int64_t timeAxis, int64_t axis) {
  return axis == timeAxis ? std::nullopt : std::optional(axis);
}

LogicalResult ReverseSequenceOp::inferReturnTypeComponents(
    MLIRContext *, MaybeLocation location, Adaptor op, Inferred &inferred) {
  ArrayRef<int64_t> shape = shapeOf(op.getInput());
  auto rank = static_cast<int64_t>(shape.size());
  auto batch = static_cast<int64_t>(op.getBatchAxis()),
       time = static_cast<int64_t>(op.getTimeAxis());
  auto isDimension = [&](int64_t axis) { return axis >= 0 && axis < rank; };
  if (!isDimension(batch) || !isDimension(time) || batch == time)
    return reject(location, "REVERSE-1",
                  "batch axis " + Twine(batch) + " and time axis " +
                      Twine(time) + " must be two dimensions of " +
                      shapeText(shape));
  auto fits = [&](int64_t length) {
    return length >= 0 && length <= shape[time];
  };
  ArrayRef<int64_t> lengths = op.getLengths();
  if (static_cast<int64_t>(lengths.size()) != shape[batch] ||
      !llvm::all_of(lengths, fits))
    return reject(location, "REVERSE-2",
                  "lengths [" + listText(lengths) + "] must be " +
                      Twine(shape[batch]) + " numbers from 0 to " +
                      Twine(shape[time]));
  return inferMovement(
      location, op.getInput(), shape,
      [&](int64_t axis) { return keptAxis(time, axis); }, inferred);
}

std::optional<int64_t> ReverseSequenceOp::movedAxis(int64_t axis) {
  return keptAxis(static_cast<int64_t>(getTimeAxis()), axis);
}

Status ReverseSequenceOp::evaluate(eval::Request &request) {
  eval::Shape strides = eval::stridesOf(request.in(0).shape);
  eval::copyElements(request.in(0), request.out(), [&](eval::Index index) {
    int64_t length = getLengths()[index[getBatchAxis()]];
    int64_t time = index[getTimeAxis()];
    int64_t source = eval::positionOf(index, strides);
    if (time < length)
      source += (length - 1 - 2 * time) * strides[getTimeAxis()];
    return source;
  });
  return Status::success();
}
