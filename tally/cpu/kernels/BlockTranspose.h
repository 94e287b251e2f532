//===- BlockTranspose.h - transposed copies in registers --------*- C++ -*-===//

#ifndef TALLY_CPU_KERNELS_BLOCKTRANSPOSE_H
#define TALLY_CPU_KERNELS_BLOCKTRANSPOSE_H

#include "tally/cpu/KernelBuilder.h"

namespace tally::cpu {

/// A matrix in flat memory: element (i, j) is at base + i * stride + j.
struct StridedMatrix {
  Value memref, base;
  int64_t stride;
};

/// Emits to(j, i) = from(i, j) for i < rows and j < columns. Elements of one,
/// two and four bytes go sixteen by sixteen through registers.
void emitBlockTranspose(KernelBuilder &k, const StridedMatrix &from,
                        const StridedMatrix &to, int64_t rows, int64_t columns);

} // namespace tally::cpu

#endif // TALLY_CPU_KERNELS_BLOCKTRANSPOSE_H
