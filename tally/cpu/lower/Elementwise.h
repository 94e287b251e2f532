//===- Elementwise.h - elementwise kernels ----------------------*- C++ -*-===//

#ifndef TALLY_CPU_LOWER_ELEMENTWISE_H
#define TALLY_CPU_LOWER_ELEMENTWISE_H

#include "tally/cpu/KernelBuilder.h"
#include "tally/quant/UnaryTable.h"

namespace tally::cpu {

/// result[i] = table[code i]: the exact table of `function` between the grids
/// of operand 0 and the result.
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

} // namespace tally::cpu

#endif // TALLY_CPU_LOWER_ELEMENTWISE_H
