//===- Reductions.cpp - import of reductions ------------------------------===//

#include "tally/graph/import/CodeOperands.h"
#include "tally/graph/import/MovementSteps.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

/// Axes from an operand (newer operator sets) or an attribute, ascending;
/// without any: all, or none with noop_with_empty_axes.
static Result<std::vector<int64_t>> axesOf(NodeImport &node, int64_t rank,
                                           size_t operand) {
  std::vector<int64_t> given;
  if (node.hasInput(operand)) {
    auto axes = node.constantInts(operand, "the axes");
    if (!axes)
      return axes.takeError();
    given = std::move(*axes);
  } else if (auto axes = node.intsAttr("axes")) {
    given = std::move(*axes);
  }
  if (given.empty() && !node.intAttr("noop_with_empty_axes", 0))
    for (int64_t axis = 0; axis < rank; ++axis)
      given.push_back(axis);
  auto axes = checkedAxes(node, std::move(given), rank);
  if (axes)
    llvm::sort(*axes);
  return axes;
}

static BoolAttr keepdims(NodeImport &node) {
  return node.builder.getBoolAttr(node.intAttr("keepdims", 1) != 0);
}

template <typename OpTy> static Status reduce(NodeImport &node) {
  Value input = node.operand(0);
  auto axes = axesOf(node, tensorType(input).getRank(), 1);
  if (!axes)
    return axes.takeError();
  return node.bind(
      node.create<OpTy>({}, input, node.i64s(*axes), keepdims(node)));
}

/// Data, its scale and zero point, the result's scale and zero point.
static Status qLinearReduceMean(NodeImport &node) {
  auto data = codesOperand(node, 0, 1, 2);
  if (!data)
    return data.takeError();
  auto element = resultElement(node, 3, 4);
  if (!element)
    return element.takeError();
  // Axes are an attribute only; operand 5 does not exist.
  auto axes = axesOf(node, tensorType(*data).getRank(), 5);
  if (!axes)
    return axes.takeError();
  return node.bind(node.create<ReduceMeanOp>(*element, *data, node.i64s(*axes),
                                             keepdims(node)));
}

//===----------------------------------------------------------------------===//
// Global pooling
//===----------------------------------------------------------------------===//

/// The spatial dimensions of [N, C, spatial], or of [N, spatial, C].
static DenseI64ArrayAttr spatialAxes(NodeImport &node, int64_t rank,
                                     bool channelsLast) {
  int64_t first = channelsLast ? 1 : 2;
  int64_t end = channelsLast ? std::max<int64_t>(rank - 1, 1)
                             : std::max<int64_t>(rank, 2);
  return node.i64s(llvm::to_vector(llvm::seq<int64_t>(first, end)));
}

template <typename OpTy> static Status globalPool(NodeImport &node) {
  Value input = node.operand(0);
  return node.bind(node.create<OpTy>(
      {}, input, spatialAxes(node, tensorType(input).getRank(), false),
      node.builder.getBoolAttr(true)));
}

/// The norm of order 1 or 2 over the spatial dimensions.
static Status globalLpPool(NodeImport &node) {
  int64_t p = node.intAttr("p", 2);
  if (p == 1)
    return globalPool<ReduceL1Op>(node);
  if (p == 2)
    return globalPool<ReduceL2Op>(node);
  return node.unsupported("a norm of order " + std::to_string(p) +
                          ": orders 1 and 2 are supported");
}

/// x, its scale and zero point, the result's scale and zero point.
static Status qLinearGlobalAveragePool(NodeImport &node) {
  auto x = codesOperand(node, 0, 1, 2);
  if (!x)
    return x.takeError();
  auto element = resultElement(node, 3, 4);
  if (!element)
    return element.takeError();
  auto axes = spatialAxes(node, tensorType(*x).getRank(),
                          node.intAttr("channels_last", 0) != 0);
  return node.bind(node.create<ReduceMeanOp>(*element, *x, axes,
                                             node.builder.getBoolAttr(true)));
}

//===----------------------------------------------------------------------===//
// Index of an extreme
//===----------------------------------------------------------------------===//

