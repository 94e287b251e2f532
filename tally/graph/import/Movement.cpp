//===- Movement.cpp - import of operators that move elements --------------===//

#include "tally/graph/import/NodeImport.h"

#include "tally/support/CheckedMath.h"

#include <numeric>

using namespace mlir;
using namespace tally;
using namespace tally::nn;

static Status identity(NodeImport &node) {
  return node.bind(0, node.rawOperand(0));
}

static Status reshapeTo(NodeImport &node, ArrayRef<int64_t> shape) {
  return node.bind(
      node.create<ReshapeOp>({}, node.operand(0), node.i64s(shape)));
}

/// ONNX: 0 copies the input's dimension (unless allowzero), -1 is what is
/// left.
static Status reshape(NodeImport &node) {
  auto target = node.constantInts(1, "the shape");
  if (!target)
    return target.takeError();
  ArrayRef<int64_t> input = shapeOf(node.operand(0));
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
  int64_t total = tensorType(node.operand(0)).getNumElements();
  if (open >= 0)
    (*target)[open] = known == 0 ? 0 : total / known;
  return reshapeTo(node, *target);
}

static Status flatten(NodeImport &node) {
  ArrayRef<int64_t> input = shapeOf(node.operand(0));
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
  return reshapeTo(
      node, {product(input.take_front(axis)), product(input.drop_front(axis))});
}

llvm::ArrayRef<ImportRow> tally::nn::movementRows() {
  static const ImportRow rows[] = {
      {"", "Flatten", 1, flatten},
      {"", "Identity", 1, identity},
      {"", "Reshape", 5, reshape},
  };
  return rows;
}
