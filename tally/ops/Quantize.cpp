//===- Quantize.cpp - real numbers to codes -------------------------------===//

#include "tally/eval/RuntimeQuantization.h"
#include "tally/ops/Inference.h"

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

/// `value` as `cell`, one element of a float type, can hold it.
static float roundedTo(eval::Tensor &cell, float value) {
  eval::storeFloat(cell, 0, value);
  return static_cast<float>(eval::loadFloat(cell, 0));
}

Status QuantizeOp::evaluate(eval::Request &request) {
  const eval::Tensor &in = request.in(0);
  eval::Tensor &out = request.out();
  eval::AxisIndex channel(out.shape, out.quant->axis);
  bool isFloat = eval::isFloat(in.element);
  eval::Tensor quotient{{}, isFloat ? in.element : eval::Element::F32};
  quotient.allocate();
  for (int64_t i = 0, e = in.count(); i < e; ++i) {
    float x = isFloat ? static_cast<float>(eval::loadFloat(in, i))
                      : static_cast<float>(eval::loadInt(in, i));
    int64_t c = channel(i);
    eval::storeInt(
        out, i,
        eval::quantizeQuotient(roundedTo(quotient, x / out.quant->scale(c)),
                               out.quant->zeroPoint(c), out.quant->qmin,
                               out.quant->qmax));
  }
  return Status::success();
}