template <typename OpTy> static Status argExtreme(NodeImport &node) {
  Value input = node.operand(0);
  int64_t rank = tensorType(input).getRank();
  auto axis = checkedAxis(node, node.intAttr("axis", 0), rank);
  if (!axis)
    return axis.takeError();
  auto &builder = node.builder;
  return node.bind(node.create<OpTy>(
      {}, input, builder.getI64IntegerAttr(*axis), keepdims(node),
      builder.getBoolAttr(node.intAttr("select_last_index", 0) != 0)));
}

/// 1 at the first of the largest elements along the axis, 0 elsewhere.
static Status hardmax(NodeImport &node) {
  Value input = node.operand(0);
  RankedTensorType type = tensorType(input);
  auto axis = checkedAxis(node, node.intAttr("axis", -1), type.getRank());
  if (!axis)
    return axis.takeError();
  auto &builder = node.builder;
  IntegerAttr dimension = builder.getI64IntegerAttr(*axis);
  auto index =
      node.create<ArgMaxOp>({}, input, dimension, builder.getBoolAttr(false),
                            builder.getBoolAttr(false));
  if (!index)
    return index.takeError();
  eval::Tensor offAndOn;
  offAndOn.element = describe(type).element;
  offAndOn.shape = {2};
  offAndOn.allocate();
  eval::storeFloat(offAndOn, 1, 1);
  return node.bind(node.create<OneHotOp>(
      {}, *index, node.makeConstant(offAndOn, type.getElementType()),
      builder.getI64IntegerAttr(type.getDimSize(*axis)), dimension));
}

/// k is an attribute before operator set 10, then an operand.
static Status topK(NodeImport &node) {
  std::vector<int64_t> k;
  if (node.node.opset >= 10) {
    auto count = node.constantInts(1, "k");
    if (!count)
      return count.takeError();
    k = std::move(*count);
  } else if (node.node.attribute("k")) {
    k = {node.intAttr("k", 0)};
  }
  if (k.size() != 1)
    return node.failure(FailureKind::Model, "IMP-6", "k must be one number");
  Value input = node.operand(0);
  auto axis =
      checkedAxis(node, node.intAttr("axis", -1), tensorType(input).getRank());
  if (!axis)
    return axis.takeError();
  auto &builder = node.builder;
  return node.bindAll(node.create<TopKOp>(
      {}, input, builder.getI64IntegerAttr(k[0]),
      builder.getI64IntegerAttr(*axis),
      builder.getBoolAttr(node.intAttr("largest", 1) != 0)));
}

llvm::ArrayRef<ImportRow> tally::nn::reductionRows() {
  static const ImportRow rows[] = {
      {"", "ArgMax", 1, argExtreme<ArgMaxOp>},
      {"", "ArgMin", 1, argExtreme<ArgMinOp>},
      {"", "GlobalAveragePool", 1, globalPool<ReduceMeanOp>},
      {"", "GlobalLpPool", 2, globalLpPool},
      {"", "GlobalMaxPool", 1, globalPool<ReduceMaxOp>},
      {"", "Hardmax", 13, hardmax},
      {"", "ReduceL1", 1, reduce<ReduceL1Op>},
      {"", "ReduceL2", 1, reduce<ReduceL2Op>},
      {"", "ReduceLogSum", 1, reduce<ReduceLogSumOp>},
      {"", "ReduceLogSumExp", 1, reduce<ReduceLogSumExpOp>},
      {"", "ReduceMax", 1, reduce<ReduceMaxOp>},
      {"", "ReduceMean", 1, reduce<ReduceMeanOp>},
      {"", "ReduceMin", 1, reduce<ReduceMinOp>},
      {"", "ReduceProd", 1, reduce<ReduceProdOp>},
      {"", "ReduceSum", 1, reduce<ReduceSumOp>},
      {"", "ReduceSumSquare", 1, reduce<ReduceSumSquareOp>},
      {"", "TopK", 1, topK},
      {"com.microsoft", "QLinearGlobalAveragePool", 1,
       qLinearGlobalAveragePool},
      {"com.microsoft", "QLinearReduceMean", 1, qLinearReduceMean},
  };
  return rows;
}
