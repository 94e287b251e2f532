//===- RecurrentOperands.cpp - operands of LSTM, GRU and RNN --------------===//

#include "tally/graph/import/RecurrentOperands.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

static Status readAttributes(NodeImport &node, RecurrentOperands &operands) {
  std::string direction = node.stringAttr("direction", "forward");
  operands.sizes.directions = direction == "bidirectional" ? 2 : 1;
  operands.isReversed = direction == "reverse";
  if (operands.sizes.directions == 1 && !operands.isReversed &&
      direction != "forward")
    return node.failure(FailureKind::Model, "RNN-2",
                        "there is no direction '" +
                            model::printable(direction) + "'");
  operands.isBatchFirst = node.intAttr("layout", 0) != 0;
  if (!node.node.attribute("clip"))
    return Status::success();
  operands.clip = node.floatAttr("clip", 0);
  if (*operands.clip > 0)
    return Status::success();
  return node.failure(FailureKind::Model, "RNN-6",
                      "clip is not a positive number");
}

/// Sizes by X and R, which the others must then fit.
static Status readSizes(NodeImport &node, const RecurrentForm &form,
                        RecurrentOperands &operands) {
  ArrayRef<int64_t> x = shapeOf(node.rawOperand(kInput));
  ArrayRef<int64_t> r = shapeOf(node.rawOperand(kHiddenWeights));
  RecurrentSizes &sizes = operands.sizes;
  if (x.size() != 3 || r.size() != 3)
    return node.failure(FailureKind::Model, "RNN-1",
                        "X of shape " + shapeText(x) + " or R of shape " +
                            shapeText(r) + " has not three dimensions");
  sizes.steps = x[operands.isBatchFirst ? 1 : 0];
  sizes.batch = x[operands.isBatchFirst ? 0 : 1];
  sizes.inputs = x[2];
  sizes.hidden = r[form.hasCodes ? 1 : 2];
  if (node.intAttr("hidden_size", sizes.hidden) != sizes.hidden)
    return node.failure(
        FailureKind::Model, "RNN-1",
        "hidden_size is " + std::to_string(node.intAttr("hidden_size", 0)) +
            ", but R has rows of " + std::to_string(sizes.hidden));
  if (sizes.steps > 0 && sizes.batch > 0 && sizes.inputs > 0 &&
      sizes.hidden > 0)
    return Status::success();
  return node.failure(FailureKind::Unsupported, "RNN-1",
                      "X of shape " + shapeText(x) + " and R of shape " +
                          shapeText(r) + ": one is empty");
}

static Status checkShape(NodeImport &node, RecurrentOperand operand,
                         const char *name, ArrayRef<int64_t> shape) {
  if (!node.hasInput(operand) || shapeOf(node.rawOperand(operand)) == shape)
    return Status::success();
  return node.failure(FailureKind::Model, "RNN-1",
                      std::string(name) + " has shape " +
                          shapeText(shapeOf(node.rawOperand(operand))) +
                          ", not " + shapeText(shape));
}

static Status checkShapes(NodeImport &node, const RecurrentForm &form,
                          const RecurrentOperands &operands) {
  const RecurrentSizes &s = operands.sizes;
  int64_t d = s.directions, rows = s.gates * s.hidden;
  SmallVector<int64_t, 3> w = {d, rows, s.inputs}, r = {d, rows, s.hidden};
  if (form.hasCodes) {
    std::swap(w[1], w[2]);
    std::swap(r[1], r[2]);
  }
  SmallVector<int64_t, 3> state = {d, s.batch, s.hidden};
  if (operands.isBatchFirst)
    std::swap(state[0], state[1]);
  struct Expected {
    RecurrentOperand operand;
    const char *name;
    SmallVector<int64_t, 3> shape;
  };
  for (const Expected &expected :
       std::initializer_list<Expected>{{kInputWeights, "W", w},
                                       {kHiddenWeights, "R", r},
                                       {kBiases, "B", {d, 2 * rows}},
                                       {kLengths, "sequence_lens", {s.batch}},
                                       {kInitialHidden, "initial_h", state},
                                       {kInitialCell, "initial_c", state},
                                       {kPeepholes, "P", {d, 3 * s.hidden}}})
    if (Status status =
            checkShape(node, expected.operand, expected.name, expected.shape);
        !status)
      return status;
  return Status::success();
}

static bool isWeights(size_t operand) {
  return operand == kInputWeights || operand == kHiddenWeights;
}

static bool isZeroPoint(size_t operand) {
  return operand == kInputZero || operand == kHiddenZero;
}

