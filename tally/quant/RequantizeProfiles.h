//===- RequantizeProfiles.h - other runtimes' arithmetic -------*- C++ -*-===//

#ifndef TALLY_QUANT_REQUANTIZEPROFILES_H
#define TALLY_QUANT_REQUANTIZEPROFILES_H

#include "tally/quant/Requantize.h"

namespace tally::quant {

/// A TFLite quantized multiplier: the real factor is
/// multiplier * 2^(leftShift - 31), leftShift in [-31, 30].
struct TfliteMultiplier {
  int32_t multiplier = 0;
  int32_t leftShift = 0;
  friend bool operator==(TfliteMultiplier, TfliteMultiplier) = default;
};

/// 31 bits of a finite `real`, rounded half away from zero; 0 for magnitudes
/// below 2^-32, which no right shift up to 31 reaches.
TfliteMultiplier quantizeMultiplier(double real);

/// Scaling of TFLite's reference kernels: a saturating rounding doubling high
/// product (half up), then a division by a power of two (half away from zero).
/// x * 2^leftShift must fit int32.
int64_t scaleWithTwoRoundings(int32_t x, TfliteMultiplier m);

/// One rounding, half up, of the 64-bit product.
int64_t scaleWithOneRounding(int32_t x, TfliteMultiplier m);

/// fp32 to int32 as x86's cvtps2dq: ties to even; NaN and anything outside
/// int32 give INT32_MIN.
int32_t convertLikeX86(float value);

/// Fills the profile's fields of `record`, whose zero point and clamps are set.
Status deriveProfile(const RequantizeProblem &problem,
                     RequantizeRecord &record);

/// The record's meaning for the kinds Float, TfliteDouble, TfliteSingle.
int32_t applyProfile(const RequantizeRecord &record, int64_t acc);

} // namespace tally::quant

#endif // TALLY_QUANT_REQUANTIZEPROFILES_H
