//===- Elementwise.cpp - import of unary and logic operators --------------===//

#include "tally/graph/import/NodeImport.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace tally;
using namespace tally::nn;

template <typename OpTy> static Status unary(NodeImport &node) {
  return node.bind(node.create<OpTy>({}, node.operand(0)));
}

template <typename OpTy> static Status binary(NodeImport &node) {
  return node.bind(node.create<OpTy>({}, node.operand(0), node.operand(1)));
}

static FloatAttr f32(NodeImport &node, float value) {
  return node.builder.getF32FloatAttr(value);
}

static FloatAttr f32(NodeImport &node, const char *name, float fallback) {
  return f32(node, node.floatAttr(name, fallback));
}

static BoolAttr flag(NodeImport &node, const char *name, int64_t fallback) {
  return node.builder.getBoolAttr(node.intAttr(name, fallback) != 0);
}

//===----------------------------------------------------------------------===//
// Unary operators with parameters
//===----------------------------------------------------------------------===//

/// An operator with the one parameter alpha; its default in thousandths.
template <typename OpTy, int thousandths>
static Status withAlpha(NodeImport &node) {
  float fallback = static_cast<float>(thousandths) / 1000;
  return node.bind(
      node.create<OpTy>({}, node.operand(0), f32(node, "alpha", fallback)));
}

static Status hardSigmoid(NodeImport &node) {
  return node.bind(node.create<HardSigmoidOp>(
      {}, node.operand(0), f32(node, "alpha", 0.2f), f32(node, "beta", 0.5f)));
}

static Status selu(NodeImport &node) {
  return node.bind(node.create<SeluOp>(
      {}, node.operand(0), f32(node, "alpha", 1.67326319217681884765625f),
      f32(node, "gamma", 1.05070102214813232421875f)));
}

static Status makeGelu(NodeImport &node, Value input, bool tanh) {
  return node.bind(
      node.create<GeluOp>({}, input, node.builder.getBoolAttr(tanh)));
}

static Status gelu(NodeImport &node) {
  std::string form = node.stringAttr("approximate", "none");
  if (form != "none" && form != "tanh")
    return node.failure(FailureKind::Model, "IMP-6",
                        "approximate is '" + form +
                            "', expected 'none' or 'tanh'");
  return makeGelu(node, node.operand(0), form == "tanh");
}

/// com.microsoft BiasGelu and FastGelu: the sum with an optional second
/// operand, then one form of Gelu.
template <bool tanh> static Status biasGelu(NodeImport &node) {
  Value input = node.operand(0);
  if (node.hasInput(1)) {
    auto sum = node.create<AddOp>({}, input, node.operand(1));
    if (!sum)
      return sum.takeError();
    input = *sum;
  }
  return makeGelu(node, input, tanh);
}

static Status isInf(NodeImport &node) {
  return node.bind(node.create<IsInfOp>({}, node.operand(0),
                                        flag(node, "detect_negative", 1),
                                        flag(node, "detect_positive", 1)));
}

//===----------------------------------------------------------------------===//
// Clip
//===----------------------------------------------------------------------===//

/// Bounds as attributes; the format's defaults are the finite extremes.
static Status clipAttributes(NodeImport &node) {
  constexpr float kMax = std::numeric_limits<float>::max();
  return node.bind(node.create<ClipOp>(
      {}, node.operand(0), f32(node, "min", -kMax), f32(node, "max", kMax)));
}

static Status checkBound(NodeImport &node, size_t i) {
  if (!node.hasInput(i))
    return Status::success();
  if (tensorType(node.operand(i)).getNumElements() != 1)
    return node.failure(FailureKind::Model, "IMP-6",
                        "bound " + std::to_string(i) + " of shape " +
                            shapeText(shapeOf(node.operand(i))) +
                            " is not a scalar");
  auto bound = node.constant(i);
  if (bound && eval::isFloat(bound->element) &&
      std::isnan(eval::loadFloat(*bound, 0)))
    return node.failure(FailureKind::Model, "CLIP-1", "a bound is NaN");
  return Status::success();
}

/// `value` raised (MaxOp) or lowered (MinOp) to bound `i`, when there is one.
template <typename OpTy>
static Result<Value> applyBound(NodeImport &node, Value value, size_t i) {
  if (!node.hasInput(i))
    return value;
  Value bound = node.operand(i);
  if (tensorType(bound).getRank() != 0) {
    auto scalar = node.create<ReshapeOp>({}, bound, node.i64s({}));
    if (!scalar)
      return scalar;
    bound = *scalar;
  }
  return node.create<OpTy>({}, value, bound);
}

