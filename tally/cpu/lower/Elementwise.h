//===- Elementwise.h - elementwise kernels ----------------------*- C++ -*-===//

#ifndef TALLY_CPU_LOWER_ELEMENTWISE_H
#define TALLY_CPU_LOWER_ELEMENTWISE_H

#include "tally/cpu/KernelBuilder.h"
#include "tally/quant/UnaryTable.h"

namespace tally::cpu {

/// A failure of quant/ with the name of the kernel's node.
tally::Diagnostic atNode(KernelBuilder &k, tally::Diagnostic failure);

/// A per-tensor grid as quant/ takes it.
quant::Grid quantGrid(const eval::Quantization &grid);

/// The position of a code in a table: its own bits as an unsigned number.
Value tableIndex(KernelBuilder &k, Value code, quant::CodeType type);

/// Codes as a constant of the element that stores them.
Value codeTable(KernelBuilder &k, llvm::ArrayRef<int32_t> codes,
                eval::Element element);

/// The table of `function` from the codes of `in` to those of `out`.
Result<quant::UnaryTable>
gridTable(KernelBuilder &k, const quant::UnaryFunction &function,
          const eval::Tensor &in, const eval::Tensor &out,
          quant::Profile profile = quant::Profile::Ideal);

/// result[i] = table[code i]: the table of `function` between the grids of
/// operand 0 and the result, exact or as the profile says.
Status lowerTable(KernelBuilder &k, const quant::UnaryFunction &function);

/// result[i] = fn(operand 0 [i]) over the flat elements.
void lowerUnary(KernelBuilder &k, llvm::function_ref<Value(Value)> fn);

/// result[i] = fn(operand 0 [..], operand 1 [..]) with numpy broadcasting.
void lowerBinary(KernelBuilder &k, llvm::function_ref<Value(Value, Value)> fn);

/// Calls body(flat result element, flat element of each operand) in loops;
/// operands broadcast to the result's shape. One flat loop when all shapes are
/// equal.
void forEachBroadcast(
    KernelBuilder &k, const eval::Shape &result,
    llvm::ArrayRef<eval::Shape> operands,
    llvm::function_ref<void(Value element, ValueRange operands)> body);

/// Quantized Add or Sub by a certified linear record.
Status lowerLinear(KernelBuilder &k, bool subtract);

/// Quantized Mul: the product of two steps, requantized by a certified record.
Status lowerCodeProduct(KernelBuilder &k);

/// Quantized Max or Min: both operands on the result's grid, then the choice,
/// with which a monotone rounding commutes.
Status lowerCodeChoice(KernelBuilder &k, bool greater);

/// Quantized PRelu with a constant slope: one table per distinct slope.
Status lowerPReluCodes(KernelBuilder &k);

} // namespace tally::cpu

#endif // TALLY_CPU_LOWER_ELEMENTWISE_H
