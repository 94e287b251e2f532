//===- CheckedMath.h - sizes that cannot wrap -------------------*- C++ -*-===//

#ifndef TALLY_SUPPORT_CHECKEDMATH_H
#define TALLY_SUPPORT_CHECKEDMATH_H

#include <cstdint>
#include <optional>
#include <span>

namespace tally {

/// a + b, or nothing when the sum does not fit.
inline std::optional<int64_t> checkedAdd(int64_t a, int64_t b) {
  int64_t sum;
  if (__builtin_add_overflow(a, b, &sum))
    return std::nullopt;
  return sum;
}

/// a * b, or nothing when the product does not fit.
inline std::optional<int64_t> checkedMul(int64_t a, int64_t b) {
  int64_t product;
  if (__builtin_mul_overflow(a, b, &product))
    return std::nullopt;
  return product;
}

/// Number of elements of a shape, or nothing when a dimension is negative or
/// the product does not fit. A scalar (empty shape) has one element.
inline std::optional<int64_t>
checkedElementCount(std::span<const int64_t> shape) {
  int64_t count = 1;
  for (int64_t dim : shape) {
    if (dim < 0 || __builtin_mul_overflow(count, dim, &count))
      return std::nullopt;
  }
  return count;
}

} // namespace tally

#endif // TALLY_SUPPORT_CHECKEDMATH_H
