//===- CodeProblems.h - operators on codes as exact problems ----*- C++ -*-===//
//
// What quantized types ask of the exact integer arithmetic (tally/quant): the
// bridge every executor takes that runs codes by certified records.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_OPS_CODEPROBLEMS_H
#define TALLY_OPS_CODEPROBLEMS_H

#include "tally/eval/Tensor.h"
#include "tally/quant/Grid.h"
#include "tally/quant/LinearCombine.h"
#include "tally/quant/Requantize.h"

namespace tally::nn {

/// A closed interval of integers.
struct Interval {
  __int128 lo = 0, hi = 0;
  Interval operator+(int64_t shift) const { return {lo + shift, hi + shift}; }
};

/// What `code - zeroPoint` can be on a grid.
Interval stepRange(const eval::Quantization &grid, int64_t channel = 0);

/// The products a * x with x in `b`.
Interval timesInterval(__int128 a, Interval b);

/// The interval of a sum of `k` products.
Interval productSum(Interval a, Interval b, int64_t k);

/// A bias in accumulator units plus a real rest (numerics decision 1).
struct BiasParts {
  int64_t units = 0;
  quant::Dyadic real;
};
/// The bias is finite.
BiasParts biasParts(const eval::Tensor &bias, int64_t element, int64_t channel,
                    float scaleA, float scaleB);

/// The code type of a grid: the fewest bits that hold its range.
quant::CodeType codeType(const eval::Quantization &grid);
quant::Grid quantGrid(const eval::Quantization &grid);
/// Sets what a problem says of its result: scale, zero point, codes.
void setResult(quant::RequantizeProblem &problem,
               const eval::Quantization &grid);
/// The code of a real number: rounded half to even onto a per-tensor grid,
/// infinities saturate, NaN gives the smallest code.
int64_t codeOfReal(float value, const eval::Quantization &grid);
/// a + b or a - b, under IDEAL.
quant::LinearProblem linearProblem(const eval::Quantization &a,
                                   const eval::Quantization &b,
                                   const eval::Quantization &result,
                                   bool subtract);
/// (a - za) (b - zb) onto the result's grid, under IDEAL.
quant::RequantizeProblem productProblem(const eval::Quantization &a,
                                        const eval::Quantization &b,
                                        const eval::Quantization &result);

} // namespace tally::nn

#endif // TALLY_OPS_CODEPROBLEMS_H
