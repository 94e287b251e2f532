//===- FloatConv.h - convolutions of floats ---------------------*- C++ -*-===//

#ifndef TALLY_CPU_LOWER_FLOATCONV_H
#define TALLY_CPU_LOWER_FLOATCONV_H

#include "tally/cpu/lower/ConvSizes.h"

namespace tally::cpu {

/// The kernel of a convolution of fp32, transposed or not, whose tensors are in
/// plain order: every result is one fused multiply-add per term, ascending,
/// plus the bias. CPU-1 on other floats.
Status lowerFloatConv(KernelBuilder &k, const ConvSizes &s);

} // namespace tally::cpu

#endif // TALLY_CPU_LOWER_FLOATCONV_H
