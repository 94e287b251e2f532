//===- Comparison.h - two tensors, bit for bit ------------------*- C++ -*-===//

#ifndef TALLY_DRIVER_TENSORS_COMPARISON_H
#define TALLY_DRIVER_TENSORS_COMPARISON_H

#include "tally/eval/Tensor.h"

namespace tally {

/// What differs between two tensors of equal shape and element.
struct Difference {
  int64_t count = 0;      ///< elements that differ
  int64_t first = -1;     ///< row-major position of the first one
  eval::Shape firstIndex; ///< the same as an index per dimension
  double largest = 0;     ///< greatest |a - b|, in codes for integers
};

/// The elements whose bits differ; all NaNs are equal. Nothing when there is
/// no difference.
std::optional<Difference> compareBits(const eval::Tensor &a,
                                      const eval::Tensor &b);

/// One element as the nearest double.
double elementNumber(const eval::Tensor &tensor, int64_t i);

/// One element as text: "-3", or "1.5 (0x3fc00000)" for floats.
std::string elementText(const eval::Tensor &tensor, int64_t i);

/// "element [0,2] is 5, expected 4; 12 of 100 differ, by up to 3".
std::string describe(const Difference &difference, const eval::Tensor &found,
                     const eval::Tensor &expected);

} // namespace tally

#endif // TALLY_DRIVER_TENSORS_COMPARISON_H
