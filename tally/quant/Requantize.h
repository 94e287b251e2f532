//===- Requantize.h - accumulator to code, with a proof --------*- C++ -*-===//
//
// A requantization takes an integer accumulator to the code of another grid:
//
//   IDEAL(acc) = clamp(RHE((acc * s + o) / s_y) + z, clampLo, clampHi)
//
// with s an exact product of scales, o an exact real addend, RHE round half to
// even. `deriveRequantize` turns such a problem into a record that integer
// hardware can run, and proves over the whole accumulator interval that the
// record equals IDEAL, or lists where it does not.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_QUANT_REQUANTIZE_H
#define TALLY_QUANT_REQUANTIZE_H

#include "tally/quant/CodeType.h"
#include "tally/quant/Dyadic.h"
#include "tally/support/Result.h"

#include <optional>
#include <string>
#include <vector>

namespace tally::quant {

/// Whose arithmetic a record follows.
enum class Profile {
  Ideal,        ///< exact; the default
  OnnxRuntime,  ///< fp32 effective scale and product, as that runtime on x86
  TfliteDouble, ///< 31-bit multiplier, two roundings
  TfliteSingle, ///< 31-bit multiplier, one rounding (half up)
};
std::string_view profileName(Profile profile); ///< "ideal", "onnxruntime", ...
std::optional<Profile> profileFromName(std::string_view name);

/// How TFLite forms the real effective scale before it takes 31 bits of it.
enum class TfliteScale {
  Double,        ///< all in double: convolution, per channel matmul
  FloatProduct,  ///< fl32(s_x * s_w), then double: per tensor matmul
  FloatQuotient, ///< all in float, left to right: Relu, Abs, LeakyRelu
};

/// One channel's question. The real of accumulator acc, in units of the output
/// scale, is
///
///   y(acc) = (acc * inputScale * weightScale * factor / divisor + offset)
///            / outputScale
///
/// Every float stands for its exact value. Scales must be finite and > 0;
/// `factor` finite of any sign (0 gives a constant), `divisor` >= 1.
struct RequantizeProblem {
  float inputScale = 1;
  float weightScale = 1; ///< or the second operand's scale, for products
  float factor = 1;      ///< an attribute such as Gemm's alpha or a slope
  float outputScale = 1;
  int64_t divisor = 1; ///< element count of an average
  Dyadic offset;       ///< real addend in the product domain, e.g. b_q * s_b

  /// Real bound of the accumulator, both ends inclusive, |end| < 2^60.
  int64_t accumulatorLo = INT32_MIN;
  int64_t accumulatorHi = INT32_MAX;

  CodeType result;
  int32_t zeroPoint = 0;
  /// Fused clamp in result codes, inclusive; the type's range if absent.
  std::optional<int32_t> clampLo, clampHi;

  Profile profile = Profile::Ideal;
  TfliteScale tfliteScale = TfliteScale::Double;
  /// OnnxRuntime only: the product of two codes (QLinearMul), whose kernel adds
  /// the zero point in fp32 before it rounds.
  bool isCodeProduct = false;

  /// Most bits of |multiplier| an executor can use (>= 8). A multiplier below
  /// 2^31 is preferred whenever it can be proven.
  int32_t multiplierBits = 62;
  /// Whether the executor can patch single accumulators or search a table.
  /// When it cannot, what stays inexact is listed under `deviations`.
  bool canPatch = true;
};

/// An accumulator and the code IDEAL gives it.
struct AccumulatorCode {
  int64_t accumulator;
  int32_t code;
  friend bool operator==(const AccumulatorCode &,
                         const AccumulatorCode &) = default;
};

/// Which of the record's fields carry its meaning.
enum class RequantizeKind {
  FixedPoint,   ///< multiplier, offset, shift, tieWindow, exceptions
  Thresholds,   ///< thresholds, descending
  Float,        ///< effectiveScale, zeroPointBeforeRounding
  TfliteDouble, ///< multiplier (31 bits), shift to the left (may be < 0)
  TfliteSingle, ///< the same
};

/// What has been proven about a record against IDEAL.
enum class Certificate {
  Exact,               ///< equal on the whole accumulator interval
  ExactWithTieFix,     ///< equal thanks to tieWindow >= 0
  ExactWithExceptions, ///< equal thanks to the exception list
  ExactTable,          ///< equal because it is the table of thresholds
  Deviates,            ///< see deviations (at most maxListedDeviations)
  OtherProfile,        ///< follows another profile; no claim against IDEAL
};
std::string_view certificateName(Certificate certificate);

inline constexpr size_t maxExceptions = 16;
inline constexpr size_t maxListedDeviations = 64;

/// One channel's answer; `apply` is its meaning.
struct RequantizeRecord {
  RequantizeKind kind = RequantizeKind::FixedPoint;
  Certificate certificate = Certificate::Exact;
  int32_t zeroPoint = 0;
  int32_t clampLo = 0, clampHi = 0;

