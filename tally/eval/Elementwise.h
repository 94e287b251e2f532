//===- Elementwise.h - one element at a time --------------------*- C++ -*-===//
//
// The evaluator's frame for unary and binary operators: an operator states its
// meaning per kind of number, the frame applies it to whole tensors.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_EVAL_ELEMENTWISE_H
#define TALLY_EVAL_ELEMENTWISE_H

#include "tally/eval/OnnxRuntimeKernels.h"
#include "tally/eval/RealFunction.h"
#include "tally/eval/Request.h"
#include "tally/support/Result.h"

#include <compare>
#include <functional>

namespace tally::eval {

/// What a unary operator does to each kind of number. An empty member means
/// the operator has no meaning there. f16 and bf16 are computed in f32 and
/// rounded once. Booleans count as integers 0 and 1.
struct UnaryMeaning {
  std::function<float(float)> f32;
  std::function<double(double)> f64;
  std::function<int64_t(int64_t)> integer; ///< result wraps to the element
  /// Replaces `integer` for uint64, whose values do not fit an int64_t.
  std::function<uint64_t(uint64_t)> unsignedInteger;
  RealFunction real;
  /// What onnxruntime's integer kernel of the operator computes between an
  /// fp32 dequantize and an fp32 quantize; empty when there is no such kernel,
  /// and then that profile means the same as Ideal.
  std::function<float(float)> onnxruntime;
};

/// Applies `meaning` to input 0. Quantized tensors: round(f(real)) per code.
Status evaluateUnary(Request &request, const UnaryMeaning &meaning);

/// Sets boolean result 0 to fn of each element of float input 0.
Status evaluateClassification(Request &request,
                              const std::function<bool(double)> &fn);

/// As UnaryMeaning for two operands that broadcast.
struct BinaryMeaning {
  std::function<float(float, float)> f32;
  std::function<double(double, double)> f64;
  std::function<int64_t(int64_t, int64_t)> integer;
  /// Replaces `integer` for uint64, whose values do not fit an int64_t.
  std::function<uint64_t(uint64_t, uint64_t)> unsignedInteger;
  std::function<mpq_class(const mpq_class &, const mpq_class &)> rational;
  /// Makes onnxruntime's code of two codes; empty: that profile means Ideal.
  std::function<CodeFunction(const CodePairProblem &)> onnxruntime;
};

/// Applies `meaning` to inputs 0 and 1; per-tensor grids only.
Status evaluateBinary(Request &request, const BinaryMeaning &meaning);

/// Sets boolean result 0 to holds(a <=> b); NaN is unordered.
Status
evaluateComparison(Request &request,
                   const std::function<bool(std::partial_ordering)> &holds);

/// Result 0 is input 1 where boolean input 0 holds, else input 2; the three
/// broadcast. Elements are copied, codes moved to the result's grid first.
Status evaluateWhere(Request &request);

/// Result 0 is x = input 0, where it is below zero times the slope of input 1,
/// a real or codes of any grid: the exact real of per-tensor codes, rounded
/// once.
Status evaluatePReluCodes(Request &request);

/// Calls fn(i, ia, ib) for each element i of `result` with the elements of the
/// operands that broadcasting pairs with it.
void forEachBroadcast(const Shape &result, const Shape &a, const Shape &b,
                      const std::function<void(int64_t, int64_t, int64_t)> &fn);

/// Every code of `input` moved to the grid of `result` (both per tensor): the
/// exact real, rounded once. Under OnnxRuntime that runtime's fp32 table.
void requantize(const Tensor &input, Tensor &result, Profile profile);

/// The exact real of a code.
mpq_class realOf(const Quantization &grid, int64_t code, int64_t channel = 0);

/// "operator has no meaning on ELEMENT tensors" as a Diagnostic.
Diagnostic noMeaning(const Tensor &tensor);

} // namespace tally::eval

#endif // TALLY_EVAL_ELEMENTWISE_H
