//===- Lrn.cpp - local response normalization -----------------------------===//

#include "tally/eval/Normalization.h"
#include "tally/ops/Normalizations.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

LogicalResult LrnOp::inferReturnTypeComponents(MLIRContext *,
                                               MaybeLocation location,
                                               Adaptor op, Inferred &inferred) {
  ArrayRef<int64_t> shape = shapeOf(op.getInput());
  Type element = elementType(op.getInput());
  if (shape.size() < 3 || static_cast<int64_t>(op.getSize()) < 1)
    return reject(location, "LRN-1",
                  "no normalization across " + Twine(op.getSize()) +
                      " channels of " + shapeText(shape));
  if (failed(checkFloat(location, "LRN-2", element, /*allowF64=*/false)))
    return failure();
  infer(inferred, shape, element);
  return success();
}

Status LrnOp::evaluate(eval::Request &request) {
  eval::LrnMeaning meaning{
      static_cast<int64_t>(getSize()), getAlpha().convertToFloat(),
      getBeta().convertToFloat(), getBias().convertToFloat()};
  return eval::evaluateLrn(request, meaning);
}
