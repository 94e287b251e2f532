//===- IntegerSoftmax.cpp - softmax on codes, in integers -----------------===//

#include "tally/eval/IntegerSoftmax.h"
#include "tally/ops/Normalizations.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

LogicalResult IntegerSoftmaxOp::inferReturnTypeComponents(
    MLIRContext *, MaybeLocation location, Adaptor op, Inferred &inferred) {
  auto codes = dyn_cast<UniformQuantizedType>(elementType(op.getInput()));
  if (failed(checkAxis(location, "ISOFTMAX-1", op.getInput(), op.getAxis())))
    return failure();
  if (!codes || codes.getStorageTypeIntegralWidth() > 8)
    return reject(location, "ISOFTMAX-2",
                  "no integer softmax of " +
                      typeText(elementType(op.getInput())));
  infer(inferred, shapeOf(op.getInput()), codes);
  return success();
}

LogicalResult IntegerSoftmaxOp::verify() {
  if (!isa<UniformQuantizedType>(getType().getElementType()))
    return emitOpError() << "result " << getType()
                         << " is not quantized per tensor [ISOFTMAX-2]";
  return success();
}

Status IntegerSoftmaxOp::evaluate(eval::Request &request) {
  return eval::evaluateIntegerSoftmax(request, getAxis());
}
