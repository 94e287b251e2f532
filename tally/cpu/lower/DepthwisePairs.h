//===- DepthwisePairs.h - depthwise convolutions by pairs of taps -*- C++ -*-=//

#ifndef TALLY_CPU_LOWER_DEPTHWISEPAIRS_H
#define TALLY_CPU_LOWER_DEPTHWISEPAIRS_H

#include "tally/cpu/lower/DotConv.h"

namespace tally::cpu {

/// Whether depthwise convolutions have this form on a tier: products are of 16
/// bits, in registers of eight sums.
bool hasDepthwisePairs(Tier tier);

/// As emitDepthwiseConv, where isDepthwiseConv.
void emitDepthwisePairs(KernelBuilder &k, const ConvSizes &s,
                        const ConstantPanel &weights,
                        llvm::ArrayRef<int64_t> addends, FinishChannels finish);

} // namespace tally::cpu

#endif // TALLY_CPU_LOWER_DEPTHWISEPAIRS_H
