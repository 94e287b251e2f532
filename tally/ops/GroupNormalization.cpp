//===- GroupNormalization.cpp - each group of channels --------------------===//

#include "tally/eval/Normalization.h"
#include "tally/ops/Normalizations.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

LogicalResult GroupNormalizationOp::inferReturnTypeComponents(
    MLIRContext *, MaybeLocation location, Adaptor op, Inferred &inferred) {
  ArrayRef<int64_t> shape = shapeOf(op.getInput());
  int64_t groups = op.getNumGroups();
  if (shape.size() < 2 || groups < 1 || shape[1] % groups)
    return reject(location, "GROUPNORM-1",
                  Twine(groups) + " groups do not divide the channels of " +
                      shapeText(shape));
  bool perGroup = shapeOf(op.getScale()) == ArrayRef<int64_t>(groups);
  for (Value parameter : {op.getScale(), op.getBias()})
    if (failed(checkPerChannel(location, "GROUPNORM-2", parameter,
                               perGroup ? groups : shape[1])))
      return failure();
  for (Value operand : op.getOperands())
    if (failed(checkFloat(location, "GROUPNORM-3", elementType(operand),
                          /*allowF64=*/true)))
      return failure();
  infer(inferred, shape, elementType(op.getInput()));
  return success();
}

Status GroupNormalizationOp::evaluate(eval::Request &request) {
  const eval::Tensor &in = request.in(0);
  int64_t channelsPerGroup = in.shape[1] / getNumGroups();
  bool perGroup = request.in(1).count() * channelsPerGroup == in.shape[1];
  eval::AxisIndex channel(in.shape, 1);
  eval::RowNormalization rows;
  rows.rowLength = eval::stridesOf(in.shape)[1] * channelsPerGroup;
  rows.epsilon = getEpsilon().convertToFloat();
  rows.parameter = [&](int64_t i) {
    return perGroup ? channel(i) / channelsPerGroup : channel(i);
  };
  return eval::evaluateRowNormalization(request, rows);
}
