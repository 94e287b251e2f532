//===- NativeMath.h - the pinned functions, executed here ------*- C++ -*-===//

#ifndef TALLY_QUANT_NATIVEMATH_H
#define TALLY_QUANT_NATIVEMATH_H

#include <cstddef>

namespace tally::quant::pinned {

float exp(float x);
float expm1(float x);
float log(float x);
float log1p(float x);
float sigmoid(float x);
float tanh(float x);
float softplus(float x);
float erf(float x);
float geluErf(float x);
float geluTanh(float x);
float sin(float x);
float cos(float x);
float rsqrt(float x);
float pow(float x, float y);

/// The pinned sum (pinned/Sum.h) of n floats, `stride` elements apart.
float sum(const float *x, size_t n, ptrdiff_t stride = 1);

} // namespace tally::quant::pinned

#endif // TALLY_QUANT_NATIVEMATH_H
