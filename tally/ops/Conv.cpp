//===- Conv.cpp - N-dimensional convolution -------------------------------===//

#include "tally/eval/Convolution.h"
#include "tally/ops/Windows.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

static LogicalResult checkElements(MaybeLocation location, ConvOp::Adaptor op) {
  Type input = elementType(op.getInput()), weight = elementType(op.getWeight());
  Type bias = op.getBias() ? elementType(op.getBias()) : Type();
  if (areFactors(input, /*axisA=*/-1, weight, /*axisB=*/0, bias))
    return success();
  return reject(location, "CONV-6",
                "no convolution of " + typeText(input) + " with weights of " +
                    typeText(weight) + addendText(bias));
}

LogicalResult ConvOp::inferReturnTypeComponents(MLIRContext *,
                                                MaybeLocation location,
                                                Adaptor op,
                                                Inferred &inferred) {
  SmallVector<int64_t> shape;
  WindowSizes window{{}, op.getStrides(), op.getPads(), op.getDilations()};
  if (failed(inferConvolution(location, op.getInput(), op.getWeight(), window,
                              op.getGroup(), shape)))
    return failure();
  if (op.getBias() && shapeOf(op.getBias()) != ArrayRef<int64_t>(shape[1]))
    return reject(location, "CONV-5",
                  "bias " + shapeText(shapeOf(op.getBias())) +
                      " must have shape " + Twine(shape[1]));
  if (failed(checkElements(location, op)))
    return failure();
  infer(inferred, shape, elementType(op.getInput()));
  return success();
}

bool ConvOp::hasQuantizedMeaning(ArrayRef<RankedTensorType> operands,
                                 RankedTensorType result) {
  return isQuantizedProduct(operands, result, /*inputAxis=*/-1,
                            /*weightAxis=*/0);
}

Status ConvOp::evaluate(eval::Request &request) {
  ArrayRef<int64_t> weight = getWeight().getType().getShape();
  WindowSizes window{weight.drop_front(2), getStrides(), getPads(),
                     getDilations()};
  return eval::evaluateConvolution(
      request, windowGeometry(request.in(0), request.out(), window),
      getGroup());
}
