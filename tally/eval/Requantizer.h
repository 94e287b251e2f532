//===- Requantizer.h - accumulators to codes --------------------*- C++ -*-===//
//
// What an integer accumulator becomes on the result's grid, under each
// numerics profile; the evaluator's own statement of it.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_EVAL_REQUANTIZER_H
#define TALLY_EVAL_REQUANTIZER_H

#include "tally/eval/ExactRounding.h"
#include "tally/eval/Request.h"

namespace tally::eval {

/// An exact real, mantissa * 2^exponent, added to a product. Up to 112 bits: a
/// code (33) by its scale and beta of a Gemm (24 each), and by the divisor.
struct RealAddend {
  __int128 mantissa = 0;
  int exponent = 0;
};

/// The real that an accumulator stands for:
/// `acc * scaleA * scaleB * factor / divisor + offset`.
struct AccumulatorMeaning {
  float scaleA = 1, scaleB = 1;
  double factor = 1;   ///< exact; alpha of a Gemm, or 1
  int64_t divisor = 1; ///< exact, below 2^31; element count of a mean
  RealAddend offset;
};

/// Whose form the mean of `terms` codes follows: onnxruntime's own where every
/// sum of steps fits its 32-bit accumulator, else Ideal.
Profile meanProfile(Profile profile, const Quantization &input, int64_t terms);

/// Rounds the accumulators of one channel.
class Requantizer {
public:
  Requantizer(Profile profile, const AccumulatorMeaning &meaning,
              const Quantization &result, int64_t channel = 0);

  int64_t code(int64_t acc) const;

private:
  int64_t idealCode(int64_t acc) const;
  int64_t slowCode(int64_t acc) const;
  int64_t onnxruntimeCode(int64_t acc) const;
  int64_t tfliteCode(int64_t acc) const;

  Profile profile;
  GridRounder rounder;
  int64_t zeroPoint, qmin, qmax; ///< of the result
  __int128 mantissa;             ///< of the accumulator's unit
  int exponent;
  RealAddend offset; ///< times the divisor
  bool hasOffset;
  bool hasDivisor;      ///< which tflite has no formula for
  float effectiveScale; ///< onnxruntime
  double doubleScale;   ///< tflite
};

/// Splits a bias into accumulator units and a real rest. A bias of i32 codes
/// whose scale equals fl32(scaleA * scaleB) counts in accumulator units
/// (numerics decision 1), any other bias is a real addend.
struct BiasTerm {
  int64_t units = 0;
  RealAddend real;
};
BiasTerm biasTerm(const Tensor &bias, int64_t index, int64_t channel,
                  float scaleA, float scaleB);

} // namespace tally::eval

#endif // TALLY_EVAL_REQUANTIZER_H
