//===- Indexing.cpp - import of operators with index operands -------------===//

#include "tally/graph/import/MovementSteps.h"

#include <cmath>

using namespace mlir;
using namespace tally;
using namespace tally::nn;

//===----------------------------------------------------------------------===//
// Constant indices
//===----------------------------------------------------------------------===//

static tally::Diagnostic outside(const NodeImport &node, int64_t index,
                                 int64_t axis, int64_t size) {
  return node.failure(FailureKind::Model, "IMP-10",
                      "index " + std::to_string(index) +
                          " is outside dimension " + std::to_string(axis) +
                          " of size " + std::to_string(size));
}

/// Operand 1, when it is constant, must name what exists: its i-th element
/// indexes dimension `axisOf(i)` of the data.
static Status checkConstant(NodeImport &node, Value data,
                            llvm::function_ref<int64_t(int64_t)> axisOf) {
  auto indices = node.constant(1);
  if (!indices || eval::isFloat(indices->element))
    return Status::success(); // the operator's own rules see to the rest
  ArrayRef<int64_t> shape = shapeOf(data);
  for (int64_t i = 0, e = indices->count(); i < e; ++i) {
    int64_t axis = axisOf(i), index = eval::loadInt(*indices, i);
    if (axis < 0 || axis >= static_cast<int64_t>(shape.size()))
      return Status::success();
    if (index < -shape[axis] || index >= shape[axis])
      return outside(node, index, axis, shape[axis]);
  }
  return Status::success();
}

/// The attribute `axis`, along which operand 1 indexes `data`.
static Result<int64_t> indexedAxis(NodeImport &node, Value data) {
  auto axis =
      checkedAxis(node, node.intAttr("axis", 0), tensorType(data).getRank());
  if (!axis)
    return axis;
  Status status = checkConstant(node, data, [&](int64_t) { return *axis; });
  return status ? axis : status.takeError();
}

/// As checkConstant, for tuples that index dimensions from `first` on.
static Status checkTuples(NodeImport &node, Value data, int64_t first) {
  ArrayRef<int64_t> shape = shapeOf(node.rawOperand(1));
  int64_t length = shape.empty() ? 1 : std::max<int64_t>(shape.back(), 1);
  return checkConstant(node, data,
                       [&](int64_t i) { return first + i % length; });
}

//===----------------------------------------------------------------------===//
// Gather
//===----------------------------------------------------------------------===//

/// Constant indices pick a fixed list along one dimension: a movement, where
/// the general Gather would read an operand.
static Result<Value> gatherConstant(NodeImport &node, Value data, int64_t axis,
                                    const eval::Tensor &indices) {
  ArrayRef<int64_t> shape = shapeOf(data);
  DimIndices dim{axis, eval::toInts(indices)};
  for (int64_t &index : dim.indices)
    index += index < 0 ? shape[axis] : 0;
  std::vector<int64_t> result(shape.begin(), shape.begin() + axis);
  result.insert(result.end(), indices.shape.begin(), indices.shape.end());
  result.insert(result.end(), shape.begin() + axis + 1, shape.end());
  auto picked = selected(node, data, {dim});
  if (!picked)
    return picked;
  return reshaped(node, *picked, result);
}

static Status gather(NodeImport &node) {
  Value data = node.operand(0);
  auto axis = indexedAxis(node, data);
  if (!axis)
    return axis.takeError();
  auto indices = node.constant(1);
  if (indices && !eval::isFloat(indices->element))
    return node.bind(gatherConstant(node, data, *axis, *indices));
  return node.bind(node.create<GatherOp>(
      {}, data, node.operand(1), node.builder.getI64IntegerAttr(*axis)));
}

static Status gatherElements(NodeImport &node) {
  Value data = node.operand(0);
  auto axis = indexedAxis(node, data);
  if (!axis)
    return axis.takeError();
  return node.bind(node.create<GatherElementsOp>(
      {}, data, node.operand(1), node.builder.getI64IntegerAttr(*axis)));
}

static Status gatherNd(NodeImport &node) {
  Value data = node.operand(0), indices = node.operand(1);
  int64_t batch = node.intAttr("batch_dims", 0);
  if (Status status = checkTuples(node, data, batch); !status)
    return status;
  return node.bind(node.create<GatherNdOp>(
      {}, data, indices, node.builder.getI64IntegerAttr(batch)));
}

//===----------------------------------------------------------------------===//
// Scatter
//===----------------------------------------------------------------------===//

static Result<StringAttr> reductionOf(NodeImport &node) {
  std::string reduction = node.stringAttr("reduction", "none");
  if (isUpdateKind(reduction))
    return node.builder.getStringAttr(reduction);
  return node.failure(FailureKind::Model, "IMP-6",
                      "reduction '" + reduction + "' is unknown");
}

