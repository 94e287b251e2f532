//===- Shapes.cpp - import of operators that make constants ---------------===//
//
// Shapes are static, so these operators are constants by the time they are
// imported; what is computed from them folds away.
//
//===----------------------------------------------------------------------===//

#include "tally/graph/import/MovementSteps.h"

#include <cmath>

using namespace mlir;
using namespace tally;
using namespace tally::nn;

/// Constants larger than this are no shape arithmetic but a fault.
static constexpr int64_t kMaxConstant = int64_t(1) << 28;

static eval::Tensor newTensor(eval::Shape shape, eval::Element element) {
  eval::Tensor tensor;
  tensor.shape = std::move(shape);
  tensor.element = element;
  tensor.allocate();
  return tensor;
}

static Status bindConstant(NodeImport &node, const eval::Tensor &tensor) {
  return node.bind(
      0, node.makeConstant(tensor, typeOf(node.context(), tensor.element)));
}

static Status bindInts(NodeImport &node, ArrayRef<int64_t> values,
                       eval::Shape shape) {
  eval::Tensor tensor = newTensor(std::move(shape), eval::Element::I64);
  llvm::copy(values, tensor.data<int64_t>());
  return bindConstant(node, tensor);
}

/// Since operator set 15 a part [start, end), clamped as numpy does.
static Status shape(NodeImport &node) {
  ArrayRef<int64_t> dims = shapeOf(node.rawOperand(0));
  auto rank = static_cast<int64_t>(dims.size());
  auto place = [&](int64_t index) {
    index = index < 0 ? std::max(index, -rank) + rank : index;
    return std::min(index, rank);
  };
  int64_t start = place(node.intAttr("start", 0));
  int64_t end = place(node.intAttr("end", rank));
  ArrayRef<int64_t> part = dims.slice(start, std::max<int64_t>(end - start, 0));
  return bindInts(node, part, {static_cast<int64_t>(part.size())});
}

static Status size(NodeImport &node) {
  return bindInts(node, {tensorType(node.rawOperand(0)).getNumElements()}, {});
}

static Status tooLarge(const NodeImport &node) {
  return node.failure(FailureKind::Unsupported, "IMP-9",
                      "the constant has more than 2^28 elements");
}

static Status constantOfShape(NodeImport &node) {
  auto dims = node.constantInts(0, "the shape");
  if (!dims)
    return dims.takeError();
  int64_t count = 1;
  for (int64_t dim : *dims) {
    if (dim < 0)
      return node.failure(FailureKind::Model, "IMP-6",
                          "dimension " + std::to_string(dim) +
                              " of the shape is negative");
    count = std::min(count, kMaxConstant + 1) * std::min(dim, kMaxConstant + 1);
  }
  if (count > kMaxConstant)
    return tooLarge(node);
  auto value = node.tensorAttr("value");
  if (!value)
    return value.takeError();
  eval::Tensor fill = newTensor({}, eval::Element::F32);
  if (*value)
    fill = **value;
  if (fill.count() != 1)
    return node.failure(FailureKind::Model, "IMP-6",
                        "the value must have one element");
  eval::Tensor tensor = newTensor(*dims, fill.element);
  int64_t bytes = eval::byteSize(fill.element);
  for (int64_t i = 0, e = tensor.count(); i < e; ++i)
    std::memcpy(tensor.storage.get() + i * bytes, fill.storage.get(), bytes);
  return bindConstant(node, tensor);
}

/// How many numbers there are from `start` by `delta` before `limit`.
static int64_t rangeCount(double start, double limit, double delta) {
  double count = std::ceil((limit - start) / delta);
  if (!(count > 0))
    return 0;
  return static_cast<int64_t>(
      std::min(count, static_cast<double>(kMaxConstant + 1)));
}

/// As rangeCount, for integers of 64 bits.
static int64_t rangeCountInt(int64_t start, int64_t limit, int64_t delta) {
  __int128 distance = static_cast<__int128>(limit) - start;
  __int128 step = delta;
  if (step < 0) {
    distance = -distance;
    step = -step;
  }
  if (distance <= 0)
    return 0;
  __int128 count = (distance - 1) / step + 1;
  return static_cast<int64_t>(std::min<__int128>(count, kMaxConstant + 1));
}

static Result<eval::Tensor> rangeOf(const NodeImport &node,
                                    const std::vector<eval::Tensor> &bounds) {
  eval::Element element = bounds[0].element;
  bool isFloat = eval::isFloat(element);
  auto real = [&](int i) { return eval::loadFloat(bounds[i], 0); };
  auto integer = [&](int i) { return eval::loadInt(bounds[i], 0); };
  if (isFloat ? real(2) == 0 : integer(2) == 0)
    return node.failure(FailureKind::Model, "IMP-6", "delta is 0");
  int64_t count = isFloat ? rangeCount(real(0), real(1), real(2))
                          : rangeCountInt(integer(0), integer(1), integer(2));
  if (count > kMaxConstant)
    return tooLarge(node).takeError();
  eval::Tensor tensor = newTensor({count}, element);
  for (int64_t i = 0; i < count; ++i) {
    if (isFloat)
      eval::storeFloat(tensor, i, real(0) + static_cast<double>(i) * real(2));
    else
      eval::storeInt(tensor, i, integer(0) + i * integer(2));
  }
  return tensor;
}

/// start + i * delta, for floats in fp64 and rounded once to the element.
static Status range(NodeImport &node) {
  constexpr const char *kNames[] = {"start", "limit", "delta"};
  std::vector<eval::Tensor> bounds;
  for (size_t i = 0; i < 3; ++i) {
    auto bound = node.neededConstant(i, kNames[i]);
    if (!bound)
      return bound.takeError();
    if (bound->count() != 1 || (i > 0 && bound->element != bounds[0].element) ||
        bound->element == eval::Element::Bool)
      return node.failure(FailureKind::Model, "IMP-6",
                          "start, limit and delta must be three numbers of "
                          "one type");
    bounds.push_back(*bound);
  }
  auto tensor = rangeOf(node, bounds);
  if (!tensor)
    return tensor.takeError();
  return bindConstant(node, *tensor);
}

/// Ones on diagonal `k` of a matrix of the input's shape.
static Status eyeLike(NodeImport &node) {
  Value input = node.rawOperand(0);
  ArrayRef<int64_t> dims = shapeOf(input);
  if (dims.size() != 2)
    return node.failure(FailureKind::Model, "IMP-6",
                        shapeText(dims) + " is no matrix");
  if (tensorType(input).getNumElements() > kMaxConstant)
    return tooLarge(node);
  auto element = node.elementAttr("dtype");
  if (!element)
    return element.takeError();
  eval::Tensor tensor = newTensor(
      {dims[0], dims[1]}, element->value_or(*elementOf(elementType(input))));
  int64_t k = node.intAttr("k", 0);
  for (int64_t row = 0; row < dims[0]; ++row) {
    int64_t column = k > dims[1] ? dims[1] : row + k;
    if (column < 0 || column >= dims[1])
      continue;
    int64_t i = row * dims[1] + column;
    if (eval::isFloat(tensor.element))
      eval::storeFloat(tensor, i, 1);
    else
      eval::storeInt(tensor, i, 1);
  }
  return bindConstant(node, tensor);
}

llvm::ArrayRef<ImportRow> tally::nn::shapeRows() {
  static const ImportRow rows[] = {
      {"", "ConstantOfShape", 9, constantOfShape},
      {"", "EyeLike", 9, eyeLike},
      {"", "Range", 11, range, 3},
      {"", "Shape", 1, shape},
      {"", "Size", 1, size},
  };
  return rows;
}
