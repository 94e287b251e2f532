//===- Log.h - natural logarithm -------------------------------*- C++ -*-===//
//
// x = 2^k m with m in [sqrt(1/2), sqrt(2)), f = m - 1 exactly, and
// log x = k ln 2 + (f + f^2 (-1/2 + f Q(f))); coefficients: ../coefficients/.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_QUANT_PINNED_LOG_H
#define TALLY_QUANT_PINNED_LOG_H

#include "tally/quant/pinned/Builder.h"

namespace tally::quant::pinned {

/// ln 2 = head + tail; the head has 16 bits, so k * head is exact.
inline constexpr float ln2Head = 0x1.62e4p-1f;
inline constexpr float ln2Tail = 0x1.7f7d1cp-20f;
inline constexpr float logPoly[] = {
    0x1.555554p-2f, -0x1.000228p-2f, 0x1.99a022p-3f, -0x1.54721ap-3f,
    0x1.22d86p-3f,  -0x1.0d852cp-3f, 0x1.05653p-3f,  -0x1.38cb8ep-4f};

/// x = 2^k (1 + f).
template <class B> struct LogReduction {
  typename B::F32 k, f;
};

/// For positive finite x; denormals are scaled by 2^23 first.
template <class B> LogReduction<B> reduceLog(B &b, typename B::F32 x) {
  auto isDenormal = b.lt(x, b.f32(0x1p-126f));
  x = b.select(isDenormal, b.mul(x, b.f32(0x1p23f)), x);
  auto sqrtHalf = b.i32(0x3f3504f3);
  auto k = b.ashr(b.isub(b.bits(x), sqrtHalf), b.i32(23));
  auto m = b.fromBits(b.isub(b.bits(x), b.shl(k, b.i32(23))));
  k = b.isub(k, b.select(isDenormal, b.i32(23), b.i32(0)));
  return {b.toFloat(k), b.sub(m, b.f32(1.0f))};
}

/// log x + correction for positive finite x and a correction below an ulp of
/// x - 1 or so.
template <class B>
typename B::F32 logCore(B &b, typename B::F32 x, typename B::F32 correction) {
  auto [k, f] = reduceLog(b, x);
  auto bend = b.fma(f, horner(b, f, logPoly), b.f32(-0.5f));
  auto rest = b.fma(k, b.f32(ln2Tail), correction);
  auto low = b.fma(b.mul(f, f), bend, rest);
  return b.fma(k, b.f32(ln2Head), b.add(f, low));
}

/// `value`, but log's special values of x: NaN below 0, -inf at +-0, +inf.
template <class B>
typename B::F32 logSpecials(B &b, typename B::F32 x, typename B::F32 value) {
  value = b.select(b.lt(x, b.f32(0.0f)), b.f32(quietNan), value);
  value = b.select(b.eq(x, b.f32(0.0f)), b.f32(-inf), value);
  value = b.select(b.eq(x, b.f32(inf)), b.f32(inf), value);
  return b.select(b.isNan(x), b.f32(quietNan), value);
}

/// Natural logarithm.
template <class B> typename B::F32 log(B &b, typename B::F32 x) {
  return logSpecials(b, x, logCore(b, x, b.f32(0.0f)));
}

/// log(1 + x) = log(u) + c / u with u = fl(1 + x) and c what u lost. Keeps -0;
/// log1p(-1) = -inf, NaN below -1.
template <class B> typename B::F32 log1p(B &b, typename B::F32 x) {
  auto one = b.f32(1.0f);
  auto u = b.add(one, x);
  auto lostOfX = b.sub(x, b.sub(u, one));
  auto lostOfOne = b.sub(one, b.sub(u, x));
  auto lost = b.select(b.lt(b.abs(x), one), lostOfX, lostOfOne);
  auto value = logSpecials(b, u, logCore(b, u, b.div(lost, u)));
  return b.select(b.eq(x, b.f32(0.0f)), x, value);
}

} // namespace tally::quant::pinned

#endif // TALLY_QUANT_PINNED_LOG_H
