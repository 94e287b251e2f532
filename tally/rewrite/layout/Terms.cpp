//===- Terms.cpp - products whose terms come in another order -------------===//
//
// Example: x [1, C, H, W] goes through T([0, 2, 3, 1]) into [1, H * W * C] and
// meets W [H * W * C, N]. Seen as [H, W, C, N], the weights are permuted to
// [C, H, W, N] at compile time, and x is flattened as it is.
//
//===----------------------------------------------------------------------===//

#include "tally/rewrite/layout/Terms.h"
#include "tally/graph/Locations.h"
#include "tally/ops/Inference.h"
#include "tally/ops/QuantizedGroup.h"
#include "tally/rewrite/layout/Permutation.h"
#include "tally/rewrite/layout/Product.h"

#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;
using namespace tally;
using namespace tally::nn;
using namespace tally::rewrite;

/// The first dimension of `shape` from which on all are joined into `terms`;
/// nothing when none is, or `permutation` moves an earlier one.
static std::optional<size_t> firstTerm(ArrayRef<int64_t> shape, int64_t terms,
                                       ArrayRef<int64_t> permutation) {
  for (size_t first = 0; first <= shape.size(); ++first) {
    ArrayRef<int64_t> joined = shape.drop_front(first);
    if (std::accumulate(joined.begin(), joined.end(), int64_t(1),
                        std::multiplies<>()) == terms)
      return first;
    if (first < shape.size() &&
        permutation[first] != static_cast<int64_t>(first))
      return std::nullopt;
  }
  return std::nullopt;
}

/// Whether dimension 0 of a product's weight is not that of the terms.
static bool isWeightTransposed(Operation *product) {
  return TypeSwitch<Operation *, bool>(product)
      .Case<MatMulOp, MatMulIntegerOp, GemmOp>(
          [](auto op) { return op.getTransB(); });
}

static bool isLeftTransposed(Operation *product) {
  return TypeSwitch<Operation *, bool>(product)
      .Case<MatMulOp, MatMulIntegerOp, GemmOp>(
          [](auto op) { return op.getTransA(); });
}

static bool takesTerms(OpOperand &use) {
  Operation *product = use.getOwner();
  if (!isProduct(product) || use.getOperandNumber() != 0 ||
      isLeftTransposed(product))
    return false;
  Value weight = product->getOperand(1);
  return isa_and_nonnull<ConstantOp>(weight.getDefiningOp()) &&
         weight.hasOneUse() && shapeOf(weight).size() == 2;
}

bool tally::rewrite::canReorderTerms(ReshapeOp reshape,
                                     ArrayRef<int64_t> permutation) {
  ArrayRef<int64_t> to = reshape.getShape();
  Type element = elementType(reshape.getInput());
  if (to.empty() || isa<FloatType, UniformQuantizedPerAxisType>(element) ||
      reshape.getType().getNumElements() == 0)
    return false;
  return firstTerm(shapeOf(reshape.getInput()), to.back(), permutation) &&
         llvm::all_of(reshape.getOutput().getUses(), takesTerms);
}

/// A reshape; a per-axis grid is along the outputs, which stay a dimension.
static Value reshaped(OpBuilder &builder, Value value,
                      ArrayRef<int64_t> shape) {
  RankedTensorType type = tensorType(value);
  auto reshape = ReshapeOp::create(builder, value.getLoc(), type.clone(shape),
                                   value, shape);
  reshape.getOutput().setType(movedType(reshape, type));
  return reshape;
}

/// The weight with its terms, numbered row-major over `dims`, under `order`.
static Value reorderedWeight(OpBuilder &builder, Value weight,
                             bool isTransposed, ArrayRef<int64_t> dims,
                             ArrayRef<int64_t> order) {
  ArrayRef<int64_t> flat = shapeOf(weight);
  SmallVector<int64_t> shape(dims), permutation(order);
  if (isTransposed) {
    shape.insert(shape.begin(), flat[0]);
    for (int64_t &axis : permutation)
      ++axis;
    permutation.insert(permutation.begin(), 0);
  } else {
    shape.push_back(flat[1]);
    permutation.push_back(static_cast<int64_t>(order.size()));
  }
  Value split = reshaped(builder, weight, shape);
  Value moved = permutedValue(builder, weight.getLoc(), split, permutation);
  return reshaped(builder, moved, flat);
}

void tally::rewrite::reorderTerms(ReshapeOp reshape,
                                  ArrayRef<int64_t> permutation,
                                  Value permuted) {
  ArrayRef<int64_t> shape = shapeOf(reshape.getInput());
  size_t first = *firstTerm(shape, reshape.getShape().back(), permutation);
  SmallVector<int64_t> order;
  for (int64_t axis : permutation.drop_front(first))
    order.push_back(axis - static_cast<int64_t>(first));
  for (Operation *product : reshape.getOutput().getUsers()) {
    OpBuilder builder(product);
    product->setOperand(1, reorderedWeight(builder, product->getOperand(1),
                                           isWeightTransposed(product),
                                           shape.drop_front(first), order));
  }
  reshape.getInputMutable().set(permuted);
  // Its elements are those of the model's tensor in another order.
  reshape->setLoc(withOutputs(reshape.getLoc(), {std::string()}));
}
