//===- AveragePool.cpp - mean of each window ------------------------------===//

#include "tally/eval/Pooling.h"
#include "tally/ops/Windows.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

LogicalResult AveragePoolOp::inferReturnTypeComponents(MLIRContext *,
                                                       MaybeLocation location,
                                                       Adaptor op,
                                                       Inferred &inferred) {
  WindowSizes window{op.getKernel(), op.getStrides(), op.getPads(),
                     op.getDilations()};
  return inferPool(location, getOperationName(), op.getInput(), window,
                   op.getCeilMode(), /*allowInteger=*/false, inferred);
}

Status AveragePoolOp::evaluate(eval::Request &request) {
  WindowSizes window{getKernel(), getStrides(), getPads(), getDilations()};
  return eval::evaluateAveragePool(
      request, windowGeometry(request.in(0), request.out(), window),
      getCountIncludePad());
}
