//===- Conv.cpp - N-dimensional convolution -------------------------------===//

#include "tally/eval/Convolution.h"
#include "tally/ops/Inference.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

static LogicalResult checkShapes(MaybeLocation location, ConvOp::Adaptor op) {
  ArrayRef<int64_t> input = shapeOf(op.getInput());
  ArrayRef<int64_t> weight = shapeOf(op.getWeight());
  if (input.size() != weight.size() || input.size() < 3)
    return reject(location, "CONV-1",
                  "input " + shapeText(input) + " and weight " +
                      shapeText(weight) + " must have one rank, at least 3");
  int64_t group = op.getGroup();
  if (group < 1 || input[1] != weight[1] * group || weight[0] % group)
    return reject(location, "CONV-2",
                  "weight " + shapeText(weight) + " with " + Twine(group) +
                      " groups needs " + Twine(weight[1] * group) +
                      " input channels, found " + Twine(input[1]));
  size_t n = input.size() - 2;
  auto positive = [](int64_t value) { return value > 0; };
  if (op.getStrides().size() != n || op.getDilations().size() != n ||
      op.getPads().size() != 2 * n ||
      !llvm::all_of(op.getStrides(), positive) ||
      !llvm::all_of(op.getDilations(), positive))
    return reject(location, "CONV-3",
                  "strides, dilations and pads need " + Twine(n) + ", " +
                      Twine(n) + " and " + Twine(2 * n) +
                      " entries, strides and dilations positive");
  if (op.getBias() && shapeOf(op.getBias()) != weight.take_front(1))
    return reject(location, "CONV-5",
                  "bias " + shapeText(shapeOf(op.getBias())) +
                      " must have shape " + Twine(weight[0]));
  return success();
}

static LogicalResult checkElements(MaybeLocation location, ConvOp::Adaptor op) {
  Type input = elementType(op.getInput()), weight = elementType(op.getWeight());
  if (isa<FloatType>(input) && input == weight)
    return success();
  auto axis = dyn_cast<UniformQuantizedPerAxisType>(weight);
  if (isa<UniformQuantizedType>(input) &&
      (isa<UniformQuantizedType>(weight) ||
       (axis && axis.getQuantizedDimension() == 0)))
    return success();
  return reject(location, "CONV-6",
                "no convolution of " + typeText(input) + " with weights of " +
                    typeText(weight));
}

LogicalResult ConvOp::inferReturnTypeComponents(MLIRContext *,
                                                MaybeLocation location,
                                                Adaptor op,
                                                Inferred &inferred) {
  if (failed(checkShapes(location, op)) || failed(checkElements(location, op)))
    return failure();
  ArrayRef<int64_t> input = shapeOf(op.getInput());
  ArrayRef<int64_t> weight = shapeOf(op.getWeight());
  size_t n = input.size() - 2;
  SmallVector<int64_t> shape = {input[0], weight[0]};
  for (size_t d = 0; d < n; ++d) {
    int64_t span = input[d + 2] + op.getPads()[d] + op.getPads()[n + d] -
                   op.getDilations()[d] * (weight[d + 2] - 1) - 1;
    if (span < 0)
      return reject(location, "CONV-4",
                    "the window does not fit in spatial dimension " + Twine(d) +
                        " of input " + shapeText(input));
    shape.push_back(span / op.getStrides()[d] + 1);
  }
  infer(inferred, shape, elementType(op.getInput()));
  return success();
}

bool ConvOp::hasQuantizedMeaning(ArrayRef<RankedTensorType> operands,
                                 RankedTensorType result) {
  return isQuantizedProduct(operands, result, /*weightAxis=*/0);
}

Status ConvOp::evaluate(eval::Request &request) {
  auto spatial = [](const eval::Tensor &tensor) {
    return eval::Shape(tensor.shape.begin() + 2, tensor.shape.end());
  };
  auto list = [](ArrayRef<int64_t> values) {
    return eval::Shape(values.begin(), values.end());
  };
  eval::WindowGeometry geometry{spatial(request.in(0)), spatial(request.out()),
                                spatial(request.in(1)), list(getStrides()),
                                list(getPads()),        list(getDilations())};
  return eval::evaluateConvolution(request, geometry, getGroup());
}