  /// FixedPoint, all in two's complement int64, never overflowing on the
  /// accumulator interval:
  ///   v = acc * multiplier + offset
  ///   q = v >> shift                                (arithmetic, 0..62)
  ///   if ((v & (2^shift - 1)) <= tieWindow) q -= q & 1
  ///   code = clamp(q + zeroPoint, clampLo, clampHi)
  /// tieWindow is -1 where no tie needs care: the comparison is signed. The
  /// offset contains the half and, with a tie window, half of the window.
  int64_t multiplier = 0;
  int64_t offset = 0;
  int32_t shift = 0;
  int64_t tieWindow = -1;
  /// Sorted by accumulator; what the formula above gets wrong.
  std::vector<AccumulatorCode> exceptions;

  /// Thresholds: code = clampLo + number of entries <= x, with x = acc, or
  /// x = -acc when `descending`. Non-decreasing, clampHi - clampLo entries.
  std::vector<int64_t> thresholds;
  bool descending = false;

  /// Float: p = fl32(acc) * effectiveScale in fp32, with a divisor's scale
  /// fl32(s / fl32(s_y * divisor)), then either
  ///   clamp p to [clampLo - z, clampHi - z], RHE, + z      (convolution), or
  ///   fl32(p + z), RHE (out of int32 gives INT32_MIN), clamp to codes
  ///                                        (zeroPointBeforeRounding).
  float effectiveScale = 0;
  bool zeroPointBeforeRounding = false;

  /// Codes where the record and IDEAL differ, with IDEAL's code; complete if
  /// `deviationCount` == deviations.size().
  std::vector<AccumulatorCode> deviations;
  int64_t deviationCount = 0;

  friend bool operator==(const RequantizeRecord &,
                         const RequantizeRecord &) = default;
};

/// The record's meaning. `acc` must lie in the problem's interval.
int32_t apply(const RequantizeRecord &record, int64_t acc);

/// IDEAL itself by exact arithmetic; any profile in the problem is ignored.
int32_t applyIdeal(const RequantizeProblem &problem, int64_t acc);

/// Derives and certifies. Rule labels of failures (kind Model unless said):
///   RQ-SCALE   a scale is not finite or not > 0, or the factor not finite
///   RQ-DIVISOR divisor < 1
///   RQ-RANGE   accumulator interval empty or beyond +-2^60
///   RQ-RESULT  result type not 4, 8 or 16 bits, zero point or clamp no code
///   RQ-PROFILE (Unsupported) the profile has no such form: a real offset, an
///              accumulator beyond int32 outside Ideal, in TFLite a divisor or
///              a left shift that overflows its int32, or an effective scale
///              that overflows in the profile's floats
Result<RequantizeRecord> deriveRequantize(const RequantizeProblem &problem);

/// Explains one accumulator: exact value, record's code, IDEAL's code, and the
/// rule that made them differ. One line, no final stop.
std::string explain(const RequantizeProblem &problem,
                    const RequantizeRecord &record, int64_t acc);

} // namespace tally::quant

#endif // TALLY_QUANT_REQUANTIZE_H
