//===- Elementwise.h - one element at a time --------------------*- C++ -*-===//
//
// The evaluator's frame for unary and binary operators: an operator states its
// meaning per kind of number, the frame applies it to whole tensors.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_EVAL_ELEMENTWISE_H
#define TALLY_EVAL_ELEMENTWISE_H

#include "tally/eval/ExactRounding.h"
#include "tally/eval/Request.h"
#include "tally/support/Result.h"

#include <functional>
#include <mpfr.h>

namespace tally::eval {

/// A real function of one real, for quantized tensors. Exactly one member is
/// set. `rational` is exact. `approximate` computes f(x) into `result` with a
/// relative error below 2^(10 - precision of result); it may set infinities
/// (they saturate) and NaN (no real value: becomes the code of 0).
struct RealFunction {
  std::function<mpq_class(const mpq_class &x)> rational;
  std::function<void(mpfr_t result, const mpfr_t x)> approximate;
};

/// What a unary operator does to each kind of number. An empty member means
/// the operator has no meaning there. f16 and bf16 are computed in f32 and
/// rounded once.
struct UnaryMeaning {
  std::function<float(float)> f32;
  std::function<double(double)> f64;
  std::function<int64_t(int64_t)> integer; ///< result wraps to the element
  RealFunction real;
};

/// Applies `meaning` to input 0. Quantized tensors: round(f(real)) per code.
Status evaluateUnary(Request &request, const UnaryMeaning &meaning);

/// As UnaryMeaning for two operands that broadcast.
struct BinaryMeaning {
  std::function<float(float, float)> f32;
  std::function<double(double, double)> f64;
  std::function<int64_t(int64_t, int64_t)> integer;
  std::function<mpq_class(const mpq_class &, const mpq_class &)> rational;
};

/// Applies `meaning` to inputs 0 and 1; per-tensor grids only.
Status evaluateBinary(Request &request, const BinaryMeaning &meaning);

/// Calls fn(i, ia, ib) for each element i of `result` with the elements of the
/// operands that broadcasting pairs with it.
void forEachBroadcast(const Shape &result, const Shape &a, const Shape &b,
                      const std::function<void(int64_t, int64_t, int64_t)> &fn);

/// The code of f(x) on `grid`, decided with as many bits as it takes.
int64_t roundFunction(const RealFunction &function, const mpq_class &x,
                      const Quantization &grid);

/// Every code of `input` moved to the grid of `result` (both per tensor): the
/// exact real, rounded once.
void requantize(const Tensor &input, Tensor &result);

/// The exact real of a code.
mpq_class realOf(const Quantization &grid, int64_t code, int64_t channel = 0);

/// "operator has no meaning on ELEMENT tensors" as a Diagnostic.
Diagnostic noMeaning(const Tensor &tensor);

} // namespace tally::eval

#endif // TALLY_EVAL_ELEMENTWISE_H
