//===- Arithmetic.cpp - import of arithmetic operators --------------------===//

#include "tally/graph/import/ModelTensor.h"
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
  for (size_t i = 1; i < node.numInputs(); ++i) {
    if (Status status = node.need(i); !status)
      return status.takeError();
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

static Status castTo(NodeImport &node, Type element) {
  Value input = node.operand(0);
  if (elementType(input) != element)
    return node.bind(node.create<CastOp>(element, input));
  Status status = node.bind(0, input);
  if (status && element.isInteger(8)) // of which the operand may have fewer
    node.markCodes(0, *elementOf(element));
  return status;
}

static Status cast(NodeImport &node) {
  int64_t to = node.intAttr("to", 0);
  auto type = model::elementTypeFromNumber(to);
  auto element = type ? elementOfModel(*type) : std::nullopt;
  // Fewer bits would have to wrap, and are held in 8.
  if (!element || model::elementBits(*type) < 8)
    return node.unsupported(
        "cannot cast to " +
        (type ? std::string(model::elementTypeName(*type))
              : "the unknown data type " + std::to_string(to)));
  return castTo(node, typeOf(node.context(), *element));
}

static Status castLike(NodeImport &node) {
  Type element = elementType(node.operand(1));
  if (element.isInteger(8) && node.codeRange(1) != *elementOf(element))
    return node.unsupported("cannot cast to fewer than 8 bits");
  return castTo(node, element);
}

llvm::ArrayRef<ImportRow> tally::nn::arithmeticRows() {
  static const ImportRow rows[] = {
      {"", "Add", 7, binary<AddOp>, 2},  {"", "Cast", 6, cast},
      {"", "CastLike", 15, castLike, 2}, {"", "Div", 7, binary<DivOp>, 2},
      {"", "Max", 6, variadic<MaxOp>},   {"", "Mean", 6, mean},
      {"", "Min", 6, variadic<MinOp>},   {"", "Mod", 10, mod, 2},
      {"", "Mul", 7, binary<MulOp>, 2},  {"", "Pow", 7, power, 2},
      {"", "Sub", 7, binary<SubOp>, 2},  {"", "Sum", 6, variadic<AddOp>},
  };
  return rows;
}
