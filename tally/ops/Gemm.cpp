//===- Gemm.cpp - alpha * A' * B' + beta * C ------------------------------===//

#include "tally/eval/MatrixProduct.h"
#include "tally/ops/Inference.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

static LogicalResult checkElements(MaybeLocation location, GemmOp::Adaptor op) {
  Type a = elementType(op.getA()), b = elementType(op.getB());
  Type c = op.getC() ? elementType(op.getC()) : Type();
  if (areFactors(a, op.getTransA() ? 1 : 0, b, op.getTransB() ? 0 : 1, c))
    return success();
  return reject(location, "GEMM-3",
                "no product of " + typeText(a) + " with " + typeText(b) +
                    addendText(c));
}

LogicalResult GemmOp::inferReturnTypeComponents(MLIRContext *,
                                                MaybeLocation location,
                                                Adaptor op,
                                                Inferred &inferred) {
  ArrayRef<int64_t> a = shapeOf(op.getA()), b = shapeOf(op.getB());
  bool isMatrix = a.size() == 2 && b.size() == 2;
  if (!isMatrix || a[op.getTransA() ? 0 : 1] != b[op.getTransB() ? 1 : 0])
    return reject(location, "GEMM-1",
                  "cannot multiply " + factorText({op.getA(), op.getTransA()}) +
                      " by " + factorText({op.getB(), op.getTransB()}));
  SmallVector<int64_t> shape = {a[op.getTransA() ? 1 : 0],
                                b[op.getTransB() ? 0 : 1]};
  if (op.getC() && broadcast(shape, shapeOf(op.getC())) != shape)
    return reject(location, "GEMM-2",
                  "C of shape " + shapeText(shapeOf(op.getC())) +
                      " does not broadcast to " + shapeText(shape));
  if (failed(checkElements(location, op)))
    return failure();
  infer(inferred, shape, elementType(op.getA()));
  return success();
}

bool GemmOp::hasQuantizedMeaning(ArrayRef<RankedTensorType> operands,
                                 RankedTensorType result) {
  return isQuantizedProduct(operands, result,
                            /*inputAxis=*/getTransA() ? 1 : 0,
                            /*weightAxis=*/getTransB() ? 0 : 1);
}

Status GemmOp::evaluate(eval::Request &request) {
  eval::GemmMeaning meaning{getTransA(), getTransB(),
                            getAlpha().convertToFloat(),
                            getBeta().convertToFloat()};
  return eval::evaluateGemm(request, meaning);
}
