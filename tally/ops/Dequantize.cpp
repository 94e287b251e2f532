//===- Dequantize.cpp - codes to real numbers -----------------------------===//

#include "tally/ops/Inference.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

LogicalResult DequantizeOp::inferReturnTypeComponents(MLIRContext *context,
                                                      MaybeLocation location,
                                                      Adaptor adaptor,
                                                      Inferred &inferred) {
  if (!quantizedElement(tensorType(adaptor.getInput())))
    return reject(location, "DEQ-1", "the input is not quantized");
  infer(inferred, shapeOf(adaptor.getInput()), Float32Type::get(context));
  return success();
}

Status DequantizeOp::evaluate(eval::Request &request) {
  const eval::Tensor &in = request.in(0);
  eval::Tensor &out = request.out();
  eval::AxisIndex channel(in.shape, in.quant->axis);
  for (int64_t i = 0, e = in.count(); i < e; ++i) {
    int64_t c = channel(i);
    auto steps =
        static_cast<float>(eval::loadInt(in, i) - in.quant->zeroPoint(c));
    eval::storeFloat(out, i, steps * in.quant->scale(c));
  }
  return Status::success();
}
