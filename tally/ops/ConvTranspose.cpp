//===- ConvTranspose.cpp - N-dimensional transposed convolution -----------===//

#include "tally/eval/Convolution.h"
#include "tally/ops/Windows.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

static LogicalResult checkShapes(MaybeLocation location,
                                 ConvTransposeOp::Adaptor op) {
  ArrayRef<int64_t> input = shapeOf(op.getInput());
  ArrayRef<int64_t> weight = shapeOf(op.getWeight());
  if (input.size() != weight.size() || input.size() < 3)
    return reject(location, "CONVT-1",
                  "input " + shapeText(input) + " and weight " +
                      shapeText(weight) + " must have one rank, at least 3");
  int64_t group = op.getGroup();
  if (group < 1 || input[1] != weight[0] || weight[0] % group)
    return reject(location, "CONVT-2",
                  "weight " + shapeText(weight) + " with " + Twine(group) +
                      " groups does not fit " + Twine(input[1]) +
                      " input channels");
  int64_t outputs = weight[1] * group;
  if (op.getBias() && shapeOf(op.getBias()) != ArrayRef<int64_t>(outputs))
    return reject(location, "CONVT-5",
                  "bias " + shapeText(shapeOf(op.getBias())) +
                      " must have shape " + Twine(outputs));
  return success();
}

static LogicalResult checkAttributes(MaybeLocation location,
                                     ConvTransposeOp::Adaptor op) {
  ArrayRef<int64_t> weight = shapeOf(op.getWeight());
  size_t n = weight.size() - 2;
  WindowSizes window{weight.drop_front(2), op.getStrides(), op.getPads(),
                     op.getDilations()};
  if (failed(checkWindow(location, "CONVT-3", n, window)))
    return failure();
  ArrayRef<int64_t> padding = op.getOutputPadding();
  bool fits = padding.size() == n;
  for (size_t d = 0; fits && d < n; ++d)
    fits = padding[d] >= 0 &&
           padding[d] < std::max(op.getStrides()[d], op.getDilations()[d]);
  if (!fits)
    return reject(location, "CONVT-3",
                  "outputPadding needs " + Twine(n) +
                      " entries in [0, max(stride, dilation))");
  return success();
}

static LogicalResult checkElements(MaybeLocation location,
                                   ConvTransposeOp::Adaptor op) {
  Type input = elementType(op.getInput()), weight = elementType(op.getWeight());
  Type bias = op.getBias() ? elementType(op.getBias()) : Type();
  if (areFactors(input, /*axisA=*/-1, weight, /*axisB=*/1, bias))
    return success();
  return reject(location, "CONVT-6",
                "no transposed convolution of " + typeText(input) +
                    " with weights of " + typeText(weight) + addendText(bias));
}

LogicalResult ConvTransposeOp::inferReturnTypeComponents(MLIRContext *,
                                                         MaybeLocation location,
                                                         Adaptor op,
                                                         Inferred &inferred) {
  if (failed(checkShapes(location, op)) ||
      failed(checkAttributes(location, op)) ||
      failed(checkElements(location, op)))
    return failure();
  ArrayRef<int64_t> input = shapeOf(op.getInput());
  ArrayRef<int64_t> weight = shapeOf(op.getWeight());
  size_t n = input.size() - 2;
  auto group = static_cast<int64_t>(op.getGroup());
  SmallVector<int64_t> shape = {input[0], weight[1] * group};
  for (size_t d = 0; d < n; ++d) {
    int64_t size = op.getStrides()[d] * (input[d + 2] - 1) +
                   op.getOutputPadding()[d] +
                   op.getDilations()[d] * (weight[d + 2] - 1) + 1 -
                   op.getPads()[d] - op.getPads()[n + d];
    if (size < 1)
      return reject(location, "CONVT-4",
                    "nothing is left of spatial dimension " + Twine(d) +
                        " of input " + shapeText(input));
    shape.push_back(size);
  }
  infer(inferred, shape, elementType(op.getInput()));
  return success();
}

bool ConvTransposeOp::hasQuantizedMeaning(ArrayRef<RankedTensorType> operands,
                                          RankedTensorType result) {
  return isQuantizedProduct(operands, result, /*inputAxis=*/-1,
                            /*weightAxis=*/1);
}

Status ConvTransposeOp::evaluate(eval::Request &request) {
  ArrayRef<int64_t> kernel = getWeight().getType().getShape().drop_front(2);
  SmallVector<int64_t> ones(kernel.size(), 1), pads(2 * kernel.size(), 0);
  for (size_t d = 0; d < kernel.size(); ++d)
    pads[d] = getDilations()[d] * (kernel[d] - 1) - getPads()[d];
  eval::WindowGeometry geometry =
      windowGeometry(request.in(0), request.out(),
                     WindowSizes{kernel, ones, pads, getDilations()});
  geometry.spread.assign(getStrides().begin(), getStrides().end());

  eval::Tensor weight = eval::transposedWeight(request.in(1), getGroup());
  eval::Request direct = request;
  direct.inputs[1] = &weight;
  Status status = eval::evaluateConvolution(direct, geometry, getGroup());
  request.results = std::move(direct.results);
  return status;
}
