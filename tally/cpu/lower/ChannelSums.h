//===- ChannelSums.h - sums of channels-last codes --------------*- C++ -*-===//

#ifndef TALLY_CPU_LOWER_CHANNELSUMS_H
#define TALLY_CPU_LOWER_CHANNELSUMS_H

#include "tally/cpu/Requantize.h"

namespace tally::cpu {

/// The result of a sum or mean over all `pixels` of each image of operand 0,
/// bytes stored channels last: a block of channels at a time, in 32 bits, which
/// must be enough.
void sumChannels(KernelBuilder &k, int64_t pixels,
                 RequantizeTables &requantize);

} // namespace tally::cpu

#endif // TALLY_CPU_LOWER_CHANNELSUMS_H
