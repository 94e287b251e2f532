//===- ByteTranspose.h - rows of bytes become columns -----------*- C++ -*-===//

#ifndef TALLY_CPU_KERNELS_BYTETRANSPOSE_H
#define TALLY_CPU_KERNELS_BYTETRANSPOSE_H

#include "tally/cpu/KernelBuilder.h"

namespace tally::cpu {

/// A matrix in a flat memref of i8: row r begins at base + r * pitch.
struct ByteMatrix {
  Value bytes, base;
  int64_t pitch;
};

/// Calls body(begin, size) for [0, count): blocks of `block`, and what is left
/// in one that overlaps the block before, or is smaller where there is none.
void forEachFullBlock(KernelBuilder &k, int64_t count, int64_t block,
                      llvm::function_ref<void(Value, int64_t)> body);

/// to[c][r] = from[r][c] ^ flip, for r < rows and c < columns. Each byte of
/// `to` may be written more than once.
void emitByteTranspose(KernelBuilder &k, const ByteMatrix &from,
                       const ByteMatrix &to, int64_t rows, int64_t columns,
                       uint8_t flip = 0);

} // namespace tally::cpu

#endif // TALLY_CPU_KERNELS_BYTETRANSPOSE_H
