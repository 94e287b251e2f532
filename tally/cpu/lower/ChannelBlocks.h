//===- ChannelBlocks.h - neighbouring channels as lanes ---------*- C++ -*-===//
//
// What computes every channel alike works on vectors where tensors are stored
// channels last (Order.h): lane i is channel `first` + i of one pixel.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_CPU_LOWER_CHANNELBLOCKS_H
#define TALLY_CPU_LOWER_CHANNELBLOCKS_H

#include "tally/cpu/KernelBuilder.h"

namespace tally::cpu {

/// Calls body(first, lanes) for all channels in [0, count): `most` lanes at a
/// time (a power of two), what is left in smaller powers of two.
void forEachChannelBlock(
    KernelBuilder &k, int64_t count, int64_t most,
    llvm::function_ref<void(Value first, int64_t lanes)> body);

/// `lanes` neighbours of a flat memref as a vector.
Value loadBlock(KernelBuilder &k, Value memref, Value element, int64_t lanes);

/// A scalar in every lane.
Value spreadBlock(KernelBuilder &k, Value scalar, int64_t lanes);

} // namespace tally::cpu

#endif // TALLY_CPU_LOWER_CHANNELBLOCKS_H
