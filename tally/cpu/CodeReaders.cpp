//===- CodeReaders.cpp - kernels that make codes real themselves ----------===//

#include "tally/cpu/CodeReaders.h"
#include "tally/ops/Anchors.h"
#include "tally/ops/Ops.h"
#include "tally/ops/State.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace tally;

static bool takesCodes(OpOperand &use) {
  Operation *op = use.getOwner();
  auto areTaken = [](Value value) {
    return !value.use_empty() && llvm::all_of(value.getUses(), takesCodes);
  };
  if (auto fused = dyn_cast<nn::FusedOp>(op))
    return areTaken(fused.getBody().getArgument(use.getOperandNumber()));
  if (isa<nn::ReshapeOp>(op))
    return areTaken(op->getResult(0));
  return nn::walksLines(op) && use.getOperandNumber() == 0;
}

/// Whether `codes` are a state's old value, which may be overwritten after the
/// Dequantize and before its readers.
static bool isState(Value codes, func::FuncOp function) {
  while (
      isa_and_nonnull<nn::ReshapeOp, nn::StorageCastOp>(codes.getDefiningOp()))
    codes = codes.getDefiningOp()->getOperand(0);
  auto argument = dyn_cast<BlockArgument>(codes);
  return argument &&
         function.getArgAttr(argument.getArgNumber(), nn::kStateOfValue);
}

bool tally::cpu::isReadAsCodes(Operation *op) {
  auto dequantize = dyn_cast_or_null<nn::DequantizeOp>(op);
  auto function =
      op ? dyn_cast<func::FuncOp>(op->getParentOp()) : func::FuncOp();
  if (!dequantize || !function || isState(dequantize.getInput(), function))
    return false;
  Value input = dequantize.getInput(), output = dequantize.getOutput();
  eval::Tensor codes = nn::describe(cast<RankedTensorType>(input.getType()));
  return codes.quant->perTensor() && eval::byteSize(codes.element) <= 2 &&
         cast<RankedTensorType>(output.getType()).getElementType().isF32() &&
         !output.use_empty() && llvm::all_of(output.getUses(), takesCodes);
}

/// What an operand of an operation inside of an nn.fused stands for outside.
static Value outside(Value value) {
  auto argument = dyn_cast_if_present<BlockArgument>(value);
  if (!argument)
    return value;
  auto fused = dyn_cast<nn::FusedOp>(argument.getOwner()->getParentOp());
  return fused ? fused->getOperand(argument.getArgNumber()) : value;
}

std::optional<eval::Tensor> tally::cpu::operandCodes(const KernelBuilder &k,
                                                     size_t i) {
  Value operand = cast<nn::Operator>(k.op).positionalOperands()[i];
  Value value = outside(operand);
  while (value && isa_and_nonnull<nn::ReshapeOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  Operation *op = value ? value.getDefiningOp() : nullptr;
  if (!isReadAsCodes(op))
    return std::nullopt;
  eval::Tensor info =
      nn::describe(cast<RankedTensorType>(op->getOperand(0).getType()));
  info.shape = k.operandInfo(i).shape;
  return info;
}
