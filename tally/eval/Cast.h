//===- Cast.h - numbers of one type as numbers of another -------*- C++ -*-===//

#ifndef TALLY_EVAL_CAST_H
#define TALLY_EVAL_CAST_H

#include "tally/eval/Tensor.h"

namespace tally::eval {

/// Converts every plain element of `input` to the element type of `result`:
///
///   to bool            x != 0; NaN is true
///   integer to integer the low bits (two's complement)
///   float to integer   truncated toward zero, saturated; NaN gives 0
///   to float           one rounding to nearest even, overflow to infinity
///
/// A boolean counts as the integer 0 or 1.
void castElements(const Tensor &input, Tensor &result);

} // namespace tally::eval

#endif // TALLY_EVAL_CAST_H
