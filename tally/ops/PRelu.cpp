//===- PRelu.cpp - x below zero times a slope -----------------------------===//

#include "tally/eval/Elementwise.h"
#include "tally/ops/Inference.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

static bool typesFit(Type input, Type slope) {
  auto kind = kindOf(input);
  if (kind == kCodes)
    return slope.isF32() || isa<QuantizedType>(slope);
  return kind && (*kind & kNumber) && input == slope;
}

LogicalResult PReluOp::inferReturnTypeComponents(MLIRContext *,
                                                 MaybeLocation location,
                                                 Adaptor op,
                                                 Inferred &inferred) {
  ArrayRef<int64_t> input = shapeOf(op.getInput());
  ArrayRef<int64_t> slope = shapeOf(op.getSlope());
  auto common = broadcast(input, slope);
  if (!common || ArrayRef<int64_t>(*common) != input)
    return reject(location, "PRELU-1",
                  "the slope's shape " + shapeText(slope) +
                      " does not broadcast to the input's " + shapeText(input));
  Type element = elementType(op.getInput());
  if (!typesFit(element, elementType(op.getSlope())))
    return reject(location, "PRELU-2",
                  "no slope of type " + typeText(elementType(op.getSlope())) +
                      " for an input of type " + typeText(element));
  infer(inferred, input, element);
  return success();
}

/// Whether `value` is a constant, seen through what has one operand.
static bool isConstant(Value value) {
  Operation *op = value.getDefiningOp();
  while (op && op->getNumOperands() == 1)
    op = op->getOperand(0).getDefiningOp();
  return isa_and_nonnull<ConstantOp>(op);
}

bool PReluOp::hasQuantizedMeaning(ArrayRef<RankedTensorType> operands,
                                  RankedTensorType result) {
  if (!allPerTensor(operands.take_front(), result) || !operands[1] ||
      !isConstant(getSlope()))
    return false;
  auto codes = quantizedElement(operands[1]);
  return codes ? codes.getStorageTypeIntegralWidth() <= 16
               : operands[1].getElementType().isF32();
}

Status PReluOp::evaluate(eval::Request &request) {
  if (request.in(0).isQuantized())
    return eval::evaluatePReluCodes(request);
  eval::BinaryMeaning meaning;
  meaning.f32 = [](float x, float slope) { return x < 0 ? slope * x : x; };
  meaning.f64 = [](double x, double slope) { return x < 0 ? slope * x : x; };
  meaning.integer = [](int64_t x, int64_t slope) {
    auto product = static_cast<uint64_t>(x) * static_cast<uint64_t>(slope);
    return x < 0 ? static_cast<int64_t>(product) : x;
  };
  meaning.unsignedInteger = [](uint64_t x, uint64_t) { return x; };
  return eval::evaluateBinary(request, meaning);
}
