//===- Exp.h - exponential and what is made of it --------------*- C++ -*-===//
//
// e^x = 2^n e^r with n the nearest integer to x / ln 2 and |r| <= ln(2) / 2.
// ln 2 is split so that n times its head is exact, hence r carries one rounding
// only. e^r = 1 + (r + r^2 P(r)); coefficients: ../coefficients/.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_QUANT_PINNED_EXP_H
#define TALLY_QUANT_PINNED_EXP_H

#include "tally/quant/pinned/Builder.h"
#include "tally/quant/pinned/Log.h"

namespace tally::quant::pinned {

inline constexpr float log2OfE = 0x1.715476p0f;
inline constexpr float expPoly[] = {0x1.fffffcp-2f, 0x1.55549p-3f,
                                    0x1.55589ep-5f, 0x1.123ac8p-7f,
                                    0x1.6a628ep-10f};

/// x = n ln 2 + r + rest, where rest is what rounding r lost.
template <class B> struct ExpReduction {
  Rounded<B> n;
  typename B::F32 r, rest;
};

/// For |x| < 2^14; `tail` is a small addend of x.
template <class B>
ExpReduction<B> reduceExp(B &b, typename B::F32 x, typename B::F32 tail) {
  auto n = roundToInt(b, b.mul(x, b.f32(log2OfE)));
  auto coarse = b.fma(n.asFloat, b.f32(-ln2Head), x);
  auto fine = b.fma(n.asFloat, b.f32(-ln2Tail), tail);
  auto r = b.add(coarse, fine);
  return {n, r, b.sub(fine, b.sub(r, coarse))};
}

/// e^(r + rest) - 1.
template <class B> typename B::F32 expm1Core(B &b, const ExpReduction<B> &x) {
  auto bend = b.fma(horner(b, x.r, expPoly), b.mul(x.r, x.r), x.rest);
  return b.add(x.r, bend);
}

/// e^(x + tail) for a tail below an ulp of x; out of range saturates.
template <class B>
typename B::F32 expWithTail(B &b, typename B::F32 x, typename B::F32 tail) {
  x = b.select(b.lt(b.f32(89.0f), x), b.f32(89.0f), x);
  x = b.select(b.lt(x, b.f32(-104.0f)), b.f32(-104.0f), x);
  ExpReduction<B> reduced = reduceExp(b, x, tail);
  auto power = b.add(b.f32(1.0f), expm1Core(b, reduced));
  return scaleByPower(b, power, reduced.n.asInt);
}

/// e^x. exp(+inf) = +inf, exp(-inf) = +0; denormal results are rounded once.
template <class B> typename B::F32 exp(B &b, typename B::F32 x) {
  return b.select(b.isNan(x), b.f32(quietNan), expWithTail(b, x, b.f32(0.0f)));
}

/// exp(x) for |x| <= 80 in fewer operations: there is nothing to saturate, and
/// the power of two and the result are normal numbers. A NaN gives some NaN.
template <class B> typename B::F32 expModerate(B &b, typename B::F32 x) {
  ExpReduction<B> reduced = reduceExp(b, x, b.f32(0.0f));
  auto power = b.add(b.f32(1.0f), expm1Core(b, reduced));
  return b.mul(power, powerOfTwo(b, reduced.n.asInt));
}

/// exp(-x) for x >= 0 in fewer operations. 2^(n + 64) and its product are
/// normal numbers for n > -152, so that only the last one is rounded. A NaN
/// gives some NaN.
template <class B> typename B::F32 expOfNegative(B &b, typename B::F32 x) {
  auto bounded = b.select(b.lt(b.f32(104.0f), x), b.f32(104.0f), x);
  ExpReduction<B> reduced = reduceExp(b, b.neg(bounded), b.f32(0.0f));
  auto power = b.add(b.f32(1.0f), expm1Core(b, reduced));
  auto scale = powerOfTwo(b, b.iadd(reduced.n.asInt, b.i32(64)));
  return b.mul(b.mul(power, scale), b.f32(0x1p-64f));
}

/// e^x - 1. Keeps -0; expm1(-inf) = -1.
///
/// 2^n (e^r - 1) + (2^n - 1) with halves of both terms, so that 2^n = 2^128 is
/// not needed; n = 0 is taken apart because halving a denormal is not exact.
template <class B> typename B::F32 expm1(B &b, typename B::F32 x) {
  auto bounded = b.select(b.lt(b.f32(89.0f), x), b.f32(89.0f), x);
  bounded = b.select(b.lt(bounded, b.f32(-25.0f)), b.f32(-25.0f), bounded);
  ExpReduction<B> reduced = reduceExp(b, bounded, b.f32(0.0f));
  auto core = expm1Core(b, reduced);
  auto n = reduced.n.asInt;
  auto half = powerOfTwo(b, b.isub(n, b.i32(1)));
  auto halfResult = b.fma(half, core, b.sub(half, b.f32(0.5f)));
  auto result =
      b.select(b.ieq(n, b.i32(0)), core, b.add(halfResult, halfResult));
  result = b.select(b.eq(x, b.f32(0.0f)), x, result);
  return canonicalNan(b, b.select(b.isNan(x), x, result));
}

/// 1 / (1 + e^-x), from e = e^-|x|, which never overflows. What the sum
/// d = fl(1 + e) lost is put back: q (1 - lost / d), where 1 / d is q itself
/// for q = 1 / d and about 1 - q for q = e / d.
template <class B> typename B::F32 sigmoid(B &b, typename B::F32 x) {
  auto e = expOfNegative(b, b.abs(x));
  auto one = b.f32(1.0f);
  auto isNegative = b.lt(x, b.f32(0.0f));
  auto d = b.add(one, e);
  auto lost = b.sub(e, b.sub(d, one));
  auto q = b.div(b.select(isNegative, e, one), d);
  auto reciprocal = b.select(isNegative, b.sub(one, q), q);
  return canonicalNan(b, b.fma(b.neg(b.mul(q, lost)), reciprocal, q));
}

inline constexpr float tanhPoly[] = {-0x1.55553ap-2f, 0x1.1108d6p-3f,
                                     -0x1.b879c8p-5f, 0x1.53d83cp-6f,
                                     -0x1.7e042ap-8f};

/// tanh: an odd polynomial up to 0.6, beyond it 1 - 2 / (e^2|x| + 1), which is
/// 1 long before |x| = 40. Keeps -0.
template <class B> typename B::F32 tanh(B &b, typename B::F32 x) {
  auto magnitude = b.abs(x);
  auto bounded =
      b.select(b.lt(b.f32(40.0f), magnitude), b.f32(40.0f), magnitude);
  auto e = expModerate(b, b.add(bounded, bounded));
  auto far = b.sub(b.f32(1.0f), b.div(b.f32(2.0f), b.add(e, b.f32(1.0f))));
  auto square = b.mul(x, x);
  auto near =
      b.fma(b.mul(square, magnitude), horner(b, square, tanhPoly), magnitude);
  auto result = b.select(b.lt(magnitude, b.f32(0.6f)), near, far);
  auto sign = b.iand(b.bits(x), b.i32(INT32_MIN));
  return canonicalNan(b, b.fromBits(b.ior(b.bits(result), sign)));
}

/// log(1 + e^x) = max(x, 0) + log1p(e^-|x|). softplus(+inf) = +inf,
/// softplus(-inf) = +0.
template <class B> typename B::F32 softplus(B &b, typename B::F32 x) {
  auto zero = b.f32(0.0f);
  auto ramp = b.select(b.lt(zero, x), x, zero);
  auto rest = log1p(b, expOfNegative(b, b.abs(x)));
  return canonicalNan(b, b.add(ramp, rest));
}

/// 1 / sqrt(x). rsqrt(+-0) = +-inf, rsqrt(+inf) = +0, NaN below 0.
template <class B> typename B::F32 rsqrt(B &b, typename B::F32 x) {
  return canonicalNan(b, b.div(b.f32(1.0f), b.sqrt(x)));
}

} // namespace tally::quant::pinned

#endif // TALLY_QUANT_PINNED_EXP_H
