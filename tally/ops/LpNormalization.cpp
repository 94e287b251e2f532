//===- LpNormalization.cpp - x over its norm along an axis ----------------===//

#include "tally/eval/Normalization.h"
#include "tally/ops/Normalizations.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

LogicalResult LpNormalizationOp::inferReturnTypeComponents(
    MLIRContext *, MaybeLocation location, Adaptor op, Inferred &inferred) {
  Type element = elementType(op.getInput());
  if (failed(checkAxis(location, "LPNORM-1", op.getInput(), op.getAxis())) ||
      failed(checkFloat(location, "LPNORM-2", element, /*allowF64=*/true)))
    return failure();
  if (op.getP() != 1 && op.getP() != 2)
    return reject(location, "LPNORM-3",
                  "there is no normalization with p = " + Twine(op.getP()));
  infer(inferred, shapeOf(op.getInput()), element);
  return success();
}

Status LpNormalizationOp::evaluate(eval::Request &request) {
  return eval::evaluateLpNormalization(request, getAxis(), getP());
}
