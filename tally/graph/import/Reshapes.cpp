//===- Reshapes.cpp - import of operators that only change the shape ------===//

#include "tally/graph/import/MovementSteps.h"

#include "tally/support/CheckedMath.h"

#include <numeric>

using namespace mlir;
using namespace tally;
using namespace tally::nn;

/// ONNX: 0 copies the input's dimension (unless allowzero), -1 is what is
/// left.
static Status reshape(NodeImport &node) {
  auto target = node.constantInts(1, "the shape");
  if (!target)
    return target.takeError();
  Value value = node.operand(0);
  ArrayRef<int64_t> input = shapeOf(value);
  bool allowZero = node.intAttr("allowzero", 0) != 0;
  int64_t known = 1, open = -1;
  for (size_t i = 0; i < target->size(); ++i) {
    int64_t &dim = (*target)[i];
    if (dim == 0 && !allowZero && i < input.size())
      dim = input[i];
    if (dim == -1 && open < 0) {
      open = static_cast<int64_t>(i);
      continue;
    }
    auto product = dim < 0 ? std::nullopt : checkedMul(known, dim);
    if (!product)
      return node.failure(FailureKind::Model, "IMP-6",
                          "dimension " + std::to_string(dim) +
                              " of the target shape is not valid");
    known = *product;
  }
  int64_t total = tensorType(value).getNumElements();
  if (open >= 0)
    (*target)[open] = known == 0 ? 0 : total / known;
  return node.bind(node.create<ReshapeOp>({}, value, node.i64s(*target)));
}

static Status flatten(NodeImport &node) {
  Value value = node.operand(0);
  ArrayRef<int64_t> input = shapeOf(value);
  auto rank = static_cast<int64_t>(input.size());
  int64_t axis = node.intAttr("axis", 1);
  if (axis < -rank || axis > rank)
    return node.failure(FailureKind::Model, "IMP-6",
                        "axis " + std::to_string(axis) +
                            " is outside a tensor of rank " +
                            std::to_string(rank));
  if (axis < 0)
    axis += rank;
  auto product = [](ArrayRef<int64_t> dims) {
    return std::accumulate(dims.begin(), dims.end(), int64_t(1),
                           std::multiplies<>());
  };
  std::vector<int64_t> shape = {product(input.take_front(axis)),
                                product(input.drop_front(axis))};
  return node.bind(node.create<ReshapeOp>({}, value, node.i64s(shape)));
}

/// Without axes, every dimension of size 1 goes.
static Status squeeze(NodeImport &node) {
  auto axes = listOf(node, "axes", 1, 13);
  if (!axes)
    return axes.takeError();
  Value value = node.operand(0);
  ArrayRef<int64_t> input = shapeOf(value);
  auto rank = static_cast<int64_t>(input.size());
  std::vector<int64_t> chosen;
  for (int64_t axis = 0; !*axes && axis < rank; ++axis)
    if (input[axis] == 1)
      chosen.push_back(axis);
  auto checked = checkedAxes(node, axes->value_or(chosen), rank);
  if (!checked)
    return checked.takeError();
  std::vector<int64_t> shape;
  for (int64_t axis = 0; axis < rank; ++axis) {
    if (!llvm::is_contained(*checked, axis))
      shape.push_back(input[axis]);
    else if (input[axis] != 1)
      return node.failure(FailureKind::Model, "IMP-6",
                          "dimension " + std::to_string(axis) + " of " +
                              shapeText(input) + " is not 1");
  }
  return node.bind(node.create<ReshapeOp>({}, value, node.i64s(shape)));
}

/// Axes count dimensions of the result.
static Status unsqueeze(NodeImport &node) {
  auto axes = listOf(node, "axes", 1, 13);
  if (!axes)
    return axes.takeError();
  if (!*axes)
    return node.failure(FailureKind::Model, "IMP-6", "axes are missing");
  Value value = node.operand(0);
  ArrayRef<int64_t> input = shapeOf(value);
  auto checked = checkedAxes(node, **axes, input.size() + (*axes)->size());
  if (!checked)
    return checked.takeError();
  std::vector<int64_t> shape(input.size() + checked->size(), 0);
  for (int64_t axis : *checked)
    shape[axis] = 1;
  auto next = input.begin();
  for (size_t d = 0; d < shape.size(); ++d)
    if (!llvm::is_contained(*checked, static_cast<int64_t>(d)))
      shape[d] = *next++;
  return node.bind(node.create<ReshapeOp>({}, value, node.i64s(shape)));
}

llvm::ArrayRef<ImportRow> tally::nn::reshapeRows() {
  static const ImportRow rows[] = {
      {"", "Flatten", 1, flatten},
      {"", "Reshape", 5, reshape, 2},
      {"", "Squeeze", 1, squeeze},
      {"", "Unsqueeze", 1, unsqueeze},
  };
  return rows;
}
