//===- LinearCombine.h - sums and differences of codes ---------*- C++ -*-===//
//
// Quantized Add and Sub: two codes on two grids, one result grid:
//
//   IDEAL(a, b) = clamp(RHE(((a - z_a) s_a +- (b - z_b) s_b) / s_y) + z, lo,
//   hi)
//
// A product of codes needs nothing of this: (a - z_a) (b - z_b) is an
// accumulator with the scale s_a * s_b (see Requantize.h).
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_QUANT_LINEARCOMBINE_H
#define TALLY_QUANT_LINEARCOMBINE_H

#include "tally/quant/Requantize.h"

namespace tally::quant {

/// One operand: its code type, scale (finite, > 0) and zero point.
struct LinearTerm {
  CodeType type;
  float scale = 1;
  int32_t zeroPoint = 0;
};

struct LinearProblem {
  LinearTerm a, b;
  bool subtract = false; ///< a - b
  float outputScale = 1;
  CodeType result;
  int32_t zeroPoint = 0;
  std::optional<int32_t> clampLo, clampHi; ///< as in RequantizeProblem
  Profile profile = Profile::Ideal;        ///< Ideal or OnnxRuntime
  /// OnnxRuntime only: a is one broadcast element (and b is not), for which
  /// that runtime exchanges the roles of a and b.
  bool scalarA = false;

  /// Most bits of |multiplier| an executor can use (>= 8).
  int32_t multiplierBits = 62;
};

enum class LinearKind { FixedPoint, Table, Float };

struct CodePair {
  int32_t a, b;
  int32_t code;
  friend bool operator==(const CodePair &, const CodePair &) = default;
};

/// The answer; `apply` is its meaning. Raw codes go in, zero points are folded.
struct LinearRecord {
  LinearKind kind = LinearKind::FixedPoint;
  Certificate certificate = Certificate::Exact;
  int32_t zeroPoint = 0;
  int32_t clampLo = 0, clampHi = 0;
  CodeType typeA, typeB;

  /// FixedPoint: v = a * multiplierA + b * multiplierB + offset in int64, then
  /// shift, tieWindow, zero point and clamp as in RequantizeRecord.
  int64_t multiplierA = 0, multiplierB = 0, offset = 0;
  int32_t shift = 0;
  int64_t tieWindow = -1;
  std::vector<CodePair> exceptions; ///< sorted by (a, b)

  /// Table: entry [rawBits(a) * typeB.count() + rawBits(b)].
  std::vector<int32_t> table;

  /// Float, the operation order of onnxruntime's AVX2 kernel, all in fp32:
  ///   RHE(fma(a, ratioA, fma(b, ratioB, constant)))
  /// with constant = z - fma(ratioA, z_a, ratioB * z_b), or with a and b
  /// exchanged throughout when scalarA; out of int32 gives INT32_MIN; then
  /// clamp to codes.
  float ratioA = 0, ratioB = 0, constant = 0;
  bool scalarA = false;

  friend bool operator==(const LinearRecord &, const LinearRecord &) = default;
};

int32_t apply(const LinearRecord &record, int32_t a, int32_t b);

/// IDEAL by exact arithmetic.
int32_t applyIdeal(const LinearProblem &problem, int32_t a, int32_t b);

inline constexpr size_t maxPairExceptions = 1024;

/// Derives and certifies: by brute force over all pairs when both operands have
/// at most 8 bits, else by the gap bound or a search for the pairs near a tie.
/// Rule labels of failures (kind Model unless said):
///   RQ-SCALE   a scale is not finite or not > 0
///   RQ-RESULT  result type not 4, 8 or 16 bits, zero point or clamp no code
///   RQ-OPERAND operand type over 16 bits, or a zero point that is no code
///   RQ-SPREAD  (Unsupported) a 16-bit operand whose scale is so far from the
///              others that more than maxPairExceptions pairs stay inexact
///   RQ-PROFILE (Unsupported) a difference under OnnxRuntime, or TFLite
Result<LinearRecord> deriveLinear(const LinearProblem &problem);

} // namespace tally::quant

#endif // TALLY_QUANT_LINEARCOMBINE_H
