//===- Trig.h - sine and cosine --------------------------------*- C++ -*-===//
//
// x = q pi/2 + r with |r| <= pi/4, r as a sum of two floats, for every finite
// x.
//
// Up to 2^16, q pi/2 is subtracted in three parts: the first difference is
// exact, because its result is a multiple of 2^-24 below 1.
//
// Beyond, x = m 2^e with a 24-bit m, and only the fraction of x (2/pi) mod 4 is
// wanted. Bits of 2/pi that m 2^e turns into multiples of 4 do not matter, so a
// window of 96 bits of 2/pi, chosen by e, is multiplied by m in 32-bit words
// (method of Payne and Hanek). The 62 bits left of the point are enough: no
// fp32 number is closer than 2^-31 to a multiple of pi/2 in these units.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_QUANT_PINNED_TRIG_H
#define TALLY_QUANT_PINNED_TRIG_H

#include "tally/quant/pinned/Builder.h"
#include "tally/quant/pinned/Pow.h"

namespace tally::quant::pinned {

inline constexpr float halfPi[] = {0x1.921fb6p0f, -0x1.777a5cp-25f,
                                   -0x1.ee59dap-50f};
inline constexpr float twoOverPi = 0x1.45f306p-1f;
/// A word of zeros, then the bits of 2/pi after the point.
inline constexpr uint32_t twoOverPiWords[] = {
    0x00000000, 0xa2f9836e, 0x4e441529, 0xfc2757d1,
    0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab};
inline constexpr float sinPoly[] = {-0x1.555556p-3f, 0x1.111176p-7f,
                                    -0x1.a05ba6p-13f, 0x1.7cce36p-19f};
inline constexpr float cosPoly[] = {0x1.555556p-5f, -0x1.6c1762p-10f,
                                    0x1.a075d6p-16f, -0x1.371b9cp-22f};

/// x = quadrant * pi/2 + (r.head + r.tail).
template <class B> struct TrigReduction {
  typename B::I32 quadrant;
  Pair<B> r;
};

template <class B> TrigReduction<B> reduceNear(B &b, typename B::F32 x) {
  auto n = roundToInt(b, b.mul(x, b.f32(twoOverPi)));
  auto minusN = b.neg(n.asFloat);
  auto first = b.fma(minusN, b.f32(halfPi[0]), x);
  auto step = b.mul(minusN, b.f32(halfPi[1]));
  auto stepTail = b.fma(minusN, b.f32(halfPi[1]), b.neg(step));
  Pair<B> second = twoSum(b, first, step);
  auto tail = b.fma(minusN, b.f32(halfPi[2]), stepTail);
  return {n.asInt, fastTwoSum(b, second.head, b.add(second.tail, tail))};
}

/// Three words of 2/pi, starting at bit `at` of twoOverPiWords.
template <class B> struct PiWindow {
  typename B::I32 high, middle, low;
};

template <class B> PiWindow<B> piWindow(B &b, typename B::I32 at) {
  auto index = b.lshr(at, b.i32(5));
  auto shift = b.iand(at, b.i32(31));
  auto word = [&](int offset) {
    auto value = b.i32(int32_t(twoOverPiWords[offset]));
    for (int i = 1; i <= 4; ++i)
      value = b.select(b.ieq(index, b.i32(i)),
                       b.i32(int32_t(twoOverPiWords[i + offset])), value);
    return value;
  };
  // Two shifts, since one by 32 would be undefined when shift is 0.
  auto joined = [&](typename B::I32 upper, typename B::I32 lower) {
    auto rest = b.lshr(b.lshr(lower, b.i32(1)), b.isub(b.i32(31), shift));
    return b.ior(b.shl(upper, shift), rest);
  };
  auto w0 = word(0), w1 = word(1), w2 = word(2), w3 = word(3);
  return {joined(w0, w1), joined(w1, w2), joined(w2, w3)};
}

/// high : low * 2^-64, a signed fraction in [-1/2, 1/2), as a pair.
template <class B>
Pair<B> fractionToPair(B &b, typename B::I32 high, typename B::I32 low) {
  auto sixteen = b.i32(16), mask = b.i32(0xffff);
  auto part = [&](typename B::I32 bits, float unit) {
    return b.mul(b.toFloat(bits), b.f32(unit));
  };
  Pair<B> upper = fastTwoSum(b, part(b.ashr(high, sixteen), 0x1p-16f),
                             part(b.iand(high, mask), 0x1p-32f));
  Pair<B> lower = fastTwoSum(b, part(b.lshr(low, sixteen), 0x1p-48f),
                             part(b.iand(low, mask), 0x1p-64f));
  Pair<B> sum = fastTwoSum(b, upper.head, lower.head);
  return {sum.head, b.add(sum.tail, b.add(upper.tail, lower.tail))};
}

/// For 2^16 <= x, finite.
template <class B> TrigReduction<B> reduceFar(B &b, typename B::F32 x) {
  auto bits = b.bits(x);
  auto exponent = b.isub(b.lshr(bits, b.i32(23)), b.i32(150));
  auto m = b.ior(b.iand(bits, b.i32(0x7fffff)), b.i32(0x800000));
  auto window = piWindow(b, b.iadd(exponent, b.i32(30)));

  auto carryIn = b.imulhu(m, window.low);
  auto middleLow = b.imul(m, window.middle);
  auto middle = b.iadd(middleLow, carryIn);
  auto flip = b.i32(INT32_MIN); // makes a signed comparison unsigned
  auto carry = b.select(b.ilt(b.ixor(middle, flip), b.ixor(middleLow, flip)),
                        b.i32(1), b.i32(0));
  auto high =
      b.iadd(b.iadd(b.imul(m, window.high), b.imulhu(m, window.middle)), carry);

  auto fractionHigh = b.ior(b.shl(high, b.i32(2)), b.lshr(middle, b.i32(30)));
  auto fractionLow = b.shl(middle, b.i32(2));
  auto quadrant =
      b.iadd(b.lshr(high, b.i32(30)), b.lshr(fractionHigh, b.i32(31)));
  Pair<B> fraction = fractionToPair(b, fractionHigh, fractionLow);
  Pair<B> r =
      mulPairs(b, fraction, Pair<B>{b.f32(halfPi[0]), b.f32(halfPi[1])});
  return {quadrant, fastTwoSum(b, r.head, r.tail)};
}

/// For x >= 0. Infinity and NaN give some value.
template <class B> TrigReduction<B> reduceTrig(B &b, typename B::F32 x) {
  auto isFar = b.le(b.f32(0x1p16f), x);
  TrigReduction<B> near = reduceNear(b, x);
  // 2^16 stands in where the window would be out of its range.
  auto isFinite = b.lt(x, b.f32(inf));
  auto usable = b.both(isFar, isFinite);
  TrigReduction<B> far = reduceFar(b, b.select(usable, x, b.f32(0x1p16f)));
  return {b.select(isFar, far.quadrant, near.quadrant),
          {b.select(isFar, far.r.head, near.r.head),
           b.select(isFar, far.r.tail, near.r.tail)}};
}

/// sin(r) and cos(r) of a pair |r| <= pi/4.
template <class B> typename B::F32 sinCore(B &b, Pair<B> r) {
  auto square = b.mul(r.head, r.head);
  auto cube = b.mul(square, r.head);
  auto tail = b.fma(b.mul(square, b.f32(-0.5f)), r.tail, r.tail);
  return b.add(r.head, b.fma(cube, horner(b, square, sinPoly), tail));
}

template <class B> typename B::F32 cosCore(B &b, Pair<B> r) {
  auto square = b.mul(r.head, r.head);
  auto half = b.mul(square, b.f32(0.5f));
  auto one = b.f32(1.0f);
  auto head = b.sub(one, half);
  auto lost = b.sub(b.sub(one, head), half);
  auto bend = b.mul(b.mul(square, square), horner(b, square, cosPoly));
  auto tail = b.sub(bend, b.mul(r.head, r.tail));
  return b.add(head, b.add(lost, tail));
}

/// sin of quadrant * pi/2 + r.
template <class B> typename B::F32 sinOfQuadrant(B &b, TrigReduction<B> x) {
  auto isOdd = b.ieq(b.iand(x.quadrant, b.i32(1)), b.i32(1));
  auto value = b.select(isOdd, cosCore(b, x.r), sinCore(b, x.r));
  auto isLower = b.ieq(b.iand(x.quadrant, b.i32(2)), b.i32(2));
  return b.select(isLower, b.neg(value), value);
}

/// Sine. Keeps -0; NaN at infinities.
template <class B> typename B::F32 sin(B &b, typename B::F32 x) {
  auto magnitude = b.abs(x);
  auto value = sinOfQuadrant(b, reduceTrig(b, magnitude));
  auto sign = b.iand(b.bits(x), b.i32(INT32_MIN));
  value = b.fromBits(b.ixor(b.bits(value), sign));
  value = b.select(b.eq(x, b.f32(0.0f)), x, value);
  return b.select(b.lt(magnitude, b.f32(inf)), value, b.f32(quietNan));
}

/// Cosine. NaN at infinities.
template <class B> typename B::F32 cos(B &b, typename B::F32 x) {
  auto magnitude = b.abs(x);
  TrigReduction<B> reduced = reduceTrig(b, magnitude);
  reduced.quadrant = b.iadd(reduced.quadrant, b.i32(1));
  auto value = sinOfQuadrant(b, reduced);
  return b.select(b.lt(magnitude, b.f32(inf)), value, b.f32(quietNan));
}

} // namespace tally::quant::pinned

#endif // TALLY_QUANT_PINNED_TRIG_H
