//===- Extreme.h - the larger and the smaller of two numbers ----*- C++ -*-===//

#ifndef TALLY_EVAL_EXTREME_H
#define TALLY_EVAL_EXTREME_H

#include <cmath>
#include <limits>
#include <type_traits>

namespace tally::eval {

/// The larger number; NaN when either is one, and -0 counts as less than +0.
/// Free of order, as IEEE 754-2019's maximum.
template <typename T> T maximum(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b))
      return std::numeric_limits<T>::quiet_NaN();
    if (a == b)
      return std::signbit(a) ? b : a;
  }
  return a < b ? b : a;
}

/// The smaller number, likewise.
template <typename T> T minimum(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b))
      return std::numeric_limits<T>::quiet_NaN();
    if (a == b)
      return std::signbit(a) ? a : b;
  }
  return b < a ? b : a;
}

} // namespace tally::eval

#endif // TALLY_EVAL_EXTREME_H
