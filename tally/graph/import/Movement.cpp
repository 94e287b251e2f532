//===- Movement.cpp - import of operators that move elements --------------===//

#include "tally/graph/import/MovementSteps.h"

#include "tally/support/CheckedMath.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

static Status identity(NodeImport &node) {
  return node.bind(0, node.rawOperand(0));
}

/// Inference: the input itself; the mask says that nothing was dropped.
static Status dropout(NodeImport &node) {
  if (node.hasInput(2)) {
    auto training = node.constantInts(2, "training_mode");
    if (!training)
      return training.takeError();
    if (training->size() != 1 || training->front() != 0)
      return node.unsupported("training_mode is for training; only inference "
                              "is supported");
  }
  Value input = node.rawOperand(0);
  if (node.node.hasOutput(1)) {
    bool isBool = node.node.opset >= 10;
    eval::Tensor one;
    one.element =
        isBool ? eval::Element::Bool : *elementOf(elementType(node.operand(0)));
    one.allocate();
    if (isBool)
      eval::storeInt(one, 0, 1);
    else
      eval::storeFloat(one, 0, 1);
    auto mask = expanded(
        node, node.makeConstant(one, typeOf(node.context(), one.element)),
        shapeOf(input));
    if (!mask)
      return mask.takeError();
    if (Status status = node.bind(1, *mask); !status)
      return status;
  }
  return node.bind(0, input);
}

static Status transpose(NodeImport &node) {
  Value input = node.operand(0);
  auto permutation = node.intsAttr("perm");
  if (!permutation) {
    permutation.emplace();
    for (int64_t axis = tensorType(input).getRank(); axis-- > 0;)
      permutation->push_back(axis);
  }
  return node.bind(transposed(node, input, *permutation));
}

static Status expand(NodeImport &node) {
  auto target = node.constantInts(1, "the shape");
  if (!target)
    return target.takeError();
  Value input = node.operand(0);
  auto shape = broadcast(shapeOf(input), *target);
  if (!shape || llvm::any_of(*shape, [](int64_t dim) { return dim < 0; }))
    return node.failure(FailureKind::Model, "IMP-6",
                        "shape " + shapeText(shapeOf(input)) +
                            " does not broadcast with " + shapeText(*target));
  return node.bind(expanded(node, input, *shape));
}

/// Repeating a dimension: a dimension of size 1 in front of it, expanded, then
/// merged. [2, 3] tiled by (1, 4): [2, 1, 3] -> [2, 4, 3] -> [2, 12].
static Status tile(NodeImport &node) {
  auto repeats = node.constantInts(1, "repeats");
  if (!repeats)
    return repeats.takeError();
  Value value = node.operand(0);
  ArrayRef<int64_t> input = shapeOf(value);
  std::vector<int64_t> split, repeated, merged;
  bool isValid = repeats->size() == input.size();
  for (size_t d = 0; isValid && d < input.size(); ++d) {
    int64_t times = (*repeats)[d];
    auto size = checkedMul(input[d], times);
    isValid = times >= 0 && size;
    if (!isValid)
      break;
    if (times != 1 && input[d] != 1) {
      split.push_back(1);
      repeated.push_back(times);
    }
    split.push_back(input[d]);
    repeated.push_back(input[d] == 1 ? times : input[d]);
    merged.push_back(*size);
  }
  if (!isValid)
    return node.failure(FailureKind::Model, "IMP-6",
                        "repeats must be one count per dimension of " +
                            shapeText(input));
  auto result = reshaped(node, value, split);
  if (result)
    result = expanded(node, *result, repeated);
  if (result)
    result = reshaped(node, *result, merged);
  return node.bind(std::move(result));
}

static Status noBlocks(const NodeImport &node, Value input, int64_t size) {
  return node.failure(FailureKind::Model, "IMP-6",
                      "an input of shape " + shapeText(shapeOf(input)) +
                          " has no blocks of size " + std::to_string(size));
}

