//===- Pow.h - x to the power of y -----------------------------*- C++ -*-===//
//
// x^y = e^(y log x) with log x and the product as unevaluated sums of two
// floats: y log x reaches 89, so one float's rounding would cost 2^6 ulp.
//
// log x = k ln 2 + log m; s = (m - 1) / (m + 1); log m = 2s + s^3 (2/3 + s^2
// L(s^2)). 2s, s^2 and 2/3 + ... are sums of two floats; L needs one.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_QUANT_PINNED_POW_H
#define TALLY_QUANT_PINNED_POW_H

#include "tally/quant/pinned/Builder.h"
#include "tally/quant/pinned/Exp.h"
#include "tally/quant/pinned/Log.h"

namespace tally::quant::pinned {

inline constexpr float powPoly[] = {0x1.999998p-2f, 0x1.2493b6p-2f,
                                    0x1.c63d84p-3f, 0x1.908a6ap-3f};

/// The unevaluated sum head + tail, |tail| below an ulp of head or so.
template <class B> struct Pair {
  typename B::F32 head, tail;
};

/// a + b exactly, for |a| >= |b| or a = 0.
template <class B>
Pair<B> fastTwoSum(B &b, typename B::F32 x, typename B::F32 y) {
  auto sum = b.add(x, y);
  return {sum, b.sub(y, b.sub(sum, x))};
}

/// a + b exactly.
template <class B> Pair<B> twoSum(B &b, typename B::F32 x, typename B::F32 y) {
  auto sum = b.add(x, y);
  auto shareOfY = b.sub(sum, x);
  auto lostOfX = b.sub(x, b.sub(sum, shareOfY));
  return {sum, b.add(lostOfX, b.sub(y, shareOfY))};
}

/// Product of two pairs, the tails' product dropped.
template <class B> Pair<B> mulPairs(B &b, Pair<B> x, Pair<B> y) {
  auto head = b.mul(x.head, y.head);
  auto tail = b.fma(x.head, y.head, b.neg(head));
  tail = b.fma(x.head, y.tail, tail);
  return {head, b.fma(x.tail, y.head, tail)};
}

/// f / (2 + f) as a pair.
template <class B> Pair<B> logQuotient(B &b, typename B::F32 f) {
  auto two = b.f32(2.0f);
  auto divisor = b.add(two, f);
  auto divisorTail = b.sub(f, b.sub(divisor, two));
  auto head = b.div(f, divisor);
  auto rest = b.fma(b.neg(head), divisor, f);
  rest = b.fma(b.neg(head), divisorTail, rest);
  return {head, b.div(rest, divisor)};
}

/// log x as a pair, for positive finite x.
template <class B> Pair<B> logPair(B &b, typename B::F32 x) {
  auto [k, f] = reduceLog(b, x);
  Pair<B> s = logQuotient(b, f);
  Pair<B> z = mulPairs(b, s, s);
  auto series = b.mul(z.head, horner(b, z.head, powPoly));
  Pair<B> slope = fastTwoSum(b, b.f32(0x1.555556p-1f), series);
  slope.tail = b.add(slope.tail, b.f32(-0x1.555556p-26f));
  Pair<B> bend = mulPairs(b, s, mulPairs(b, z, slope));
  auto twice = b.add(s.head, s.head);
  Pair<B> logM = fastTwoSum(b, twice, bend.head);
  auto tail = b.add(logM.tail, b.add(b.add(s.tail, s.tail), bend.tail));
  Pair<B> sum = fastTwoSum(b, b.mul(k, b.f32(ln2Head)), logM.head);
  tail = b.add(sum.tail, b.fma(k, b.f32(ln2Tail), tail));
  return fastTwoSum(b, sum.head, tail);
}

/// |x|^y for x != 1, y != 0, neither NaN; infinities and zero included.
template <class B>
typename B::F32 powMagnitude(B &b, typename B::F32 magnitude,
                             typename B::F32 y) {
  Pair<B> logX = logPair(b, magnitude);
  auto isZero = b.eq(magnitude, b.f32(0.0f));
  auto isInfinite = b.eq(magnitude, b.f32(inf));
  logX.head = b.select(isZero, b.f32(-inf), logX.head);
  logX.head = b.select(isInfinite, b.f32(inf), logX.head);
  auto head = b.mul(y, logX.head);
  auto tail = b.fma(y, logX.tail, b.fma(y, logX.head, b.neg(head)));
  auto isFar = b.lt(b.f32(200.0f), b.abs(head));
  tail = b.select(isFar, b.f32(0.0f), tail);
  return expWithTail(b, head, tail);
}

/// x^y with the special values of C's pow: x^0 = 1^y = 1 even for NaN;
/// (-1)^(+-inf) = 1; a negative x needs an integer y, else NaN; odd integer y
/// keep the sign of x, zero and infinity included.
template <class B>
typename B::F32 pow(B &b, typename B::F32 x, typename B::F32 y) {
  auto one = b.f32(1.0f), zero = b.f32(0.0f);
  auto magnitude = b.abs(x);
  auto value = powMagnitude(b, magnitude, y);
  value = b.select(b.eq(magnitude, one), one, value);

  auto isInteger = b.eq(b.roundeven(y), y);
  auto halfY = b.mul(y, b.f32(0.5f));
  auto isEven = b.eq(b.roundeven(halfY), halfY);
  auto sign = b.iand(b.bits(x), b.i32(INT32_MIN));
  sign = b.select(isEven, b.i32(0), sign);
  auto signedValue = b.fromBits(b.ior(b.bits(value), sign));
  value = b.select(isInteger, signedValue, value);

  auto isNegative = b.both(b.lt(x, zero), b.lt(magnitude, b.f32(inf)));
  auto undefined = b.select(isInteger, value, b.f32(quietNan));
  value = b.select(isNegative, undefined, value);
  value = b.select(b.either(b.isNan(x), b.isNan(y)), b.f32(quietNan), value);
  return b.select(b.either(b.eq(y, zero), b.eq(x, one)), one, value);
}

} // namespace tally::quant::pinned

#endif // TALLY_QUANT_PINNED_POW_H
