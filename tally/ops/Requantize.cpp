//===- Requantize.cpp - the same reals on another grid --------------------===//

#include "tally/eval/Elementwise.h"
#include "tally/ops/Inference.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

LogicalResult RequantizeOp::inferReturnTypeComponents(MLIRContext *,
                                                      MaybeLocation,
                                                      Adaptor adaptor,
                                                      Inferred &inferred) {
  infer(inferred, shapeOf(adaptor.getInput()), {});
  return success();
}

LogicalResult RequantizeOp::verify() {
  if (!allPerTensor({getInput().getType()}, getType()))
    return emitOpError() << "cannot move " << getInput().getType() << " to "
                         << getType() << " [REQ-1]";
  return success();
}

tally::quant::UnaryFunction RequantizeOp::unaryFunction() {
  return {tally::quant::UnaryKind::Identity};
}

Status RequantizeOp::evaluate(eval::Request &request) {
  eval::requantize(request.in(0), request.out(), request.profile);
  return Status::success();
}