/// Whether the block's place comes before the channel, mode DCR.
static Result<bool> isDepthFirst(const NodeImport &node) {
  std::string mode = node.stringAttr("mode", "DCR");
  if (mode == "DCR" || mode == "CRD")
    return mode == "DCR";
  return node.failure(FailureKind::Model, "IMP-6",
                      "mode '" + mode + "' is unknown");
}

/// Channels are (b, b, C) in mode DCR and (C, b, b) in mode CRD; the blocks
/// become rows and columns.
static Status depthToSpace(NodeImport &node) {
  Value input = node.operand(0);
  ArrayRef<int64_t> in = shapeOf(input);
  int64_t size = node.intAttr("blocksize", 0);
  if (in.size() != 4 || size < 1 || size > 1 << 15 || in[1] % (size * size))
    return noBlocks(node, input, size);
  int64_t channels = in[1] / (size * size);
  auto isDcr = isDepthFirst(node);
  if (!isDcr)
    return isDcr.takeError();
  auto blocks = *isDcr ? std::vector{in[0], size, size, channels, in[2], in[3]}
                       : std::vector{in[0], channels, size, size, in[2], in[3]};
  // To [N, C, H, b, W, b].
  std::vector<int64_t> order = {0, 3, 4, 1, 5, 2};
  if (!*isDcr)
    order = {0, 1, 4, 2, 5, 3};
  auto result = reshaped(node, input, blocks);
  if (result)
    result = transposed(node, *result, order);
  if (result)
    result =
        reshaped(node, *result, {in[0], channels, in[2] * size, in[3] * size});
  return node.bind(std::move(result));
}

/// Rows and columns of blocks become channels: (b, b, C) in mode DCR, (C, b, b)
/// in mode CRD (an attribute of newer operator sets).
static Status spaceToDepth(NodeImport &node) {
  Value input = node.operand(0);
  ArrayRef<int64_t> in = shapeOf(input);
  int64_t size = node.intAttr("blocksize", 0);
  if (in.size() != 4 || size < 1 || size > 1 << 15 || in[2] % size ||
      in[3] % size)
    return noBlocks(node, input, size);
  auto isDcr = isDepthFirst(node);
  if (!isDcr)
    return isDcr.takeError();
  int64_t rows = in[2] / size, columns = in[3] / size;
  // From [N, C, H, b, W, b].
  std::vector<int64_t> order = {0, 3, 5, 1, 2, 4};
  if (!*isDcr)
    order = {0, 1, 3, 5, 2, 4};
  auto result =
      reshaped(node, input, {in[0], in[1], rows, size, columns, size});
  if (result)
    result = transposed(node, *result, order);
  if (result)
    result =
        reshaped(node, *result, {in[0], in[1] * size * size, rows, columns});
  return node.bind(std::move(result));
}

static Status reverseSequence(NodeImport &node) {
  auto lengths = node.constantInts(1, "sequence_lens");
  if (!lengths)
    return lengths.takeError();
  auto &builder = node.builder;
  return node.bind(node.create<ReverseSequenceOp>(
      {}, node.operand(0),
      builder.getI64IntegerAttr(node.intAttr("batch_axis", 1)),
      builder.getI64IntegerAttr(node.intAttr("time_axis", 0)),
      node.i64s(*lengths)));
}

llvm::ArrayRef<ImportRow> tally::nn::movementRows() {
  static const ImportRow rows[] = {
      {"", "DepthToSpace", 1, depthToSpace},
      {"", "Dropout", 7, dropout},
      {"", "Expand", 8, expand, 2},
      {"", "Identity", 1, identity},
      {"", "ReverseSequence", 10, reverseSequence, 2},
      {"", "SpaceToDepth", 1, spaceToDepth},
      {"", "Tile", 6, tile, 2},
      {"", "Transpose", 1, transpose},
  };
  return rows;
}
