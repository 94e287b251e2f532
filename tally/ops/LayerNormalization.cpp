//===- LayerNormalization.cpp - over the last dimensions ------------------===//

#include "tally/eval/Normalization.h"
#include "tally/ops/Normalizations.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

static LogicalResult checkParameters(MaybeLocation location,
                                     LayerNormalizationOp::Adaptor op) {
  ArrayRef<int64_t> shape = shapeOf(op.getInput());
  ArrayRef<int64_t> scale = shapeOf(op.getScale());
  auto common = broadcast(shape, scale);
  if (!common || ArrayRef<int64_t>(*common) != shape ||
      (op.getBias() && shapeOf(op.getBias()) != scale))
    return reject(location, "LAYERNORM-3",
                  "scale " + shapeText(scale) +
                      " and bias must have one shape that broadcasts to " +
                      shapeText(shape));
  return success();
}

static LogicalResult checkElements(MaybeLocation location,
                                   LayerNormalizationOp::Adaptor op) {
  Type element = elementType(op.getInput());
  if (failed(checkFloat(location, "LAYERNORM-2", element, /*allowF64=*/true)))
    return failure();
  for (Value parameter : op.getOperands().drop_front())
    if (elementType(parameter) != element)
      return reject(location, "LAYERNORM-2",
                    "parameters of type " + typeText(elementType(parameter)) +
                        " for an input of type " + typeText(element));
  return success();
}

LogicalResult LayerNormalizationOp::inferReturnTypeComponents(
    MLIRContext *context, MaybeLocation location, Adaptor op,
    Inferred &inferred) {
  Type element = elementType(op.getInput());
  if (failed(checkAxis(location, "LAYERNORM-1", op.getInput(), op.getAxis())) ||
      failed(checkElements(location, op)) ||
      failed(checkParameters(location, op)))
    return failure();
  SmallVector<int64_t> rows(shapeOf(op.getInput()));
  for (size_t d = op.getAxis(); d < rows.size(); ++d)
    rows[d] = 1;
  infer(inferred, shapeOf(op.getInput()), element);
  infer(inferred, rows, Float32Type::get(context));
  infer(inferred, rows, Float32Type::get(context));
  return success();
}

Status LayerNormalizationOp::evaluate(eval::Request &request) {
  ArrayRef<int64_t> shape = getInput().getType().getShape();
  std::vector<int64_t> parameter =
      broadcastIndices(shape, getScale().getType().getShape());
  eval::RowNormalization rows;
  rows.rowLength = ShapedType::getNumElements(shape.drop_front(getAxis()));
  rows.epsilon = getEpsilon().convertToFloat();
  rows.parameter = [&](int64_t i) { return parameter[i]; };
  return eval::evaluateRowNormalization(request, rows);
}
