//===- ChannelPool.h - pooling of blocks of channels ------------*- C++ -*-===//
//
// Pools of 8-bit codes where both tensors are stored channels last
// (PoolSizes::areChannelBytes): lanes are channels.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_CPU_LOWER_CHANNELPOOL_H
#define TALLY_CPU_LOWER_CHANNELPOOL_H

#include "tally/cpu/Requantize.h"
#include "tally/cpu/lower/GridChange.h"
#include "tally/cpu/lower/PoolSizes.h"

namespace tally::cpu {

void emitChannelMaxima(KernelBuilder &k, const PoolSizes &s,
                       const GridChange &change);

/// Means by the records of `requantize`; `records` holds that of each output
/// pixel. Sums have 32 bits.
void emitChannelMeans(KernelBuilder &k, const PoolSizes &s,
                      RequantizeTables &requantize, Value records);

} // namespace tally::cpu

#endif // TALLY_CPU_LOWER_CHANNELPOOL_H
