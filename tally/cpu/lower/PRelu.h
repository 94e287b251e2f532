//===- PRelu.h - PRelu between codes ----------------------------*- C++ -*-===//

#ifndef TALLY_CPU_LOWER_PRELU_H
#define TALLY_CPU_LOWER_PRELU_H

#include "tally/cpu/lower/Elementwise.h"

#include <optional>

namespace tally::cpu {

/// A PRelu of floats with a constant slope, `k.op`, whose input is a Dequantize
/// of 8-bit codes `in` and whose result is quantized to `out`: from codes to
/// codes, with the bits of the three. None where that has no short form.
std::optional<ElementCode> preluBetweenCodes(KernelBuilder &k,
                                             const eval::Tensor &in,
                                             const eval::Tensor &out);

} // namespace tally::cpu

#endif // TALLY_CPU_LOWER_PRELU_H
