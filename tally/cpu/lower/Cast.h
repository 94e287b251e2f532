//===- Cast.h - conversions between element types ---------------*- C++ -*-===//

#ifndef TALLY_CPU_LOWER_CAST_H
#define TALLY_CPU_LOWER_CAST_H

#include "tally/cpu/KernelBuilder.h"

namespace tally::cpu {

/// A stored element of `from` as a stored element of `to`, as nn.cast says.
Value castElement(KernelBuilder &k, Value stored, eval::Element from,
                  eval::Element to);

} // namespace tally::cpu

#endif // TALLY_CPU_LOWER_CAST_H
