//===- TileProduct.h - products of bytes in tiles ---------------*- C++ -*-===//
//
// The body of ByteProduct.h for processors with tile registers.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_CPU_KERNELS_TILEPRODUCT_H
#define TALLY_CPU_KERNELS_TILEPRODUCT_H

#include "tally/cpu/kernels/ByteProduct.h"
#include "tally/cpu/kernels/TileRegisters.h"

namespace tally::cpu {

/// Emits all sums of a product; `finish` is called inside of loops with one row
/// of sums that is ready, where a block is finished beside the next one and
/// where the last one is.
void emitTileProduct(KernelBuilder &k, const ByteShape &shape,
                     const ByteRows &rows, const ByteColumns &columns,
                     llvm::function_ref<void(const ByteSums &)> finish);

} // namespace tally::cpu

#endif // TALLY_CPU_KERNELS_TILEPRODUCT_H
