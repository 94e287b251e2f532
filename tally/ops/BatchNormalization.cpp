//===- BatchNormalization.cpp - by given statistics per channel -----------===//

#include "tally/eval/Normalization.h"
#include "tally/ops/Normalizations.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

LogicalResult BatchNormalizationOp::inferReturnTypeComponents(
    MLIRContext *, MaybeLocation location, Adaptor op, Inferred &inferred) {
  ArrayRef<int64_t> shape = shapeOf(op.getInput());
  int64_t channels = shape.size() > 1 ? shape[1] : 1;
  for (Value parameter : op.getOperands().drop_front())
    if (failed(checkPerChannel(location, "BATCHNORM-1", parameter, channels)))
      return failure();
  for (Value operand : op.getOperands())
    if (failed(checkFloat(location, "BATCHNORM-2", elementType(operand),
                          /*allowF64=*/true)))
      return failure();
  infer(inferred, shape, elementType(op.getInput()));
  return success();
}

Status BatchNormalizationOp::evaluate(eval::Request &request) {
  return eval::evaluateBatchNormalization(request,
                                          getEpsilon().convertToFloat());
}
