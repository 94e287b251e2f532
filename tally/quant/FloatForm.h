//===- FloatForm.h - a requantization in fp32, with a proof ----*- C++ -*-===//
//
// The codes of a RequantizeProblem for executors with float units:
//
//   q = RHE(fl32(fl32(fl32(acc) * scale) + addend))
//   code = clamp(q + origin, clampLo, clampHi)
//
// Multiplication and addition round each by itself. A form is made only where
// it is proven to equal IDEAL on the whole accumulator interval; small scales
// often have none (AffineFit.cpp says when).
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_QUANT_FLOATFORM_H
#define TALLY_QUANT_FLOATFORM_H

#include "tally/quant/Requantize.h"

namespace tally::quant {

struct FloatForm {
  float scale = 0, addend = 0; ///< neither a denormal; |q| <= 2^30
  /// The same for all problems of one zero point and clamp: it differs from
  /// the zero point by an even number, which puts the codes around q = 0.
  int32_t origin = 0;
  int32_t clampLo = 0, clampHi = 0;

  friend bool operator==(const FloatForm &, const FloatForm &) = default;
};

/// The form's meaning. `acc` must lie in the problem's interval.
int32_t apply(const FloatForm &form, int64_t acc);

/// A proven form, or nothing: under another profile than Ideal, for
/// accumulators beyond 32 bits, and where no two floats do. The problem must be
/// one that deriveRequantize accepts.
std::optional<FloatForm> deriveFloatForm(const RequantizeProblem &problem);

} // namespace tally::quant

#endif // TALLY_QUANT_FLOATFORM_H
