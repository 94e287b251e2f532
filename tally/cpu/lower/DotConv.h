//===- DotConv.h - convolutions of bytes as dot products --------*- C++ -*-===//

#ifndef TALLY_CPU_LOWER_DOTCONV_H
#define TALLY_CPU_LOWER_DOTCONV_H

#include "tally/cpu/lower/ConvSizes.h"
#include "tally/cpu/lower/QuantizedProduct.h"

namespace tally::cpu {

/// Whether a convolution of codes has this form: what canUseDots asks for, and
/// one or two spatial dimensions. Not a transposed one.
bool isDotConv(const KernelBuilder &k, const ConvSizes &s,
               const ConstantPanel &weights, bool wide);

/// Takes the sums of neighbouring output channels [channel, channel + count) at
/// an output pixel, as a vector of i32 whose lanes from `count` on mean
/// nothing. Called inside of loops.
using FinishChannels = llvm::function_ref<void(
    Value image, Value pixel, Value channel, int64_t count, Value sums)>;

/// Emits the sums of steps plus the channel's addend. `weights` has a row per
/// output channel, terms in the order of the weight tensor.
void emitDotConv(KernelBuilder &k, const ConvSizes &s,
                 const ConstantPanel &weights, llvm::ArrayRef<int64_t> addends,
                 FinishChannels finish);

} // namespace tally::cpu

#endif // TALLY_CPU_LOWER_DOTCONV_H
