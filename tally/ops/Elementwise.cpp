//===- Elementwise.cpp - rules of the elementwise families ----------------===//

#include "tally/graph/Rejection.h"
#include "tally/ops/Inference.h"

using namespace mlir;
using namespace tally::nn;

std::optional<ElementKinds> tally::nn::kindOf(Type element) {
  if (auto codes = dyn_cast<UniformQuantizedType>(element))
    return codes.getStorageTypeIntegralWidth() <= 16 ? std::optional(kCodes)
                                                     : std::nullopt;
  if (element.isInteger(1))
    return kBool;
  if (auto integer = dyn_cast<IntegerType>(element))
    return integer.isUnsigned() ? kUnsigned : kSigned;
  if (element.isF64())
    return kDouble;
  return isa<FloatType>(element) ? std::optional(kFloat) : std::nullopt;
}

LogicalResult tally::nn::checkKind(MaybeLocation location, StringRef name,
                                   Value operand, unsigned accepts) {
  auto kind = kindOf(elementType(operand));
  if (kind && (*kind & accepts))
    return success();
  // An operator of the model that takes some floats takes all.
  bool isValid = kind && (*kind & kReal) && (accepts & kReal);
  return (isValid ? rejectUnsupported
                  : reject)(location, "ELEM-3",
                            name + " has no meaning on elements of type " +
                                typeText(elementType(operand)));
}

LogicalResult tally::nn::inferUnary(MaybeLocation location, StringRef name,
                                    ValueRange operands, unsigned accepts,
                                    Inferred &inferred) {
  if (failed(checkKind(location, name, operands[0], accepts)))
    return failure();
  infer(inferred, shapeOf(operands[0]), elementType(operands[0]));
  return success();
}

LogicalResult tally::nn::inferClassification(MaybeLocation location,
                                             StringRef name,
                                             ValueRange operands,
                                             unsigned accepts,
                                             Inferred &inferred) {
  if (failed(checkKind(location, name, operands[0], accepts)))
    return failure();
  infer(inferred, shapeOf(operands[0]),
        IntegerType::get(operands[0].getContext(), 1));
  return success();
}

/// Checks ELEM-1 to ELEM-3 and gives the common shape.
static LogicalResult broadcastOperands(MaybeLocation location, StringRef name,
                                       ValueRange operands, unsigned accepts,
                                       SmallVector<int64_t> &shape) {
  Value a = operands[0], b = operands[1];
  auto common = broadcast(shapeOf(a), shapeOf(b));
  if (!common)
    return reject(location, "ELEM-1",
                  name + ": shapes " + shapeText(shapeOf(a)) + " and " +
                      shapeText(shapeOf(b)) + " do not broadcast");
  if (!sameKind(elementType(a), elementType(b)))
    return reject(location, "ELEM-2",
                  name + ": element types " + typeText(elementType(a)) +
                      " and " + typeText(elementType(b)) + " differ");
  shape = *common;
  return success(succeeded(checkKind(location, name, a, accepts)) &&
                 succeeded(checkKind(location, name, b, accepts)));
}

LogicalResult tally::nn::inferBinary(MaybeLocation location, StringRef name,
                                     ValueRange operands, unsigned accepts,
                                     Inferred &inferred) {
  SmallVector<int64_t> shape;
  if (failed(broadcastOperands(location, name, operands, accepts, shape)))
    return failure();
  infer(inferred, shape, elementType(operands[0]));
  return success();
}

LogicalResult tally::nn::inferCompare(MaybeLocation location, StringRef name,
                                      ValueRange operands, unsigned accepts,
                                      Inferred &inferred) {
  SmallVector<int64_t> shape;
  if (failed(broadcastOperands(location, name, operands, accepts, shape)))
    return failure();
  infer(inferred, shape, IntegerType::get(operands[0].getContext(), 1));
  return success();
}

LogicalResult tally::nn::verifyFiniteParameters(Operation *op) {
  for (NamedAttribute attribute : op->getAttrs()) {
    auto number = dyn_cast<FloatAttr>(attribute.getValue());
    if (number && !number.getValue().isFinite())
      return op->emitOpError()
             << "parameter " << attribute.getName() << " is "
             << number.getValueAsDouble() << ", not a finite number [ELEM-4]";
  }
  return success();
}
