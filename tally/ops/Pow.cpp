//===- Pow.cpp - a to the power of b, broadcast ---------------------------===//

#include "tally/eval/Elementwise.h"
#include "tally/eval/Power.h"
#include "tally/ops/Inference.h"
#include "tally/quant/NativeMath.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

static bool isOneReal(RankedTensorType type) {
  return type && type.getElementType().isF32() && type.getNumElements() == 1;
}

static bool typesFit(Value base, Value exponent) {
  auto kind = kindOf(elementType(base));
  if (kind == kCodes)
    return isOneReal(tensorType(exponent));
  auto other = kindOf(elementType(exponent));
  return kind && other && (*kind & (kFloat | kInteger)) && (*other & kNumber);
}

LogicalResult PowOp::inferReturnTypeComponents(MLIRContext *,
                                               MaybeLocation location,
                                               Adaptor op, Inferred &inferred) {
  Value base = op.getBase(), exponent = op.getExponent();
  auto shape = broadcast(shapeOf(base), shapeOf(exponent));
  if (!shape)
    return reject(location, "POW-1",
                  "shapes " + shapeText(shapeOf(base)) + " and " +
                      shapeText(shapeOf(exponent)) + " do not broadcast");
  if (!typesFit(base, exponent))
    return reject(location, "POW-2",
                  "no power of " + typeText(elementType(base)) + " to " +
                      typeText(elementType(exponent)));
  infer(inferred, *shape, elementType(base));
  return success();
}

bool PowOp::hasQuantizedMeaning(ArrayRef<RankedTensorType> operands,
                                RankedTensorType result) {
  return allPerTensor(operands.take_front(), result) && isOneReal(operands[1]);
}

Status PowOp::evaluate(eval::Request &request) {
  if (!request.in(0).isQuantized())
    return eval::evaluatePower(request, quant::pinned::pow);
  eval::UnaryMeaning meaning;
  meaning.real = eval::powFunction(request.in(1).data<float>()[0]);
  return eval::evaluateUnary(request, meaning);
}
