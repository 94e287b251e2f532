//===- TopK.cpp - the k largest or smallest elements ----------------------===//

#include "tally/eval/Reduction.h"
#include "tally/ops/Inference.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

LogicalResult TopKOp::inferReturnTypeComponents(MLIRContext *context,
                                                MaybeLocation location,
                                                Adaptor op,
                                                Inferred &inferred) {
  SmallVector<int64_t> shape(shapeOf(op.getInput()));
  int64_t axis = op.getAxis(), k = op.getK();
  if (axis < 0 || axis >= static_cast<int64_t>(shape.size()) || k < 0 ||
      k > shape[axis])
    return reject(location, "TOPK-1",
                  "no " + Twine(k) + " elements along axis " + Twine(axis) +
                      " of " + shapeText(shape));
  Type element = elementType(op.getInput());
  if (isa<UniformQuantizedPerAxisType>(element) || element.isInteger(1))
    return reject(location, "TOPK-2", "no order on " + typeText(element));
  shape[axis] = k;
  infer(inferred, shape, element);
  infer(inferred, shape, IntegerType::get(context, 64));
  return success();
}

Status TopKOp::evaluate(eval::Request &request) {
  return eval::evaluateTopK(request, getAxis(), getLargest());
}
