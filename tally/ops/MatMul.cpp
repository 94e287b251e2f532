//===- MatMul.cpp - matrix product of the last two dimensions -------------===//

#include "tally/eval/MatrixProduct.h"
#include "tally/ops/Inference.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

static LogicalResult checkElements(MaybeLocation location,
                                   MatMulOp::Adaptor op) {
  Type a = elementType(op.getA()), b = elementType(op.getB());
  if (!isa<QuantizedType>(a) && a == b && !a.isInteger(1))
    return success();
  if (hasGridAlong(a, tensorType(op.getA()).getRank() - 2) &&
      hasGridAlong(b, tensorType(op.getB()).getRank() - 1))
    return success();
  return reject(location, "MATMUL-3",
                "no product of " + typeText(a) + " with " + typeText(b));
}

LogicalResult MatMulOp::inferReturnTypeComponents(MLIRContext *,
                                                  MaybeLocation location,
                                                  Adaptor op,
                                                  Inferred &inferred) {
  SmallVector<int64_t> shape;
  if (failed(inferMatrixProduct(location, "MATMUL-1", "MATMUL-2", op.getA(),
                                op.getB(), shape)) ||
      failed(checkElements(location, op)))
    return failure();
  infer(inferred, shape, elementType(op.getA()));
  return success();
}

bool MatMulOp::hasQuantizedMeaning(ArrayRef<RankedTensorType> operands,
                                   RankedTensorType result) {
  return allPerTensor({}, result) &&
         isQuantizedFactor(operands[0], operands[0].getRank() - 2) &&
         isQuantizedFactor(operands[1], operands[1].getRank() - 1);
}

Status MatMulOp::evaluate(eval::Request &request) {
  return eval::evaluateMatMul(request);
}
