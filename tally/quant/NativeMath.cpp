//===- NativeMath.cpp - the pinned functions, executed here ---------------===//

#include "tally/quant/NativeMath.h"
#include "tally/quant/NativeBuilder.h"
#include "tally/quant/PinnedMath.h"

namespace tally::quant::pinned {

static NativeBuilder native;

float exp(float x) { return exp(native, x); }
float expm1(float x) { return expm1(native, x); }
float log(float x) { return log(native, x); }
float log1p(float x) { return log1p(native, x); }
float sigmoid(float x) { return sigmoid(native, x); }
float tanh(float x) { return tanh(native, x); }
float softplus(float x) { return softplus(native, x); }
float erf(float x) { return erf(native, x); }
float geluErf(float x) { return geluErf(native, x); }
float geluTanh(float x) { return geluTanh(native, x); }
float sin(float x) { return sin(native, x); }
float cos(float x) { return cos(native, x); }
float rsqrt(float x) { return rsqrt(native, x); }
float pow(float x, float y) { return pow(native, x, y); }

float sum(const float *x, size_t n, ptrdiff_t stride) {
  return sumPinned(n, [&](size_t i) { return x[ptrdiff_t(i) * stride]; });
}

} // namespace tally::quant::pinned
