//===- OnnxRuntimeKernels.h - that runtime's elementwise codes --*- C++ -*-===//
//
// The fp32 arithmetic of onnxruntime's integer elementwise kernels on x86 with
// AVX2 (QLinearAdd, QLinearMul, and the 256-entry tables of QLinearSigmoid and
// QLinearLeakyRelu): the evaluator's own statement of it. The orders, and where
// a product and a sum are one fused operation, were found by running version
// 1.32 on all pairs of codes and on inputs that tell the candidates apart.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_EVAL_ONNXRUNTIMEKERNELS_H
#define TALLY_EVAL_ONNXRUNTIMEKERNELS_H

#include "tally/eval/Tensor.h"

#include <functional>

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

} // namespace tally::eval

#endif // TALLY_EVAL_ONNXRUNTIMEKERNELS_H
