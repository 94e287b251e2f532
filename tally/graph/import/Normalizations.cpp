//===- Normalizations.cpp - import of softmax and normalizations ----------===//

#include "tally/graph/import/NodeImport.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

static Result<int64_t> axisOf(NodeImport &node, int64_t fallback,
                              int64_t rank) {
  int64_t axis = node.intAttr("axis", fallback);
  if (auto normalized = normalizeAxis(axis, rank))
    return *normalized;
  return node.failure(FailureKind::Model, "IMP-6",
                      "axis " + std::to_string(axis) +
                          " is outside a tensor of rank " +
                          std::to_string(rank));
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
template <typename OpTy> static Status alongAxis(NodeImport &node) {
  Value input = node.operand(0);
  auto axis = axisOf(node, -1, tensorType(input).getRank());
  if (!axis)
    return axis.takeError();
  return node.bind(node.create<OpTy>({}, input, i64(node, *axis)));
}

/// Before: over all dimensions from the axis on, as one.
template <typename OpTy> static Status flattened(NodeImport &node) {
  Value input = node.operand(0);
  ArrayRef<int64_t> shape = shapeOf(input);
  auto axis = axisOf(node, 1, tensorType(input).getRank());
  if (!axis)
    return axis.takeError();
  if (*axis == static_cast<int64_t>(shape.size()) - 1)
    return node.bind(node.create<OpTy>({}, input, i64(node, *axis)));
  SmallVector<int64_t> matrix = {
      ShapedType::getNumElements(shape.take_front(*axis)),
      ShapedType::getNumElements(shape.drop_front(*axis))};
  auto rows = node.create<ReshapeOp>({}, input, node.i64s(matrix));
  if (rows)
    rows = node.create<OpTy>({}, *rows, i64(node, 1));
  if (rows)
    rows = node.create<ReshapeOp>({}, *rows, node.i64s(shape));
  return node.bind(std::move(rows));
}

static Status lpNormalization(NodeImport &node) {
  Value input = node.operand(0);
  auto axis = axisOf(node, -1, tensorType(input).getRank());
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
  auto axis = axisOf(node, -1, tensorType(input).getRank());
  if (!axis)
    return axis.takeError();
  auto output = node.create<LayerNormalizationOp>(
      {}, input, node.operand(1), node.operand(2), i64(node, *axis),
      f32(node, "epsilon", 1e-5f));
  if (!output)
    return output.takeError();
  Operation *op = output->getDefiningOp();
  for (size_t i = 0; i < op->getNumResults(); ++i)
    if (Status status = node.bind(i, op->getResult(i)); !status)
      return status;
  return Status::success();
}

static Status rmsNormalization(NodeImport &node) {
  if (Status status = checkStash(node); !status)
    return status;
  Value input = node.operand(0);
  auto axis = axisOf(node, -1, tensorType(input).getRank());
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
      {"", "BatchNormalization", 7, batchNormalization},
      {"", "GroupNormalization", 18, groupNormalization},
      {"", "InstanceNormalization", 6, instanceNormalization},
      {"", "LRN", 1, lrn},
      {"", "LayerNormalization", 17, layerNormalization},
      {"", "LogSoftmax", 1, flattened<LogSoftmaxOp>},
      {"", "LogSoftmax", 13, alongAxis<LogSoftmaxOp>},
      {"", "LpNormalization", 1, lpNormalization},
      {"", "RMSNormalization", 23, rmsNormalization},
      {"", "Softmax", 1, flattened<SoftmaxOp>},
      {"", "Softmax", 13, alongAxis<SoftmaxOp>},
  };
  return rows;
}
