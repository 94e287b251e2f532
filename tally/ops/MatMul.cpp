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
  int64_t rankA = tensorType(op.getA()).getRank();
  int64_t rankB = tensorType(op.getB()).getRank();
  if (hasGridAlong(a, rowAxis(rankA, op.getTransA())) &&
      hasGridAlong(b, columnAxis(rankB, op.getTransB())))
    return success();
  return reject(location, "MATMUL-3",
                "no product of " + typeText(a) + " with " + typeText(b));
}

LogicalResult MatMulOp::inferReturnTypeComponents(MLIRContext *,
                                                  MaybeLocation location,
                                                  Adaptor op,
                                                  Inferred &inferred) {
  SmallVector<int64_t> shape;
  if (failed(inferMatrixProduct(location, "MATMUL-1", "MATMUL-2",
                                {op.getA(), op.getTransA()},
                                {op.getB(), op.getTransB()}, shape)) ||
      failed(checkElements(location, op)))
    return failure();
  infer(inferred, shape, elementType(op.getA()));
  return success();
}

bool MatMulOp::hasQuantizedMeaning(ArrayRef<RankedTensorType> operands,
                                   RankedTensorType result) {
  return allPerTensor({}, result) &&
         isQuantizedFactor(operands[0],
                           rowAxis(operands[0].getRank(), getTransA())) &&
         isQuantizedFactor(operands[1],
                           columnAxis(operands[1].getRank(), getTransB()));
}

Status MatMulOp::evaluate(eval::Request &request) {
  return eval::evaluateMatMul(request, {getTransA(), getTransB()});
}
