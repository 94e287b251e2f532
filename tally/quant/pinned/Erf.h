//===- Erf.h - error function and Gelu -------------------------*- C++ -*-===//
//
// erf x = x + x P(x^2) near zero, 1 - e^-P(|x|) beyond 0.92, with P fitted to
// -log(erfc); coefficients: ../coefficients/.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_QUANT_PINNED_ERF_H
#define TALLY_QUANT_PINNED_ERF_H

#include "tally/quant/pinned/Builder.h"
#include "tally/quant/pinned/Exp.h"

namespace tally::quant::pinned {

inline constexpr float erfNearPoly[] = {
    0x1.06eba8p-3f, -0x1.81274p-2f,   0x1.ce2d64p-4f, -0x1.b80114p-6f,
    0x1.54497cp-8f, -0x1.a6004ap-11f, 0x1.4f35fap-14f};
inline constexpr float erfFarPoly[] = {
    -0x1.6040dep-14f, 0x1.21040ap0f,   0x1.450282p-1f,  0x1.b2ab4ep-4f,
    -0x1.7a1d1ap-6f,  0x1.7dd66ap-9f,  0x1.27f2a6p-14f, -0x1.bd6a82p-14f,
    0x1.326c08p-16f,  -0x1.30eaccp-20f};

/// Error function. Keeps -0; erf(+-inf) = +-1.
template <class B> typename B::F32 erf(B &b, typename B::F32 x) {
  auto magnitude = b.abs(x);
  auto square = b.mul(x, x);
  auto near = b.fma(magnitude, horner(b, square, erfNearPoly), magnitude);
  auto bounded =
      b.select(b.lt(b.f32(3.95f), magnitude), b.f32(3.95f), magnitude);
  auto logErfc = b.neg(horner(b, bounded, erfFarPoly));
  auto far = b.sub(b.f32(1.0f), expModerate(b, logErfc));
  auto result = b.select(b.lt(magnitude, b.f32(0.92f)), near, far);
  auto sign = b.iand(b.bits(x), b.i32(INT32_MIN));
  result = b.fromBits(b.ior(b.bits(result), sign));
  return b.select(b.isNan(x), b.f32(quietNan), result);
}

/// (x / 2) (1 + erf(x fl(sqrt(1/2)))), composed in this order, each step
/// rounded: small in absolute error, not in relative error, for x << 0.
/// geluErf(-inf) is NaN (-inf * 0), as in the formula.
template <class B> typename B::F32 geluErf(B &b, typename B::F32 x) {
  auto inner = erf(b, b.mul(x, b.f32(0x1.6a09e6p-1f)));
  auto half = b.mul(b.f32(0.5f), x);
  return canonicalNan(b, b.mul(half, b.add(b.f32(1.0f), inner)));
}

/// (x / 2) (1 + tanh(fl(sqrt(2/pi)) (x + fl(0.044715) ((x x) x)))), composed in
/// this order, each step rounded. geluTanh(-inf) is NaN.
template <class B> typename B::F32 geluTanh(B &b, typename B::F32 x) {
  auto cube = b.mul(b.mul(x, x), x);
  auto sum = b.add(x, b.mul(b.f32(0.044715f), cube));
  auto inner = tanh(b, b.mul(b.f32(0x1.988454p-1f), sum));
  auto half = b.mul(b.f32(0.5f), x);
  return canonicalNan(b, b.mul(half, b.add(b.f32(1.0f), inner)));
}

} // namespace tally::quant::pinned

#endif // TALLY_QUANT_PINNED_ERF_H
