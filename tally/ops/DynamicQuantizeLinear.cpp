//===- DynamicQuantizeLinear.cpp - a grid from a tensor's own range -------===//

#include "tally/eval/RuntimeQuantization.h"
#include "tally/ops/Inference.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

LogicalResult DynamicQuantizeLinearOp::inferReturnTypeComponents(
    MLIRContext *context, MaybeLocation location, Adaptor op,
    Inferred &inferred) {
  Type element = elementType(op.getInput());
  if (!element.isF32())
    return reject(location, "DYNQ-1",
                  "cannot quantize elements of type " + typeText(element));
  Type code = IntegerType::get(context, 8, IntegerType::Unsigned);
  infer(inferred, shapeOf(op.getInput()), code);
  infer(inferred, {}, element);
  infer(inferred, {}, code);
  return success();
}

Status DynamicQuantizeLinearOp::evaluate(eval::Request &request) {
  return eval::evaluateDynamicQuantize(request);
}
