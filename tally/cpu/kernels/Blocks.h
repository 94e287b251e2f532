//===- Blocks.h - loops over blocks and what is left over -------*- C++ -*-===//

#ifndef TALLY_CPU_KERNELS_BLOCKS_H
#define TALLY_CPU_KERNELS_BLOCKS_H

#include "tally/cpu/KernelBuilder.h"

namespace tally::cpu {

/// Takes [begin, begin + size); the size is known where code is emitted.
using BlockBody = llvm::function_ref<void(Value begin, int64_t size)>;

/// for (i = 0; i < count; ++i) body(i), with a count that is known at run time.
void forEachOf(KernelBuilder &k, Value count,
               llvm::function_ref<void(Value)> body);

/// [0, count) in blocks of `size`, and once for what is left.
void forEachBlock(KernelBuilder &k, int64_t count, int64_t size,
                  BlockBody body);

/// The same, by threads (KernelBuilder::parallelLoop).
void forEachBlockInParallel(KernelBuilder &k, int64_t count, int64_t size,
                            BlockBody body);

/// `count` in blocks of `size`.
struct Blocks {
  int64_t count, size;
  int64_t blocks() const { return (count + size - 1) / size; }
};

/// Calls body(outer begin, size, inner begin, size) for all pairs of blocks, in
/// two loops, or in one by threads. Either way a thread is done with a block of
/// `outer` before it begins another.
void forEachTileInParallel(
    KernelBuilder &k, Blocks outer, Blocks inner,
    llvm::function_ref<void(Value, int64_t, Value, int64_t)> body);

} // namespace tally::cpu

#endif // TALLY_CPU_KERNELS_BLOCKS_H
