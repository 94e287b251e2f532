//===- Fmod.h - the exact rest of a float division --------------*- C++ -*-===//

#ifndef TALLY_CPU_LOWER_FMOD_H
#define TALLY_CPU_LOWER_FMOD_H

#include "tally/cpu/lower/RealMath.h"

namespace tally::cpu {

/// C's fmod of two numbers of `math`'s type: exact, with the sign of x; NaN
/// for an infinite x or a zero y.
Value fmod(RealMath &math, Value x, Value y);

} // namespace tally::cpu

#endif // TALLY_CPU_LOWER_FMOD_H