static Status scatterElements(NodeImport &node) {
  Value data = node.operand(0);
  auto axis = indexedAxis(node, data);
  if (!axis)
    return axis.takeError();
  auto reduction = reductionOf(node);
  if (!reduction)
    return reduction.takeError();
  return node.bind(node.create<ScatterElementsOp>(
      {}, data, node.operand(1), node.operand(2),
      node.builder.getI64IntegerAttr(*axis), *reduction));
}

static Status scatterNd(NodeImport &node) {
  Value data = node.operand(0), indices = node.operand(1);
  auto reduction = reductionOf(node);
  if (!reduction)
    return reduction.takeError();
  if (Status status = checkTuples(node, data, 0); !status)
    return status;
  return node.bind(
      node.create<ScatterNdOp>({}, data, indices, node.operand(2), *reduction));
}

//===----------------------------------------------------------------------===//
// OneHot, NonZero, Trilu, CumSum
//===----------------------------------------------------------------------===//

static Result<int64_t> constantInt(NodeImport &node, size_t operand,
                                   const char *what) {
  auto tensor = node.neededConstant(operand, what);
  if (!tensor)
    return tensor.takeError();
  if (tensor->count() != 1)
    return node.failure(FailureKind::Model, "IMP-6",
                        std::string(what) + " must be one number");
  if (!eval::isFloat(tensor->element))
    return eval::loadInt(*tensor, 0);
  double value = eval::loadFloat(*tensor, 0);
  if (!(std::fabs(value) < 1e15))
    return node.failure(FailureKind::Model, "IMP-6",
                        std::string(what) + " is out of range");
  return static_cast<int64_t>(value);
}

static Status oneHot(NodeImport &node) {
  auto depth = constantInt(node, 1, "depth");
  if (!depth)
    return depth.takeError();
  Value indices = node.operand(0);
  auto axis = checkedAxis(node, node.intAttr("axis", -1),
                          tensorType(indices).getRank() + 1);
  if (!axis)
    return axis.takeError();
  auto &builder = node.builder;
  return node.bind(node.create<OneHotOp>({}, indices, node.operand(2),
                                         builder.getI64IntegerAttr(*depth),
                                         builder.getI64IntegerAttr(*axis)));
}

/// How many elements are not 0 decides the shape, so the operand must be
/// constant. One column per such element, its index from the top down.
static Status nonZero(NodeImport &node) {
  auto input = node.constant(0);
  if (!input)
    return node.failure(FailureKind::Unsupported, "IMP-5",
                        "the result's shape depends on the input's values",
                        "cut the graph behind this node with --inputs");
  eval::Shape strides = eval::stridesOf(input->shape);
  std::vector<int64_t> places;
  for (int64_t i = 0, e = input->count(); i < e; ++i)
    if (eval::isFloat(input->element) ? eval::loadFloat(*input, i) != 0
                                      : eval::loadInt(*input, i) != 0)
      places.push_back(i);
  auto count = static_cast<int64_t>(places.size());
  eval::Tensor result;
  result.element = eval::Element::I64;
  result.shape = {input->rank(), count};
  result.allocate();
  for (int64_t d = 0; d < input->rank(); ++d)
    for (int64_t n = 0; n < count; ++n)
      result.data<int64_t>()[d * count + n] =
          places[n] / strides[d] % input->shape[d];
  return node.bind(
      0, node.makeConstant(result, typeOf(node.context(), result.element)));
}

static Status trilu(NodeImport &node) {
  int64_t k = 0;
  if (node.hasInput(1)) {
    auto given = constantInt(node, 1, "k");
    if (!given)
      return given.takeError();
    k = *given;
  }
  auto &builder = node.builder;
  return node.bind(
      node.create<TriluOp>({}, node.operand(0), builder.getI64IntegerAttr(k),
                           builder.getBoolAttr(node.intAttr("upper", 1) != 0)));
}

static Status cumSum(NodeImport &node) {
  auto given = constantInt(node, 1, "the axis");
  if (!given)
    return given.takeError();
  Value input = node.operand(0);
  auto axis = checkedAxis(node, *given, tensorType(input).getRank());
  if (!axis)
    return axis.takeError();
  auto &builder = node.builder;
  return node.bind(node.create<CumSumOp>(
      {}, input, builder.getI64IntegerAttr(*axis),
      builder.getBoolAttr(node.intAttr("exclusive", 0) != 0),
      builder.getBoolAttr(node.intAttr("reverse", 0) != 0)));
}

llvm::ArrayRef<ImportRow> tally::nn::indexingRows() {
  static const ImportRow rows[] = {
      {"", "CumSum", 11, cumSum, 2},
      {"", "Gather", 1, gather, 2},
      {"", "GatherElements", 11, gatherElements, 2},
      {"", "GatherND", 11, gatherNd, 2},
      {"", "NonZero", 9, nonZero},
      {"", "OneHot", 9, oneHot, 3},
      {"", "Scatter", 9, scatterElements, 3},
      {"", "ScatterElements", 11, scatterElements, 3},
      {"", "ScatterND", 11, scatterNd, 3},
      {"", "Trilu", 14, trilu},
  };
  return rows;
}
