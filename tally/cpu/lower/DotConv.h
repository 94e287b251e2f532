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

/// Emits the sums of steps plus the channel's addend, and hands each as i32 to
/// store(output channel, result element, sum). `weights` has a row per output
/// channel, terms in the order of the weight tensor.
void emitDotConv(
    KernelBuilder &k, const ConvSizes &s, const ConstantPanel &weights,
    llvm::ArrayRef<int64_t> addends,
    llvm::function_ref<void(Value channel, Value element, Value sum)> store);

} // namespace tally::cpu

#endif // TALLY_CPU_LOWER_DOTCONV_H
