//===- Slice.cpp - every step-th element of each dimension ----------------===//

#include "tally/eval/Movement.h"
#include "tally/ops/Movement.h"
#include "tally/support/CheckedMath.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

/// Whether `count` elements from `start` by `step` lie in [0, dim).
static bool liesInside(int64_t start, int64_t count, int64_t step,
                       int64_t dim) {
  if (count <= 0)
    return count == 0;
  auto reach = checkedMul(count - 1, step);
  auto last = reach ? checkedAdd(start, *reach) : std::nullopt;
  return start >= 0 && start < dim && last && *last >= 0 && *last < dim;
}

LogicalResult SliceOp::inferReturnTypeComponents(MLIRContext *,
                                                 MaybeLocation location,
                                                 Adaptor op,
                                                 Inferred &inferred) {
  ArrayRef<int64_t> input = shapeOf(op.getInput());
  ArrayRef<int64_t> starts = op.getStarts(), sizes = op.getSizes(),
                    steps = op.getSteps();
  size_t rank = input.size();
  if (starts.size() != rank || sizes.size() != rank || steps.size() != rank)
    return reject(location, "SLICE-1",
                  "starts, sizes and steps need " + Twine(rank) +
                      " entries, one per dimension of " + shapeText(input));
  for (size_t d = 0; d < rank; ++d)
    if (!liesInside(starts[d], sizes[d], steps[d], input[d]))
      return reject(location, "SLICE-2",
                    Twine(sizes[d]) + " elements from " + Twine(starts[d]) +
                        " by " + Twine(steps[d]) + " leave dimension " +
                        Twine(d) + " of size " + Twine(input[d]));
  auto move = [&](int64_t axis) -> std::optional<int64_t> {
    bool isWhole =
        starts[axis] == 0 && steps[axis] == 1 && sizes[axis] == input[axis];
    return isWhole ? std::optional(axis) : std::nullopt;
  };
  return inferMovement(location, op.getInput(), sizes, move, inferred);
}

std::optional<int64_t> SliceOp::movedAxis(int64_t axis) {
  bool isWhole = getStarts()[axis] == 0 && getSteps()[axis] == 1 &&
                 getSizes()[axis] == shapeOf(getInput())[axis];
  return isWhole ? std::optional(axis) : std::nullopt;
}

Status SliceOp::evaluate(eval::Request &request) {
  eval::Shape strides = eval::stridesOf(request.in(0).shape);
  eval::copyElements(request.in(0), request.out(), [&](eval::Index index) {
    int64_t source = 0;
    for (size_t d = 0; d < index.size(); ++d)
      source += (getStarts()[d] + index[d] * getSteps()[d]) * strides[d];
    return source;
  });
  return Status::success();
}
