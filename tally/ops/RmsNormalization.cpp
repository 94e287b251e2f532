//===- RmsNormalization.cpp - unit root mean square -----------------------===//

#include "tally/eval/Normalization.h"
#include "tally/ops/Normalizations.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

LogicalResult RmsNormalizationOp::inferReturnTypeComponents(
    MLIRContext *, MaybeLocation location, Adaptor op, Inferred &inferred) {
  ArrayRef<int64_t> shape = shapeOf(op.getInput());
  Type element = elementType(op.getInput());
  if (failed(checkAxis(location, "RMSNORM-1", op.getInput(), op.getAxis())) ||
      failed(checkFloat(location, "RMSNORM-2", element, /*allowF64=*/true)) ||
      failed(
          checkFloat(location, "RMSNORM-2", elementType(op.getScale()), true)))
    return failure();
  auto common = broadcast(shape, shapeOf(op.getScale()));
  if (!common || ArrayRef<int64_t>(*common) != shape)
    return reject(location, "RMSNORM-3",
                  "scale " + shapeText(shapeOf(op.getScale())) +
                      " does not broadcast to " + shapeText(shape));
  infer(inferred, shape, element);
  return success();
}

Status RmsNormalizationOp::evaluate(eval::Request &request) {
  ArrayRef<int64_t> shape = getInput().getType().getShape();
  std::vector<int64_t> parameter =
      broadcastIndices(shape, getScale().getType().getShape());
  eval::RowNormalization rows;
  rows.rowLength = ShapedType::getNumElements(shape.drop_front(getAxis()));
  rows.epsilon = getEpsilon().convertToFloat();
  rows.centered = false;
  rows.parameter = [&](int64_t i) { return parameter[i]; };
  return eval::evaluateRowNormalization(request, rows);
}
