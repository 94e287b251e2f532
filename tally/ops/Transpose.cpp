//===- Transpose.cpp - permutes the dimensions ----------------------------===//

#include "tally/eval/Movement.h"
#include "tally/ops/Movement.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

/// The place of input dimension `axis` in the result.
static std::optional<int64_t> placeOf(ArrayRef<int64_t> permutation,
                                      int64_t axis) {
  auto found = llvm::find(permutation, axis);
  if (found == permutation.end())
    return std::nullopt;
  return found - permutation.begin();
}

static bool isPermutation(ArrayRef<int64_t> permutation, size_t rank) {
  if (permutation.size() != rank)
    return false;
  for (size_t axis = 0; axis < rank; ++axis)
    if (!placeOf(permutation, static_cast<int64_t>(axis)))
      return false;
  return true;
}

LogicalResult TransposeOp::inferReturnTypeComponents(MLIRContext *,
                                                     MaybeLocation location,
                                                     Adaptor op,
                                                     Inferred &inferred) {
  ArrayRef<int64_t> input = shapeOf(op.getInput());
  ArrayRef<int64_t> permutation = op.getPermutation();
  if (!isPermutation(permutation, input.size()))
    return reject(location, "TRANSPOSE-1",
                  "[" + listText(permutation) +
                      "] is no permutation of the dimensions of " +
                      shapeText(input));
  SmallVector<int64_t> shape;
  for (int64_t axis : permutation)
    shape.push_back(input[axis]);
  return inferMovement(
      location, op.getInput(), shape,
      [&](int64_t axis) { return placeOf(permutation, axis); }, inferred);
}

std::optional<int64_t> TransposeOp::movedAxis(int64_t axis) {
  return placeOf(getPermutation(), axis);
}

Status TransposeOp::evaluate(eval::Request &request) {
  eval::Shape strides = eval::stridesOf(request.in(0).shape);
  ArrayRef<int64_t> permutation = getPermutation();
  eval::copyElements(request.in(0), request.out(), [&](eval::Index index) {
    int64_t source = 0;
    for (size_t d = 0; d < index.size(); ++d)
      source += index[d] * strides[permutation[d]];
    return source;
  });
  return Status::success();
}
