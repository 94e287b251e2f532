//===- FloatOrder.h - the smaller and larger of two floats ------*- C++ -*-===//

#ifndef TALLY_RUN_SIMULATOR_KERNELS_FLOATORDER_H
#define TALLY_RUN_SIMULATOR_KERNELS_FLOATORDER_H

#include <cmath>

namespace tally::simulator {

/// NaN if one of them is; -0 is less than +0.
inline float smaller(float x, float y) {
  if (std::isnan(x) || std::isnan(y))
    return x + y;
  return x < y || (x == y && std::signbit(x)) ? x : y;
}
inline float larger(float x, float y) {
  if (std::isnan(x) || std::isnan(y))
    return x + y;
  return x > y || (x == y && !std::signbit(x)) ? x : y;
}

} // namespace tally::simulator

#endif // TALLY_RUN_SIMULATOR_KERNELS_FLOATORDER_H
