//===- CodeReaders.h - kernels that make codes real themselves --*- C++ -*-===//
//
// A kernel that walks lines several times can read codes and turn each line
// into floats where it is in the nearest cache. Then the Dequantize before it
// needs no kernel, and its floats, four times the codes, no memory.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_CPU_CODEREADERS_H
#define TALLY_CPU_CODEREADERS_H

#include "tally/cpu/KernelBuilder.h"

namespace tally::cpu {

/// Whether `op` is a Dequantize of one grid per tensor, at most 16 bits, whose
/// readers all take its codes: directly, behind reshapes, or as the anchor of
/// an nn.fused. It is an alias (Storage.h) of the codes then.
bool isReadAsCodes(mlir::Operation *op);

/// The codes of which an operand of a kernel is made, when the kernel is to
/// read them, in the operand's shape. Then k.operand(i) is a memref of codes.
std::optional<eval::Tensor> operandCodes(const KernelBuilder &k, size_t i);

} // namespace tally::cpu

#endif // TALLY_CPU_CODEREADERS_H
