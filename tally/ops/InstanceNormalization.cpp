//===- InstanceNormalization.cpp - each channel of each image -------------===//

#include "tally/eval/Normalization.h"
#include "tally/ops/Normalizations.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

LogicalResult InstanceNormalizationOp::inferReturnTypeComponents(
    MLIRContext *, MaybeLocation location, Adaptor op, Inferred &inferred) {
  ArrayRef<int64_t> shape = shapeOf(op.getInput());
  if (shape.size() < 3)
    return reject(location, "INSTNORM-1",
                  "input " + shapeText(shape) +
                      " needs a batch, channels and spatial dimensions");
  for (Value parameter : {op.getScale(), op.getBias()})
    if (failed(checkPerChannel(location, "INSTNORM-1", parameter, shape[1])))
      return failure();
  for (Value operand : op.getOperands())
    if (failed(checkFloat(location, "INSTNORM-2", elementType(operand),
                          /*allowF64=*/true)))
      return failure();
  infer(inferred, shape, elementType(op.getInput()));
  return success();
}

Status InstanceNormalizationOp::evaluate(eval::Request &request) {
  const eval::Tensor &in = request.in(0);
  eval::AxisIndex channel(in.shape, 1);
  eval::RowNormalization rows;
  rows.rowLength = eval::stridesOf(in.shape)[1];
  rows.epsilon = getEpsilon().convertToFloat();
  rows.parameter = [&](int64_t i) { return channel(i); };
  return eval::evaluateRowNormalization(request, rows);
}
