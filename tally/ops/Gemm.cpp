//===- Gemm.cpp - alpha * A' * B' + beta * C ------------------------------===//

#include "tally/eval/MatrixProduct.h"
#include "tally/ops/Inference.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

/// Whether a grid is per tensor or follows the dimension `axis`.
static bool follows(Type element, int64_t axis) {
  auto perAxis = dyn_cast<UniformQuantizedPerAxisType>(element);
  return isa<UniformQuantizedType>(element) ||
         (perAxis && perAxis.getQuantizedDimension() == axis);
}

static LogicalResult checkElements(MaybeLocation location, GemmOp::Adaptor op) {
  Type a = elementType(op.getA()), b = elementType(op.getB());
  if (isa<FloatType>(a) && a == b)
    return success();
  if (follows(a, op.getTransA() ? 1 : 0) && follows(b, op.getTransB() ? 0 : 1))
    return success();
  return reject(location, "GEMM-3",
                "no product of " + typeText(a) + " with " + typeText(b));
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
