//===- DotConvTranspose.h - transposed convolutions of bytes ----*- C++ -*-===//

#ifndef TALLY_CPU_LOWER_DOTCONVTRANSPOSE_H
#define TALLY_CPU_LOWER_DOTCONVTRANSPOSE_H

#include "tally/cpu/lower/DotConv.h"

namespace tally::cpu {

/// Whether a transposed convolution of codes has this form: what canUseDots
/// asks for, one group, one or two spatial dimensions, and a stride as large as
/// the kernel, without padding, so that each output pixel has one tap.
bool isDotConvTranspose(const KernelBuilder &k, const ConvSizes &s,
                        const ConstantPanel &weights, bool wide);

/// As emitDotConv. With one output channel, sums may instead be those of
/// neighbouring pixels of an output line, which `finishPixels` takes: [pixel,
/// pixel + count) of channel 0.
void emitDotConvTranspose(KernelBuilder &k, const ConvSizes &s,
                          const ConstantPanel &weights,
                          llvm::ArrayRef<int64_t> addends,
                          FinishChannels finish, FinishChannels finishPixels);

} // namespace tally::cpu

#endif // TALLY_CPU_LOWER_DOTCONVTRANSPOSE_H
