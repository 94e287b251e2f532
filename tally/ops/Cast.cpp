//===- Cast.cpp - numbers of one type as numbers of another ---------------===//

#include "tally/eval/Cast.h"
#include "tally/ops/Inference.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

LogicalResult CastOp::inferReturnTypeComponents(MLIRContext *, MaybeLocation,
                                                Adaptor adaptor,
                                                Inferred &inferred) {
  infer(inferred, shapeOf(adaptor.getInput()), {});
  return success();
}

LogicalResult CastOp::verify() {
  if (quantizedElement(getInput().getType()) || quantizedElement(getType()))
    return emitOpError() << "cannot cast " << getInput().getType() << " to "
                         << getType() << ", codes have a grid [CAST-2]";
  return success();
}

Status CastOp::evaluate(eval::Request &request) {
  eval::castElements(request.in(0), request.out());
  return Status::success();
}
