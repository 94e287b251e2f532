//===- MaxPoolIndices.cpp - where the largest element is ------------------===//

#include "tally/eval/Pooling.h"
#include "tally/ops/Windows.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

LogicalResult
MaxPoolIndicesOp::inferReturnTypeComponents(MLIRContext *context,
                                            MaybeLocation location, Adaptor op,
                                            Inferred &inferred) {
  WindowSizes window{op.getKernel(), op.getStrides(), op.getPads(),
                     op.getDilations()};
  SmallVector<ShapedTypeComponents, 1> pooled;
  if (failed(inferPool(location, getOperationName(), op.getInput(), window,
                       op.getCeilMode(), /*allowInteger=*/true, pooled)))
    return failure();
  infer(inferred, pooled[0].getDims(), IntegerType::get(context, 64));
  return success();
}

Status MaxPoolIndicesOp::evaluate(eval::Request &request) {
  WindowSizes window{getKernel(), getStrides(), getPads(), getDilations()};
  return eval::evaluateMaxPoolIndices(
      request, windowGeometry(request.in(0), request.out(), window),
      getColumnMajor());
}