/// Bounds as operands: attributes of nn.clip when they are constant floats,
/// else a maximum and a minimum, which is what Clip means.
static Status clipOperands(NodeImport &node) {
  for (size_t i : {1, 2})
    if (Status status = checkBound(node, i); !status)
      return status;
  Value input = node.operand(0);
  auto isConstant = [&](size_t i) {
    return !node.hasInput(i) || node.constant(i);
  };
  auto kind = kindOf(elementType(input));
  if (kind == kFloat && isConstant(1) && isConstant(2)) {
    auto bound = [&](size_t i, float absent) {
      auto tensor = node.constant(i);
      return tensor ? static_cast<float>(eval::loadFloat(*tensor, 0)) : absent;
    };
    constexpr float kInf = std::numeric_limits<float>::infinity();
    return node.bind(node.create<ClipOp>({}, input, f32(node, bound(1, -kInf)),
                                         f32(node, bound(2, kInf))));
  }
  auto raised = applyBound<MaxOp>(node, input, 1);
  if (!raised)
    return raised.takeError();
  return node.bind(applyBound<MinOp>(node, *raised, 2));
}

//===----------------------------------------------------------------------===//
// Logic
//===----------------------------------------------------------------------===//

static Status where(NodeImport &node) {
  return node.bind(node.create<WhereOp>({}, node.operand(0), node.operand(1),
                                        node.operand(2)));
}

static Status bitShift(NodeImport &node) {
  std::string direction = node.stringAttr("direction", "");
  if (direction != "LEFT" && direction != "RIGHT")
    return node.failure(FailureKind::Model, "IMP-6",
                        "direction is '" + direction +
                            "', expected 'LEFT' or 'RIGHT'");
  return node.bind(
      node.create<BitShiftOp>({}, node.operand(0), node.operand(1),
                              node.builder.getBoolAttr(direction == "LEFT")));
}

llvm::ArrayRef<ImportRow> tally::nn::elementwiseRows() {
  static const ImportRow rows[] = {
      {"", "Abs", 6, unary<AbsOp>},
      {"", "And", 7, binary<AndOp>, 2},
      {"", "BitShift", 11, bitShift, 2},
      {"", "BitwiseAnd", 18, binary<BitwiseAndOp>, 2},
      {"", "BitwiseNot", 18, unary<BitwiseNotOp>},
      {"", "BitwiseOr", 18, binary<BitwiseOrOp>, 2},
      {"", "BitwiseXor", 18, binary<BitwiseXorOp>, 2},
      {"", "Ceil", 6, unary<CeilOp>},
      {"", "Celu", 12, withAlpha<CeluOp, 1000>},
      {"", "Clip", 6, clipAttributes},
      {"", "Clip", 11, clipOperands},
      {"", "Cos", 7, unary<CosOp>},
      {"", "Elu", 6, withAlpha<EluOp, 1000>},
      {"", "Equal", 7, binary<EqualOp>, 2},
      {"", "Erf", 9, unary<ErfOp>},
      {"", "Exp", 6, unary<ExpOp>},
      {"", "Floor", 6, unary<FloorOp>},
      {"", "Gelu", 20, gelu},
      {"", "Greater", 7, binary<GreaterOp>, 2},
      {"", "GreaterOrEqual", 12, binary<GreaterOrEqualOp>, 2},
      {"", "HardSigmoid", 6, hardSigmoid},
      {"", "HardSwish", 14, unary<HardSwishOp>},
      {"", "IsInf", 10, isInf},
      {"", "IsNaN", 9, unary<IsNanOp>},
      {"", "LeakyRelu", 6, withAlpha<LeakyReluOp, 10>},
      {"", "Less", 7, binary<LessOp>, 2},
      {"", "LessOrEqual", 12, binary<LessOrEqualOp>, 2},
      {"", "Log", 6, unary<LogOp>},
      {"", "Mish", 18, unary<MishOp>},
      {"", "Neg", 6, unary<NegOp>},
      {"", "Not", 1, unary<NotOp>},
      {"", "Or", 7, binary<OrOp>, 2},
      {"", "PRelu", 7, binary<PReluOp>, 2},
      {"", "Reciprocal", 6, unary<ReciprocalOp>},
      {"", "Relu", 6, unary<ReluOp>},
      {"", "Round", 11, unary<RoundOp>},
      {"", "Selu", 6, selu},
      {"", "Sigmoid", 6, unary<SigmoidOp>},
      {"", "Sign", 9, unary<SignOp>},
      {"", "Sin", 7, unary<SinOp>},
      {"", "Softplus", 1, unary<SoftplusOp>},
      {"", "Softsign", 1, unary<SoftsignOp>},
      {"", "Sqrt", 6, unary<SqrtOp>},
      {"", "Swish", 24, withAlpha<SwishOp, 1000>},
      {"", "Tanh", 6, unary<TanhOp>},
      {"", "ThresholdedRelu", 10, withAlpha<ThresholdedReluOp, 1000>},
      {"", "Where", 9, where, 3},
      {"", "Xor", 7, binary<XorOp>, 2},
      {"com.microsoft", "BiasGelu", 1, biasGelu<false>},
      {"com.microsoft", "FastGelu", 1, biasGelu<true>},
      {"com.microsoft", "Gelu", 1, biasGelu<false>},
      {"com.microsoft", "QuickGelu", 1, withAlpha<SwishOp, 1702>},
  };
  return rows;
}
