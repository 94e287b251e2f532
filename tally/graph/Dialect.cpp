//===- Dialect.cpp - checks shared by all nn operators --------------------===//

#include "tally/graph/Dialect.h"
#include "tally/graph/Interfaces.h"
#include "tally/graph/Types.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

#include "tally/graph/Interfaces.cpp.inc"

static bool isPerTensor(RankedTensorType type) {
  if (!type)
    return false;
  auto quantized = dyn_cast<UniformQuantizedType>(type.getElementType());
  return quantized && quantized.getStorageTypeIntegralWidth() <= 16;
}

bool tally::nn::allPerTensor(ArrayRef<RankedTensorType> operands,
                             RankedTensorType result) {
  return isPerTensor(result) && llvm::all_of(operands, isPerTensor);
}

static LogicalResult verifyTensors(Operation *op, TypeRange types,
                                   StringRef what) {
  for (auto [index, type] : llvm::enumerate(types)) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      continue;
    auto emit = [&, index = index]() {
      return op->emitOpError() << what << " " << index << ": ";
    };
    if (failed(verifyQuantizedTensor(tensor, emit)))
      return failure();
    if (!elementOf(tensor.getElementType()))
      return emit() << "element type " << tensor.getElementType()
                    << " has no executor [NN-3]";
  }
  return success();
}

LogicalResult
tally::nn::verifyInferred(Operation *op,
                          ArrayRef<ShapedTypeComponents> inferred) {
  if (failed(verifyTensors(op, op->getOperandTypes(), "operand")) ||
      failed(verifyTensors(op, op->getResultTypes(), "result")))
    return failure();
  assert(inferred.size() == op->getNumResults() && "ODS fixes the results");
  for (auto [result, expected] : llvm::zip(op->getResults(), inferred)) {
    auto type = cast<RankedTensorType>(result.getType());
    if (!llvm::equal(type.getShape(), expected.getDims()))
      return op->emitOpError()
             << "result shape [" << type.getShape() << "] is not the inferred ["
             << expected.getDims() << "] [NN-1]";
    Type element = expected.getElementType();
    bool anyQuantized =
        quantizedElement(type) || isa_and_nonnull<QuantizedType>(element);
    if (element && !anyQuantized && type.getElementType() != element)
      return op->emitOpError()
             << "result element type " << type.getElementType()
             << " is not the inferred " << element << " [NN-2]";
  }
  return success();
}