static Status checkElement(NodeImport &node, size_t i, bool fits,
                           const char *expected, const char *rule) {
  if (fits)
    return Status::success();
  return node.failure(FailureKind::Model, rule,
                      "operand " + std::to_string(i) + " is " +
                          typeText(elementType(node.rawOperand(i))) + ", not " +
                          expected);
}

static Status checkElements(NodeImport &node, const RecurrentForm &form,
                            RecurrentOperands &operands) {
  operands.element = elementType(node.operand(kInput));
  bool isFloat = isa<FloatType>(operands.element);
  for (size_t i = 0; i < node.numInputs(); ++i) {
    if (!node.hasInput(i) || isZeroPoint(i))
      continue;
    Type element = elementType(node.rawOperand(i));
    Status status =
        i == kLengths
            ? checkElement(node, i, element.isInteger(32), "int32", "RNN-3")
        : form.hasCodes && isWeights(i)
            ? checkElement(node, i, isPlainByte(element), "int8 or uint8",
                           "RNN-8")
            : checkElement(node, i, isFloat && element == operands.element,
                           "floats of X's type", "RNN-3");
    if (!status)
      return status;
  }
  return Status::success();
}

/// Scale and zero point of one weight, RNN-8.
static Status checkGrid(NodeImport &node, const RecurrentSizes &sizes,
                        RecurrentOperand weights, RecurrentOperand scale,
                        RecurrentOperand zero) {
  if (Status status = node.need({scale, zero}); !status)
    return status;
  SmallVector<int64_t, 2> one = {sizes.directions};
  SmallVector<int64_t, 2> each = {sizes.directions, sizes.gates * sizes.hidden};
  ArrayRef<int64_t> shape = shapeOf(node.rawOperand(scale));
  bool fits =
      (shape == ArrayRef(one) || shape == ArrayRef(each)) &&
      shapeOf(node.rawOperand(zero)) == shape &&
      elementType(node.operand(zero)) == elementType(node.operand(weights));
  if (fits)
    return Status::success();
  return node.failure(
      FailureKind::Model, "RNN-8",
      "a scale of shape " + shapeText(shape) + " and a zero point " +
          typeText(tensorType(node.operand(zero))) + " do not fit weights " +
          typeText(tensorType(node.operand(weights))));
}

static Status checkGrids(NodeImport &node, const RecurrentForm &form,
                         const RecurrentSizes &sizes) {
  if (!form.hasCodes)
    return Status::success();
  if (Status status =
          checkGrid(node, sizes, kInputWeights, kInputScale, kInputZero);
      !status)
    return status;
  return checkGrid(node, sizes, kHiddenWeights, kHiddenScale, kHiddenZero);
}

/// Constant lengths are checked; others are taken as they come: above T as T,
/// below 0 as 0.
static Status readLengths(NodeImport &node, RecurrentOperands &operands) {
  operands.lengths = node.operand(kLengths);
  if (!operands.lengths || !node.isConstant(kLengths))
    return Status::success();
  auto lengths = node.constantInts(kLengths, "the lengths");
  if (!lengths)
    return lengths.takeError();
  int64_t steps = operands.sizes.steps;
  for (int64_t length : *lengths)
    if (length < 0 || length > steps)
      return node.failure(FailureKind::Model, "RNN-1",
                          "a length of " + std::to_string(length) +
                              " is outside [0, " + std::to_string(steps) + "]");
  if (llvm::all_of(*lengths, [&](int64_t n) { return n == steps; }))
    operands.lengths = {};
  else
    operands.knownLengths = std::move(*lengths);
  return Status::success();
}

static Status checkCount(NodeImport &node, const RecurrentForm &form) {
  size_t most = form.hasCodes ? 12 : form.hasCell ? 8 : 6;
  if (node.numInputs() <= most)
    return Status::success();
  return node.failure(FailureKind::Model, "IMP-11",
                      "there are " + std::to_string(node.numInputs()) +
                          " operands, more than " + std::to_string(most));
}

Result<RecurrentOperands> RecurrentOperands::read(NodeImport &node,
                                                  const RecurrentForm &form) {
  RecurrentOperands operands;
  operands.sizes.gates = form.gates;
  operands.input = node.operand(kInput);
  if (Status status = checkCount(node, form); !status)
    return status.takeError();
  if (Status status = readAttributes(node, operands); !status)
    return status.takeError();
  if (Status status = readSizes(node, form, operands); !status)
    return status.takeError();
  if (Status status = checkShapes(node, form, operands); !status)
    return status.takeError();
  if (Status status = checkElements(node, form, operands); !status)
    return status.takeError();
  if (Status status = checkGrids(node, form, operands.sizes); !status)
    return status.takeError();
  if (Status status = readLengths(node, operands); !status)
    return status.takeError();
  return operands;
}
