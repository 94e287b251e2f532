//===- Expand.cpp - repeats dimensions of size 1 --------------------------===//

#include "tally/eval/Movement.h"
#include "tally/ops/Movement.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

/// A dimension that is not repeated keeps its distance from the last one.
static std::optional<int64_t> keptAxis(ArrayRef<int64_t> from,
                                       ArrayRef<int64_t> to, int64_t axis) {
  int64_t place = axis + static_cast<int64_t>(to.size() - from.size());
  return from[axis] == to[place] ? std::optional(place) : std::nullopt;
}

LogicalResult ExpandOp::inferReturnTypeComponents(MLIRContext *,
                                                  MaybeLocation location,
                                                  Adaptor op,
                                                  Inferred &inferred) {
  ArrayRef<int64_t> from = shapeOf(op.getInput()), to = op.getShape();
  auto common = broadcast(from, to);
  if (from.size() > to.size() || !common || ArrayRef(*common) != to)
    return reject(location, "EXPAND-1",
                  shapeText(from) + " does not broadcast to " + shapeText(to));
  return inferMovement(
      location, op.getInput(), to,
      [&](int64_t axis) { return keptAxis(from, to, axis); }, inferred);
}

std::optional<int64_t> ExpandOp::movedAxis(int64_t axis) {
  return keptAxis(shapeOf(getInput()), getShape(), axis);
}

Status ExpandOp::evaluate(eval::Request &request) {
  const eval::Shape &from = request.in(0).shape;
  eval::Shape strides = eval::stridesOf(from);
  size_t lead = request.out().shape.size() - from.size();
  eval::copyElements(request.in(0), request.out(), [&](eval::Index index) {
    int64_t source = 0;
    for (size_t d = 0; d < from.size(); ++d)
      source += from[d] == 1 ? 0 : index[lead + d] * strides[d];
    return source;
  });
  return Status::success();
}
