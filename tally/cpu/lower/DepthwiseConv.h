//===- DepthwiseConv.h - convolutions of each channel alone -----*- C++ -*-===//

#ifndef TALLY_CPU_LOWER_DEPTHWISECONV_H
#define TALLY_CPU_LOWER_DEPTHWISECONV_H

#include "tally/cpu/kernels/PixelAxis.h"
#include "tally/cpu/lower/DotConv.h"

namespace tally::cpu {

/// Whether a convolution of codes has this form: what isDotConv asks for, one
/// input and one output channel to a group, at least as many channels as a
/// vector has lanes, and both tensors channels last.
bool isDepthwiseConv(const KernelBuilder &k, const ConvSizes &s,
                     const ConstantPanel &weights, bool wide);

/// A spatial dimension of a convolution, counted from the last one. One that
/// there is not has one pixel.
PixelAxis axisOf(const ConvSizes &s, size_t fromBehind);

/// As emitDotConv.
void emitDepthwiseConv(KernelBuilder &k, const ConvSizes &s,
                       const ConstantPanel &weights,
                       llvm::ArrayRef<int64_t> addends, FinishChannels finish);

} // namespace tally::cpu

#endif // TALLY_CPU_LOWER_DEPTHWISECONV_H
