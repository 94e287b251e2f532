//===- Where.cpp - x where the condition holds, else y --------------------===//

#include "tally/eval/Elementwise.h"
#include "tally/ops/Inference.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

LogicalResult WhereOp::inferReturnTypeComponents(MLIRContext *,
                                                 MaybeLocation location,
                                                 Adaptor op,
                                                 Inferred &inferred) {
  Value condition = op.getCondition(), x = op.getX(), y = op.getY();
  if (!elementType(condition).isInteger(1))
    return reject(location, "WHERE-1",
                  "the condition is " + typeText(elementType(condition)) +
                      ", not boolean");
  auto knownKind = [](Value value) {
    return kindOf(elementType(value)).has_value();
  };
  if (!sameKind(elementType(x), elementType(y)) || !knownKind(x) ||
      !knownKind(y))
    return reject(location, "WHERE-2",
                  "cannot choose between " + typeText(elementType(x)) +
                      " and " + typeText(elementType(y)));
  auto shape = broadcast(shapeOf(x), shapeOf(y));
  if (shape)
    shape = broadcast(*shape, shapeOf(condition));
  if (!shape)
    return reject(location, "WHERE-3",
                  "shapes " + shapeText(shapeOf(condition)) + ", " +
                      shapeText(shapeOf(x)) + " and " + shapeText(shapeOf(y)) +
                      " do not broadcast");
  infer(inferred, *shape, elementType(x));
  return success();
}

bool WhereOp::hasQuantizedMeaning(ArrayRef<RankedTensorType> operands,
                                  RankedTensorType result) {
  return operands[0] && operands[0].getElementType().isInteger(1) &&
         allPerTensor(operands.drop_front(), result);
}

Status WhereOp::evaluate(eval::Request &request) {
  return eval::evaluateWhere(request);
}
