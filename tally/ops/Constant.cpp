//===- Constant.cpp - a constant tensor -----------------------------------===//

#include "tally/ops/Inference.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

LogicalResult ConstantOp::inferReturnTypeComponents(MLIRContext *,
                                                    MaybeLocation,
                                                    Adaptor adaptor,
                                                    Inferred &inferred) {
  auto type = cast<ShapedType>(adaptor.getValue().getType());
  infer(inferred, type.getShape(), type.getElementType());
  return success();
}

static LogicalResult verifyCodes(ConstantOp op, QuantizedType type) {
  eval::Tensor tensor = hostTensor(op.getValue(), op.getType());
  for (int64_t i = 0, e = tensor.count(); i < e; ++i) {
    int64_t code = eval::loadInt(tensor, i);
    if (code < type.getStorageTypeMin() || code > type.getStorageTypeMax())
      return op.emitOpError()
             << "code " << code << " at element " << i << " is outside ["
             << type.getStorageTypeMin() << ", " << type.getStorageTypeMax()
             << "] [CONST-2]";
  }
  return success();
}

LogicalResult ConstantOp::verify() {
  auto value = cast<RankedTensorType>(getValue().getType());
  if (value != storageType(getType()))
    return emitOpError() << "value of type " << value << " cannot be a "
                         << getType() << " [CONST-1]";
  auto quantized = quantizedElement(getType());
  if (quantized && quantized.getStorageTypeIntegralWidth() < 8)
    return verifyCodes(*this, quantized);
  return success();
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

Status ConstantOp::evaluate(eval::Request &request) {
  request.out() = hostTensor(getValue(), getType());
  return Status::success();
}
