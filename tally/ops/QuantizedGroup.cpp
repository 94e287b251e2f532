//===- QuantizedGroup.cpp - which Quantize reads an exact real ------------===//

#include "tally/ops/QuantizedGroup.h"

#include "mlir/IR/BuiltinOps.h"

#include <cmath>

using namespace mlir;
using namespace tally::nn;

static bool isSingleMovement(Operation *op) {
  return op && isa<Movement>(op) && op->getNumOperands() == 1 &&
         op->getNumResults() == 1;
}

static bool isClamp(Operation *op) {
  return isa_and_nonnull<ReluOp, ClipOp>(op);
}

RankedTensorType tally::nn::movedType(Operation *movement,
                                      RankedTensorType input) {
  auto result = cast<RankedTensorType>(movement->getResult(0).getType());
  Type element = input.getElementType();
  if (auto perAxis = dyn_cast<UniformQuantizedPerAxisType>(element)) {
    auto axis =
        cast<Movement>(movement).movedAxis(perAxis.getQuantizedDimension());
    if (!axis)
      return {};
    eval::Quantization grid = gridOf(perAxis);
    grid.axis = static_cast<int>(*axis);
    element = quantizedType(movement->getContext(), grid);
  }
  return result.clone(element);
}

bool tally::nn::isFinite(ConstantOp constant) {
  eval::Tensor tensor = hostTensor(constant.getValue(), constant.getType());
  if (!eval::isFloat(tensor.element))
    return true;
  for (int64_t i = 0, e = tensor.count(); i < e; ++i)
    if (!std::isfinite(eval::loadFloat(tensor, i)))
      return false;
  return true;
}

/// A core that does arithmetic has no exact result on infinities and NaN; one
/// that only selects elements passes them on.
static bool takesReals(Operation *core, Value operand) {
  auto constant = operand ? operand.getDefiningOp<ConstantOp>() : ConstantOp();
  return !constant || isa<WhereOp>(core) || isFinite(constant);
}

static std::optional<GroupOperand> findOperand(Value operand) {
  GroupOperand result;
  if (!operand)
    return result;
  Operation *op = operand.getDefiningOp();
  bool isPlainInteger = isa<IntegerType>(
      cast<RankedTensorType>(operand.getType()).getElementType());
  if (isPlainInteger || isa_and_nonnull<ConstantOp>(op)) {
    result.source = operand;
    result.type = cast<RankedTensorType>(operand.getType());
    return result;
  }
  while (isSingleMovement(op)) {
    result.path.push_back(op);
    op = op->getOperand(0).getDefiningOp();
  }
  auto dequantize = dyn_cast_or_null<DequantizeOp>(op);
  if (!dequantize)
    return std::nullopt;
  std::reverse(result.path.begin(), result.path.end());
  result.source = dequantize.getInput();
  result.type = dequantize.getInput().getType();
  for (Operation *movement : result.path)
    if (result.type)
      result.type = movedType(movement, result.type);
  if (!result.type)
    return std::nullopt;
  return result;
}

static bool findCore(Operation *op, QuantizedGroup &group) {
  if (isa_and_nonnull<DequantizeOp>(op)) {
    auto operand = findOperand(op->getResult(0));
    group.operands.push_back(*operand);
    return allPerTensor({operand->type}, group.coreType);
  }
  auto core = dyn_cast_or_null<Quantizable>(op);
  if (!core || op->getNumResults() != 1)
    return false;
  group.core = op;
  SmallVector<RankedTensorType> types;
  for (Value operand : cast<Operator>(op).positionalOperands()) {
    auto found = findOperand(operand);
    if (!found || !takesReals(op, operand))
      return false;
    types.push_back(found->type);
    group.operands.push_back(*found);
  }
  return core.hasQuantizedMeaning(types, group.coreType);
}

static bool areGroupsReplaced(Operation *op) {
  auto module = op->getParentOfType<ModuleOp>();
  return module && module->hasAttr(kGroupsReplaced);
}

std::optional<QuantizedGroup>
tally::nn::findQuantizedGroup(QuantizeOp quantize) {
  return areGroupsReplaced(quantize) ? std::nullopt
                                     : findGroupPattern(quantize);
}

std::optional<QuantizedGroup> tally::nn::findGroupPattern(QuantizeOp quantize) {
  auto quantized =
      dyn_cast<UniformQuantizedType>(quantize.getType().getElementType());
  if (!quantized || !quantize.getInput().getType().getElementType().isF32())
    return std::nullopt;
  QuantizedGroup group;
  group.quantize = quantize;
  Operation *op = quantize.getInput().getDefiningOp();
  while (isClamp(op) || isSingleMovement(op)) {
    // A movement right after a Dequantize is part of no core's operand path,
    // so it stays here and is done on codes after the requantization.
    group.after.push_back(op);
    op = op->getOperand(0).getDefiningOp();
  }
  if (!op)
    return std::nullopt;
  std::reverse(group.after.begin(), group.after.end());
  group.coreType =
      cast<RankedTensorType>(op->getResult(0).getType()).clone(Type(quantized));
  if (!findCore(op, group))
    return std::nullopt;
  return group;
}
