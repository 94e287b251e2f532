//===- RuntimeQuantization.h - scales known only when run -------*- C++ -*-===//
//
// Quantization whose scale is itself a computed tensor. No certificate can
// exist, so the meaning is ONNX's fp32 formula in a stated order (numerics
// decision 11).
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_EVAL_RUNTIMEQUANTIZATION_H
#define TALLY_EVAL_RUNTIMEQUANTIZATION_H

#include "tally/eval/Request.h"
#include "tally/support/Result.h"

namespace tally::eval {

/// sat(RHE(x / scale) + zeroPoint) with an fp32 division; NaN gives `low`.
int64_t quantizeFloat(float x, float scale, int64_t zeroPoint, int64_t low,
                      int64_t high);
/// sat(RHE(quotient) + zeroPoint) of a division that was made.
int64_t quantizeQuotient(float quotient, int64_t zeroPoint, int64_t low,
                         int64_t high);

/// Which scale belongs to an element of a tensor of `shape`: one for all, one
/// per index of `axis`, or, with `blockSize` > 0, one per run of that many
/// indices of `axis` (the scale then has all dimensions).
class ScaleIndex {
public:
  ScaleIndex(std::span<const int64_t> shape, int64_t scales, int64_t axis,
             int64_t blockSize);
  int64_t operator()(int64_t element) const;

private:
  int64_t scales, inner, size, blockSize;
};

/// Inputs x (f32), scale (f32), optional zero point, as nn.quantize_runtime
/// states it; codes of `bits` bits, or of the result's element when that is 0.
Status evaluateQuantizeRuntime(Request &request, int64_t axis,
                               int64_t blockSize, int64_t bits);

/// Inputs codes (plain integers), scale (float), optional zero point, as
/// nn.dequantize_runtime states it.
Status evaluateDequantizeRuntime(Request &request, int64_t axis,
                                 int64_t blockSize);

/// Input x (f32); results codes (u8), scale (f32), zero point (u8), as
/// nn.dynamic_quantize_linear states it.
Status evaluateDynamicQuantize(Request &request);

} // namespace tally::eval

#endif // TALLY_EVAL_RUNTIMEQUANTIZATION_H
