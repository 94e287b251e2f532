//===- Normalizations.cpp - import of softmax and normalizations ----------===//

#include "tally/graph/import/CodeOperands.h"
#include "tally/graph/import/MovementSteps.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

/// The attribute `axis`, in [0, rank) of `input`.
static Result<int64_t> axisOf(NodeImport &node, int64_t fallback, Value input) {
  return checkedAxis(node, node.intAttr("axis", fallback),
                     tensorType(input).getRank());
}

static IntegerAttr i64(NodeImport &node, int64_t value) {
  return node.builder.getI64IntegerAttr(value);
}

static FloatAttr f32(NodeImport &node, const char *name, float fallback) {
  return node.builder.getF32FloatAttr(node.floatAttr(name, fallback));
}

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

/// From operator set 13 on: along one axis.
template <typename OpTy>
static Result<Value> alongAxis(NodeImport &node, Type element, Value input) {
  auto axis = axisOf(node, -1, input);
  if (!axis)
    return axis.takeError();
  return node.create<OpTy>(element, input, i64(node, *axis));
}

/// Before: over all dimensions from the axis on, as one.
template <typename OpTy>
static Result<Value> flattened(NodeImport &node, Type element, Value input) {
  ArrayRef<int64_t> shape = shapeOf(input);
  auto axis = axisOf(node, 1, input);
  if (!axis)
    return axis.takeError();
  if (*axis == static_cast<int64_t>(shape.size()) - 1)
    return node.create<OpTy>(element, input, i64(node, *axis));
  SmallVector<int64_t> matrix = {
      ShapedType::getNumElements(shape.take_front(*axis)),
      ShapedType::getNumElements(shape.drop_front(*axis))};
  auto rows = node.create<ReshapeOp>({}, input, node.i64s(matrix));
  if (rows)
    rows = node.create<OpTy>(element, *rows, i64(node, 1));
  if (rows)
    rows = node.create<ReshapeOp>({}, *rows, node.i64s(shape));
  return rows;
}

template <typename OpTy> static Status softmax(NodeImport &node) {
  return node.bind(alongAxis<OpTy>(node, {}, node.operand(0)));
}

template <typename OpTy> static Status oldSoftmax(NodeImport &node) {
  return node.bind(flattened<OpTy>(node, {}, node.operand(0)));
}

/// x, its scale and zero point, the result's scale and zero point; the
/// attribute `opset` says which of the two meanings.
static Status qLinearSoftmax(NodeImport &node) {
  auto x = codesOperand(node, 0, 1, 2);
  if (!x)
    return x.takeError();
  auto element = resultElement(node, 3, 4);
  if (!element)
    return element.takeError();
  bool isOld = node.intAttr("opset", 13) < 13;
  return node.bind(isOld ? flattened<IntegerSoftmaxOp>(node, *element, *x)
                         : alongAxis<IntegerSoftmaxOp>(node, *element, *x));
}

static Status lpNormalization(NodeImport &node) {
  Value input = node.operand(0);
  auto axis = axisOf(node, -1, input);
  if (!axis)
    return axis.takeError();
  return node.bind(node.create<LpNormalizationOp>(
      {}, input, i64(node, *axis), i64(node, node.intAttr("p", 2))));
}

//===----------------------------------------------------------------------===//
// Statistics of rows
//===----------------------------------------------------------------------===//

static Status checkStash(NodeImport &node) {
  if (node.intAttr("stash_type", 1) == 1)
    return Status::success();
  return node.unsupported("only statistics in float32 are supported "
                          "(stash_type)");
}

static Status layerNormalization(NodeImport &node) {
  if (Status status = checkStash(node); !status)
    return status;
  Value input = node.operand(0);
  auto axis = axisOf(node, -1, input);
  if (!axis)
    return axis.takeError();
  return node.bindAll(node.create<LayerNormalizationOp>(
      {}, input, node.operand(1), node.operand(2), i64(node, *axis),
      f32(node, "epsilon", 1e-5f)));
}

static Status rmsNormalization(NodeImport &node) {
  if (Status status = checkStash(node); !status)
    return status;
  Value input = node.operand(0);
  auto axis = axisOf(node, -1, input);
  if (!axis)
    return axis.takeError();
  return node.bind(node.create<RmsNormalizationOp>(
      {}, input, node.operand(1), i64(node, *axis),
      f32(node, "epsilon", 1e-5f)));
}

static Status instanceNormalization(NodeImport &node) {
  return node.bind(node.create<InstanceNormalizationOp>(
      {}, node.operand(0), node.operand(1), node.operand(2),
      f32(node, "epsilon", 1e-5f)));
}

static Status groupNormalization(NodeImport &node) {
  if (Status status = checkStash(node); !status)
    return status;
  return node.bind(node.create<GroupNormalizationOp>(
      {}, node.operand(0), node.operand(1), node.operand(2),
      i64(node, node.intAttr("num_groups", 0)), f32(node, "epsilon", 1e-5f)));
}

//===----------------------------------------------------------------------===//
// Channels
//===----------------------------------------------------------------------===//

static Status batchNormalization(NodeImport &node) {
  if (node.intAttr("training_mode", 0) || node.node.hasOutput(1))
    return node.unsupported("only the inference form is supported, with one "
                            "output");
  if (!node.intAttr("spatial", 1))
    return node.unsupported("statistics per activation (spatial = 0) are not "
                            "supported");
  return node.bind(node.create<BatchNormalizationOp>(
      {}, node.operand(0), node.operand(1), node.operand(2), node.operand(3),
      node.operand(4), f32(node, "epsilon", 1e-5f)));
}

static Status lrn(NodeImport &node) {
  return node.bind(node.create<LrnOp>(
      {}, node.operand(0), i64(node, node.intAttr("size", 0)),
      f32(node, "alpha", 1e-4f), f32(node, "beta", 0.75f),
      f32(node, "bias", 1)));
}

llvm::ArrayRef<ImportRow> tally::nn::normalizationRows() {
  static const ImportRow rows[] = {
      {"", "BatchNormalization", 7, batchNormalization, 5},
      {"", "GroupNormalization", 18, groupNormalization, 3},
      {"", "InstanceNormalization", 6, instanceNormalization, 3},
      {"", "LRN", 1, lrn},
      {"", "LayerNormalization", 17, layerNormalization, 2},
      {"", "LogSoftmax", 1, oldSoftmax<LogSoftmaxOp>},
      {"", "LogSoftmax", 13, softmax<LogSoftmaxOp>},
      {"", "LpNormalization", 1, lpNormalization},
      {"", "RMSNormalization", 23, rmsNormalization, 2},
      {"", "Softmax", 1, oldSoftmax<SoftmaxOp>},
      {"", "Softmax", 13, softmax<SoftmaxOp>},
      {"com.microsoft", "QLinearSoftmax", 1, qLinearSoftmax},
  };
  return rows;
}
