//===- Cast.h - conversions between element types ---------------*- C++ -*-===//

#ifndef TALLY_CPU_LOWER_CAST_H
#define TALLY_CPU_LOWER_CAST_H

#include "tally/cpu/KernelBuilder.h"

namespace tally::cpu {

/// A stored element of `from` as a stored element of `to`, as nn.cast says.
Value castElement(KernelBuilder &k, Value stored, eval::Element from,
                  eval::Element to);

/// Whether `stored` may be a vector: integers that become integers, and those
/// of up to 32 bits that become f32 or f64. The others saturate or round by
/// steps that are written for one number.
bool castsLanes(eval::Element from, eval::Element to);

} // namespace tally::cpu

#endif // TALLY_CPU_LOWER_CAST_H
