//===- Builder.h - operations the pinned functions are made of -*- C++ -*-===//
//
// The float functions of this folder are fixed sequences of IEEE fp32 and
// 32-bit integer operations, round to nearest even, denormals kept. Each is a
// template over a builder, so one text is both executed (NativeMath.h) and
// emitted by a code generator, and every executor gives the same bits.
//
// A builder B has value types F32, I32 and Bool (copyable; scalars, vectors or
// IR values) and these member functions. There is no control flow.
//
//   F32  f32(float)  I32 i32(int32_t)      constants
//   F32  add sub mul div (F32, F32)        each rounded once
//   F32  fma(a, b, c)                      a * b + c rounded once
//   F32  sqrt(F32)  roundeven(F32)         correctly rounded; ties to even
//   F32  neg(F32)  abs(F32)                sign bit only, NaN included
//   Bool lt le eq (F32, F32)               ordered: false if either is NaN
//   Bool isNan(F32)
//   Bool ilt ieq (I32, I32)                signed
//   Bool both(Bool, Bool)  either(Bool, Bool)
//   F32  select(Bool, F32, F32)            both sides are always evaluated
//   I32  select(Bool, I32, I32)
//   I32  bits(F32)  F32 fromBits(I32)      bit casts
//   I32  iadd isub imul iand ior ixor (I32, I32)   wrap around
//   I32  imulhu(I32, I32)                  high half of the unsigned product
//   I32  shl lshr ashr (I32, I32)          amounts 0..31
//   F32  toFloat(I32)                      signed, rounded to nearest even
//
// There is no conversion from float to integer: where one is needed the
// sequences add 1.5 * 2^23 and take the bits, which is defined for NaN too.
//
// NaN results are always the canonical quiet NaN 0x7fc00000, since hardware
// disagrees about payloads and signs.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_QUANT_PINNED_BUILDER_H
#define TALLY_QUANT_PINNED_BUILDER_H

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace tally::quant::pinned {

inline constexpr float inf = std::numeric_limits<float>::infinity();
inline constexpr float quietNan = std::bit_cast<float>(0x7fc00000);
/// Adding this rounds |x| < 2^22 to an integer, which the low bits then hold.
inline constexpr float roundingMagic = 0x1.8p23f;
inline constexpr int32_t roundingMagicBits = 0x4b400000;

/// c[0] + x (c[1] + x (...)) by Horner's rule, one fma per coefficient.
template <class B, std::size_t N>
typename B::F32 horner(B &b, typename B::F32 x, const float (&c)[N]) {
  auto sum = b.f32(c[N - 1]);
  for (std::size_t i = N - 1; i-- > 0;)
    sum = b.fma(sum, x, b.f32(c[i]));
  return sum;
}

/// `x`, or the canonical NaN where `x` is any NaN.
template <class B> typename B::F32 canonicalNan(B &b, typename B::F32 x) {
  return b.select(b.isNan(x), b.f32(quietNan), x);
}

/// The nearest integer of |x| < 2^22, as a float and as an integer. Any other
/// x, NaN included, gives some value and no trap.
template <class B> struct Rounded {
  typename B::F32 asFloat;
  typename B::I32 asInt;
};
template <class B> Rounded<B> roundToInt(B &b, typename B::F32 x) {
  auto shifted = b.add(x, b.f32(roundingMagic));
  return {b.sub(shifted, b.f32(roundingMagic)),
          b.isub(b.bits(shifted), b.i32(roundingMagicBits))};
}

/// 2^n for -126 <= n <= 127.
template <class B> typename B::F32 powerOfTwo(B &b, typename B::I32 n) {
  return b.fromBits(b.shl(b.iadd(n, b.i32(127)), b.i32(23)));
}

/// x * 2^n for -252 <= n <= 254, rounded once: the power is split so that only
/// the second product can overflow or become denormal.
template <class B>
typename B::F32 scaleByPower(B &b, typename B::F32 x, typename B::I32 n) {
  auto half = b.ashr(n, b.i32(1));
  auto rest = b.isub(n, half);
  return b.mul(b.mul(x, powerOfTwo(b, half)), powerOfTwo(b, rest));
}

} // namespace tally::quant::pinned

#endif // TALLY_QUANT_PINNED_BUILDER_H
