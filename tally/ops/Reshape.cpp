//===- Reshape.cpp - the same elements under another shape ----------------===//

#include "tally/ops/Movement.h"
#include "tally/support/CheckedMath.h"

#include <numeric>

using namespace mlir;
using namespace tally;
using namespace tally::nn;

static int64_t product(ArrayRef<int64_t> dims) {
  return std::accumulate(dims.begin(), dims.end(), int64_t(1),
                         std::multiplies<>());
}

/// The new place of a quantization axis: a dimension of equal size with an
/// equal product of the dimensions before it.
static std::optional<int64_t> axisAfter(ArrayRef<int64_t> from,
                                        ArrayRef<int64_t> to, int64_t axis) {
  int64_t before = product(from.take_front(axis));
  for (size_t i = 0; i < to.size(); ++i)
    if (to[i] == from[axis] && product(to.take_front(i)) == before)
      return i;
  return std::nullopt;
}

LogicalResult ReshapeOp::inferReturnTypeComponents(MLIRContext *,
                                                   MaybeLocation location,
                                                   Adaptor adaptor,
                                                   Inferred &inferred) {
  ArrayRef<int64_t> from = shapeOf(adaptor.getInput()), to = adaptor.getShape();
  auto count = checkedElementCount(to);
  if (!count || count != checkedElementCount(from))
    return reject(location, "RESHAPE-1",
                  "cannot reshape " + shapeText(from) + " to " + shapeText(to));
  return inferMovement(
      location, adaptor.getInput(), to,
      [&](int64_t axis) { return axisAfter(from, to, axis); }, inferred);
}

std::optional<int64_t> ReshapeOp::movedAxis(int64_t axis) {
  return axisAfter(shapeOf(getInput()), getShape(), axis);
}

Status ReshapeOp::evaluate(eval::Request &request) {
  request.out().storage = request.in(0).storage;
  return Status::success();
}
