//===- StorageCast.cpp - codes as plain integers and back -----------------===//

#include "tally/ops/Inference.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

LogicalResult StorageCastOp::inferReturnTypeComponents(MLIRContext *,
                                                       MaybeLocation,
                                                       Adaptor adaptor,
                                                       Inferred &inferred) {
  infer(inferred, shapeOf(adaptor.getInput()), {});
  return success();
}

LogicalResult StorageCastOp::verify() {
  if (storageType(getInput().getType()) != storageType(getType()))
    return emitOpError() << "cannot read " << getInput().getType() << " as "
                         << getType() << " [CAST-1]";
  return success();
}

Status StorageCastOp::evaluate(eval::Request &request) {
  request.out().storage = request.in(0).storage;
  return Status::success();
}
