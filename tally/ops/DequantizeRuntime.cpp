//===- DequantizeRuntime.cpp - from codes with a scale known when run -----===//

#include "tally/eval/RuntimeQuantization.h"
#include "tally/ops/RuntimeScales.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

static LogicalResult checkElements(MaybeLocation location,
                                   DequantizeRuntimeOp::Adaptor op) {
  auto code = dyn_cast<IntegerType>(elementType(op.getInput()));
  Type scale = elementType(op.getScale());
  bool isScale = scale.isF32() || scale.isF16() || scale.isBF16();
  if (!code || code.getWidth() > 32 || code.getWidth() < 8 || !isScale)
    return reject(location, "RTDQ-1",
                  "cannot dequantize elements of type " +
                      typeText(elementType(op.getInput())) +
                      " with a scale of type " + typeText(scale));
  if (op.getZeroPoint() && elementType(op.getZeroPoint()) != code)
    return reject(location, "RTDQ-3",
                  "zero point of type " +
                      typeText(elementType(op.getZeroPoint())) +
                      " for codes of type " + typeText(code));
  return success();
}

LogicalResult DequantizeRuntimeOp::inferReturnTypeComponents(
    MLIRContext *, MaybeLocation location, Adaptor op, Inferred &inferred) {
  if (failed(checkElements(location, op)) ||
      failed(checkRuntimeScales(location, "RTDQ-2", op.getInput(),
                                op.getScale(), op.getZeroPoint(), op.getAxis(),
                                op.getBlockSize())))
    return failure();
  infer(inferred, shapeOf(op.getInput()), elementType(op.getScale()));
  return success();
}

Status DequantizeRuntimeOp::evaluate(eval::Request &request) {
  return eval::evaluateDequantizeRuntime(request, getAxis(), getBlockSize());
}
