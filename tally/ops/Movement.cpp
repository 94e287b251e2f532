//===- Movement.cpp - rules shared by operators that move elements --------===//

#include "tally/ops/Movement.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

std::string tally::nn::listText(ArrayRef<int64_t> values) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(values, os);
  return text;
}

Type tally::nn::movedElement(Type element, AxisMove movedAxis) {
  auto perAxis = dyn_cast<UniformQuantizedPerAxisType>(element);
  if (!perAxis)
    return element;
  auto axis = movedAxis(perAxis.getQuantizedDimension());
  if (!axis)
    return {};
  eval::Quantization grid = gridOf(perAxis);
  grid.axis = static_cast<int>(*axis);
  return quantizedType(element.getContext(), grid);
}

LogicalResult tally::nn::inferMovement(MaybeLocation location, Value input,
                                       ArrayRef<int64_t> shape,
                                       AxisMove movedAxis, Inferred &inferred) {
  Type element = movedElement(elementType(input), movedAxis);
  if (!element)
    return reject(location, "MOVE-1",
                  "the quantization axis of " + typeText(input.getType()) +
                      " does not keep its indices in a result of shape " +
                      shapeText(shape));
  infer(inferred, shape, element);
  return success();
}

LogicalResult tally::nn::verifyMovement(Operation *op) {
  auto move = [&](int64_t axis) { return cast<Movement>(op).movedAxis(axis); };
  Type expected = movedElement(elementType(op->getOperand(0)), move);
  Type found = elementType(op->getResult(0));
  if (found == expected)
    return success();
  return op->emitOpError() << "only moves elements: the result's element type "
                              "is "
                           << found << ", expected " << expected << " [MOVE-2]";
}
