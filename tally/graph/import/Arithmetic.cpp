//===- Arithmetic.cpp - import of arithmetic operators --------------------===//

#include "tally/graph/import/NodeImport.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

template <typename OpTy> static Status binary(NodeImport &node) {
  return node.bind(node.create<OpTy>({}, node.operand(0), node.operand(1)));
}

/// Any number of operands from left to right; one alone is the result.
template <typename OpTy> static Result<Value> chain(NodeImport &node) {
  Value value = node.operand(0);
  if (!value)
    return node.failure(FailureKind::Model, "IMP-6", "has no operand");
  for (size_t i = 1; i < node.numInputs(); ++i) {
    auto next = node.create<OpTy>({}, value, node.operand(i));
    if (!next)
      return next;
    value = *next;
  }
  return value;
}

template <typename OpTy> static Status variadic(NodeImport &node) {
  return node.bind(chain<OpTy>(node));
}

/// A scalar constant of a plain float type.
static Value floatScalar(NodeImport &node, Type element, double value) {
  eval::Tensor tensor;
  tensor.element = *elementOf(element);
  tensor.allocate();
  eval::storeFloat(tensor, 0, value);
  return node.makeConstant(tensor, element);
}

/// The chain of sums, then the division by the count.
static Status mean(NodeImport &node) {
  auto sum = chain<AddOp>(node);
  if (!sum)
    return sum.takeError();
  Type element = elementType(*sum);
  if (!isa<FloatType>(element))
    return node.failure(FailureKind::Model, "IMP-6",
                        "a mean of " + typeText(element) + " elements");
  Value count =
      floatScalar(node, element, static_cast<double>(node.numInputs()));
  return node.bind(node.create<DivOp>({}, *sum, count));
}

/// Whether operand `i` is a constant scalar, or of one element and not of a
/// higher rank than operand 0, that is `value`.
static bool isScalar(NodeImport &node, size_t i, double value) {
  auto tensor = node.constant(i);
  if (!tensor || tensor->count() != 1 ||
      tensor->rank() > tensorType(node.operand(0)).getRank())
    return false;
  return eval::isFloat(tensor->element)
             ? eval::loadFloat(*tensor, 0) == value
             : static_cast<double>(eval::loadInt(*tensor, 0)) == value;
}

/// A square is a product, which is exact up to one rounding and has a
/// quantized meaning for any grid.
static Status power(NodeImport &node) {
  if (!isScalar(node, 1, 2))
    return binary<PowOp>(node);
  Value base = node.operand(0);
  return node.bind(node.create<MulOp>({}, base, base));
}

static Status mod(NodeImport &node) {
  auto fmod = node.builder.getBoolAttr(node.intAttr("fmod", 0) != 0);
  return node.bind(
      node.create<ModOp>({}, node.operand(0), node.operand(1), fmod));
}

//===----------------------------------------------------------------------===//
// Cast
//===----------------------------------------------------------------------===//

/// The element type for a number of the format's DataType, or null.
static Type castTarget(NodeImport &node, int64_t dataType) {
  using eval::Element;
  std::optional<Element> element;
  switch (dataType) {
  case 1:
    element = Element::F32;
    break;
  case 2:
    element = Element::U8;
    break;
  case 3:
    element = Element::I8;
    break;
  case 4:
    element = Element::U16;
    break;
  case 5:
    element = Element::I16;
    break;
  case 6:
    element = Element::I32;
    break;
  case 7:
    element = Element::I64;
    break;
  case 9:
    element = Element::Bool;
    break;
  case 10:
    element = Element::F16;
    break;
  case 11:
    element = Element::F64;
    break;
  case 12:
    element = Element::U32;
    break;
  case 13:
    element = Element::U64;
    break;
  case 16:
    element = Element::BF16;
    break;
  default:
    return {};
  }
  return typeOf(node.context(), *element);
}

static Status castTo(NodeImport &node, Type element) {
  Value input = node.operand(0);
  if (elementType(input) == element)
    return node.bind(0, input);
  return node.bind(node.create<CastOp>(element, input));
}

static Status cast(NodeImport &node) {
  int64_t to = node.intAttr("to", 0);
  Type element = castTarget(node, to);
  if (!element)
    return node.unsupported("cannot cast to data type " + std::to_string(to));
  return castTo(node, element);
}

static Status castLike(NodeImport &node) {
  return castTo(node, elementType(node.operand(1)));
}

llvm::ArrayRef<ImportRow> tally::nn::arithmeticRows() {
  static const ImportRow rows[] = {
      {"", "Add", 7, binary<AddOp>},   {"", "Cast", 6, cast},
      {"", "CastLike", 15, castLike},  {"", "Div", 7, binary<DivOp>},
      {"", "Max", 6, variadic<MaxOp>}, {"", "Mean", 6, mean},
      {"", "Min", 6, variadic<MinOp>}, {"", "Mod", 10, mod},
      {"", "Mul", 7, binary<MulOp>},   {"", "Pow", 7, power},
      {"", "Sub", 7, binary<SubOp>},   {"", "Sum", 6, variadic<AddOp>},
  };
  return rows;
}
