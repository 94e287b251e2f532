//===- Winograd.h - 3x3 convolutions of bytes by squares --------*- C++ -*-===//
//
// The sums of a 3x3 convolution with stride 1 of channels-last codes, square by
// square of 4 x 4 results (WinogradTransforms.h), on steps packed as for a
// product of bytes (ByteProduct.h).
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_CPU_KERNELS_WINOGRAD_H
#define TALLY_CPU_KERNELS_WINOGRAD_H

#include "tally/cpu/ProductSchedule.h"
#include "tally/cpu/kernels/ByteProduct.h"
#include "tally/cpu/kernels/WinogradPatches.h"

namespace tally::cpu {

/// Whether a tier has a kernel for squares: products of 16 bits that nothing of
/// bytes outdoes.
bool hasSquares(Tier tier);

/// Channels come in multiples of so many.
inline constexpr int64_t kSquareChannels = 16;

/// Takes the sums of columns [column, column + count) at an output pixel, as
/// FinishLanes does.
using FinishPixel = llvm::function_ref<void(
    Value image, Value pixel, Value column, int64_t count, Value sums)>;

/// Emits all sums, as emitByteProduct does of `shape`, whose chunks are the
/// lines of the kernel, each its pixels one after the other. `schedule` is one
/// that transforms; exact where areSquaresExact.
void emitSquares(KernelBuilder &k, const PatchSource &source,
                 const ByteShape &shape, const ByteColumns &columns,
                 const ProductSchedule &schedule, FinishPixel finish);

} // namespace tally::cpu

#endif // TALLY_CPU_KERNELS_WINOGRAD_H
