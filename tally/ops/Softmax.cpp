//===- Softmax.cpp - exp(x) over its sum along an axis --------------------===//

#include "tally/eval/Normalization.h"
#include "tally/ops/Normalizations.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

LogicalResult SoftmaxOp::inferReturnTypeComponents(MLIRContext *,
                                                   MaybeLocation location,
                                                   Adaptor op,
                                                   Inferred &inferred) {
  Type element = elementType(op.getInput());
  if (failed(checkAxis(location, "SOFTMAX-1", op.getInput(), op.getAxis())) ||
      failed(checkFloat(location, "SOFTMAX-2", element, /*allowF64=*/false)))
    return failure();
  infer(inferred, shapeOf(op.getInput()), element);
  return success();
}

Status SoftmaxOp::evaluate(eval::Request &request) {
  return eval::evaluateSoftmax(request, getAxis(), /*logarithm=*/false);
}
