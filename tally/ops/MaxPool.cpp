//===- MaxPool.cpp - largest element of each window -----------------------===//

#include "tally/eval/Pooling.h"
#include "tally/ops/Windows.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

LogicalResult MaxPoolOp::inferReturnTypeComponents(MLIRContext *,
                                                   MaybeLocation location,
                                                   Adaptor op,
                                                   Inferred &inferred) {
  WindowSizes window{op.getKernel(), op.getStrides(), op.getPads(),
                     op.getDilations()};
  return inferPool(location, getOperationName(), op.getInput(), window,
                   op.getCeilMode(), /*allowInteger=*/true, inferred);
}

Status MaxPoolOp::evaluate(eval::Request &request) {
  WindowSizes window{getKernel(), getStrides(), getPads(), getDilations()};
  return eval::evaluateMaxPool(
      request, windowGeometry(request.in(0), request.out(), window));
}
