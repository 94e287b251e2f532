//===- ConvInteger.cpp - 8-bit convolution in 32 bits ---------------------===//

#include "tally/eval/Convolution.h"
#include "tally/ops/Windows.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

static LogicalResult checkZeroPoint(MaybeLocation location, Value operand,
                                    Value zeroPoint, int64_t channels) {
  Type element = elementType(operand);
  if (!isPlainByte(element) || (zeroPoint && elementType(zeroPoint) != element))
    return reject(location, "CONVI-1",
                  "no integer convolution of " + typeText(element) +
                      (zeroPoint ? " with zero points of " +
                                       typeText(elementType(zeroPoint))
                                 : std::string()));
  if (!zeroPoint || tensorType(zeroPoint).getNumElements() == 1 ||
      shapeOf(zeroPoint) == ArrayRef<int64_t>(channels))
    return success();
  return reject(
      location, "CONVI-2",
      "zero points " + shapeText(shapeOf(zeroPoint)) + " must be one number" +
          (channels > 1 ? " or " + std::to_string(channels) : std::string()));
}

LogicalResult ConvIntegerOp::inferReturnTypeComponents(MLIRContext *context,
                                                       MaybeLocation location,
                                                       Adaptor op,
                                                       Inferred &inferred) {
  SmallVector<int64_t> shape;
  WindowSizes window{{}, op.getStrides(), op.getPads(), op.getDilations()};
  if (failed(inferConvolution(location, op.getInput(), op.getWeight(), window,
                              op.getGroup(), shape)) ||
      failed(
          checkZeroPoint(location, op.getInput(), op.getInputZeroPoint(), 1)) ||
      failed(checkZeroPoint(location, op.getWeight(), op.getWeightZeroPoint(),
                            shape[1])))
    return failure();
  infer(inferred, shape, IntegerType::get(context, 32));
  return success();
}

Status ConvIntegerOp::evaluate(eval::Request &request) {
  ArrayRef<int64_t> weight = getWeight().getType().getShape();
  WindowSizes window{weight.drop_front(2), getStrides(), getPads(),
                     getDilations()};
  return eval::evaluateConvolutionInteger(
      request, windowGeometry(request.in(0), request.out(), window),
      getGroup());
}
