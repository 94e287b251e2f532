//===- Quantize.cpp - real numbers to codes -------------------------------===//

#include "tally/ops/Inference.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace tally;
using namespace tally::nn;

LogicalResult QuantizeOp::inferReturnTypeComponents(MLIRContext *,
                                                    MaybeLocation location,
                                                    Adaptor adaptor,
                                                    Inferred &inferred) {
  Type element = elementType(adaptor.getInput());
  if (!element.isF32() && !element.isF16() && !element.isBF16() &&
      !element.isSignlessInteger(32))
    return reject(location, "QUANT-1",
                  "cannot quantize elements of type " + typeText(element));
  infer(inferred, shapeOf(adaptor.getInput()), {});
  return success();
}

LogicalResult QuantizeOp::verify() {
  if (!quantizedElement(getType()))
    return emitOpError() << "result " << getType()
                         << " is not quantized [QUANT-2]";
  return success();
}

/// ONNX's formula: the division is fp32, RHE, then the zero point; NaN gives
/// the smallest code.
static int64_t quantize(float x, const eval::Quantization &grid,
                        int64_t channel) {
  float quotient = x / grid.scale(channel);
  if (std::isnan(quotient))
    return grid.qmin;
  double code = std::nearbyint(static_cast<double>(quotient)) +
                static_cast<double>(grid.zeroPoint(channel));
  return static_cast<int64_t>(std::clamp(code, static_cast<double>(grid.qmin),
                                         static_cast<double>(grid.qmax)));
}

Status QuantizeOp::evaluate(eval::Request &request) {
  const eval::Tensor &in = request.in(0);
  eval::Tensor &out = request.out();
  eval::AxisIndex channel(out.shape, out.quant->axis);
  bool isFloat = eval::isFloat(in.element);
  for (int64_t i = 0, e = in.count(); i < e; ++i) {
    float x = isFloat ? static_cast<float>(eval::loadFloat(in, i))
                      : static_cast<float>(eval::loadInt(in, i));
    eval::storeInt(out, i, quantize(x, *out.quant, channel(i)));
  }
  return Status::success();
}
