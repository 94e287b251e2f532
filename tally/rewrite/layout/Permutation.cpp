//===- Permutation.cpp - tensors under another order of dimensions --------===//

#include "tally/rewrite/layout/Permutation.h"
#include "tally/ops/Movement.h"
#include "tally/ops/QuantizedGroup.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;
using namespace tally::rewrite;

RankedTensorType tally::rewrite::permutedType(RankedTensorType type,
                                              ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> inverse = invertPermutationVector(permutation);
  Type element = movedElement(
      type.getElementType(),
      [&](int64_t axis) -> std::optional<int64_t> { return inverse[axis]; });
  return RankedTensorType::get(applyPermutation(type.getShape(), permutation),
                               element);
}

bool tally::rewrite::keepsBytes(ArrayRef<int64_t> shape,
                                ArrayRef<int64_t> permutation) {
  if (llvm::is_contained(shape, 0))
    return true;
  int64_t last = -1;
  for (int64_t axis : permutation) {
    if (shape[axis] == 1)
      continue;
    if (axis < last)
      return false;
    last = axis;
  }
  return true;
}

bool tally::rewrite::exchangesMatrix(ArrayRef<int64_t> permutation) {
  auto rank = static_cast<int64_t>(permutation.size());
  if (rank < 2)
    return false;
  Permutation exchange = llvm::to_vector(llvm::seq<int64_t>(rank));
  std::swap(exchange[rank - 2], exchange[rank - 1]);
  return permutation == ArrayRef<int64_t>(exchange);
}

/// A reshape to `type`; null when a per-axis grid would end up on another
/// dimension.
static Value reshapedTo(OpBuilder &builder, Location location, Value value,
                        RankedTensorType type) {
  auto reshape =
      ReshapeOp::create(builder, location, type, value, type.getShape());
  if (movedType(reshape, tensorType(value)) == type)
    return reshape;
  reshape.erase();
  return {};
}

Value tally::rewrite::permutedValue(OpBuilder &builder, Location location,
                                    Value value,
                                    ArrayRef<int64_t> permutation) {
  RankedTensorType type = permutedType(tensorType(value), permutation);
  if (keepsBytes(shapeOf(value), permutation))
    if (Value reshaped = reshapedTo(builder, location, value, type))
      return reshaped;
  return TransposeOp::create(builder, location, type, value, permutation);
}

Value tally::rewrite::withRank(OpBuilder &builder, Location location,
                               Value value, int64_t rank) {
  RankedTensorType type = tensorType(value);
  int64_t lead = rank - type.getRank();
  if (lead == 0)
    return value;
  SmallVector<int64_t> shape(lead, 1);
  llvm::append_range(shape, type.getShape());
  auto reshape =
      ReshapeOp::create(builder, location, type.clone(shape), value, shape);
  reshape.getOutput().setType(movedType(reshape, type));
  return reshape;
}
