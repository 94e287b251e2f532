//===- MatMulInteger.cpp - 8-bit matrix product in 32 bits ----------------===//

#include "tally/eval/MatrixProduct.h"
#include "tally/ops/Inference.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

/// `inner` is the dimension that the zero points do not have.
static LogicalResult checkZeroPoint(MaybeLocation location, StringRef name,
                                    Value operand, Value zeroPoint,
                                    int64_t inner) {
  if (!isPlainByte(elementType(operand)))
    return reject(location, "MATMULI-3",
                  name + " of type " + typeText(elementType(operand)) +
                      " is not int8 or uint8");
  if (!zeroPoint)
    return success();
  if (elementType(zeroPoint) != elementType(operand))
    return reject(location, "MATMULI-3",
                  "zero point of type " + typeText(elementType(zeroPoint)) +
                      " for " + name + " of type " +
                      typeText(elementType(operand)));
  SmallVector<int64_t> full(shapeOf(operand));
  auto last = static_cast<int64_t>(full.size()) - 1;
  SmallVector<int64_t> single = {full[inner == last ? last - 1 : last]};
  full[inner] = 1;
  ArrayRef<int64_t> shape = shapeOf(zeroPoint);
  if (tensorType(zeroPoint).getNumElements() == 1 ||
      shape == ArrayRef<int64_t>(single) || shape == ArrayRef<int64_t>(full))
    return success();
  return reject(location, "MATMULI-4",
                "zero points " + shapeText(shape) + " of " + name + " " +
                    shapeText(shapeOf(operand)) + " must be one, " +
                    shapeText(single) + " or " + shapeText(full));
}

LogicalResult MatMulIntegerOp::inferReturnTypeComponents(MLIRContext *context,
                                                         MaybeLocation location,
                                                         Adaptor op,
                                                         Inferred &inferred) {
  SmallVector<int64_t> shape;
  if (failed(inferMatrixProduct(location, "MATMULI-1", "MATMULI-2",
                                {op.getA(), op.getTransA()},
                                {op.getB(), op.getTransB()}, shape)))
    return failure();
  // K is a column of a' and a row of b'.
  int64_t rankA = tensorType(op.getA()).getRank();
  int64_t rankB = tensorType(op.getB()).getRank();
  if (failed(checkZeroPoint(location, "a", op.getA(), op.getAZeroPoint(),
                            columnAxis(rankA, op.getTransA()))) ||
      failed(checkZeroPoint(location, "b", op.getB(), op.getBZeroPoint(),
                            rowAxis(rankB, op.getTransB()))))
    return failure();
  infer(inferred, shape, IntegerType::get(context, 32));
  return success();
}

Status MatMulIntegerOp::evaluate(eval::Request &request) {
  return eval::evaluateMatMulInteger(request, {getTransA(), getTransB()});
}
