//===- OnnxRuntimeKernels.h - that runtime's elementwise codes --*- C++ -*-===//
//
// The arithmetic of onnxruntime's integer kernels on x86 with AVX2 that are no
// products (QLinearAdd, QLinearMul, the 256-entry tables of QLinearSigmoid,
// QLinearLeakyRelu and QLinearConcat, QLinearAveragePool, QLinearSoftmax): the
// evaluator's own statement of it. The orders, and where a product and a sum
// are one fused operation, were found by running version 1.32 on all pairs of
// codes and on inputs that tell the candidates apart.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_EVAL_ONNXRUNTIMEKERNELS_H
#define TALLY_EVAL_ONNXRUNTIMEKERNELS_H

#include "tally/eval/Tensor.h"

#include <functional>
#include <vector>

namespace tally::eval {

/// The code of two codes.
using CodeFunction = std::function<int64_t(int64_t, int64_t)>;

/// Two operands and a result on per-tensor grids.
struct CodePairProblem {
  const Quantization &a, &b, &result;
  /// a has one element along the innermost dimension of the result which is
  /// not 1: the runtime then treats it as a scalar and swaps the operands.
  bool scalarA = false;
};

/// With rA = sA / sC, rB = sB / sC and k = zC - fma(rA, zA, rB zB):
///
///   code = sat(RHE(fma(a, rA, fma(b, rB, k))))
///
/// A scalar a swaps the operands, in k too. A sum outside int32 gives the
/// lowest code, as the conversion instruction answers INT32_MIN.
CodeFunction onnxruntimeAdd(const CodePairProblem &problem);

/// code = sat(RHE(((a - zA) (b - zB)) ((sA sB) / sC) + zC)), every operation
/// rounded; a value outside int32 gives the lowest code.
CodeFunction onnxruntimeMul(const CodePairProblem &problem);

/// The code of f((code - z) s): quotient by the result's scale, clamped so
/// that adding the zero point stays in range, RHE, plus the zero point.
int64_t onnxruntimeTableCode(const std::function<float(float)> &f, int64_t code,
                             const Quantization &input,
                             const Quantization &result);

/// The same with f(x) = x: codes moved to another grid, as by QLinearConcat or
/// a DequantizeLinear before a QuantizeLinear. On an equal grid codes are
/// copied, as QLinearConcat does it, also where their reals overflow fp32.
int64_t onnxruntimeGridChange(int64_t code, const Quantization &input,
                              const Quantization &result);

/// Both codes moved to the result's grid, then the larger or smaller.
CodeFunction onnxruntimeExtreme(const CodePairProblem &problem,
                                bool wantsLargest);

/// The mean of a window's reals, whose fp32 sum (one addition each, in order)
/// is given: sat(RHE(sum / divisor / s + z)), every operation rounded; a value
/// outside int32 gives the lowest code.
int64_t onnxruntimeMean(float sum, int64_t divisor, const Quantization &result);

/// What the softmax of a line of n codes sums, by the distance d < `size` of a
/// code from the line's largest:
///
///   shift = (max(0, fl32(log(fl32(FLT_MAX / n))) - 5)) / s
///   t[d]  = fl32(exp(((255 - d) - 255 + shift) * s))
///
/// in fp64 where no fl32 is written; log and exp are correctly rounded here and
/// the host's in that runtime.
std::vector<float> onnxruntimeExponentials(float scale, int64_t n,
                                           int64_t size);

/// sat(RHE(t * floor(fl32(1 / s)) / sum) + z) in fp64, where `sum` is the fp32
/// sum of the line's t, in order. 0 / 0 and 0 * infinity are 0.
int64_t onnxruntimeShare(float t, float sum, const Quantization &result);

} // namespace tally::eval

#endif // TALLY_EVAL_ONNXRUNTIMEKERNELS_H
