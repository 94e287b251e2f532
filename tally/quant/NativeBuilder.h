//===- NativeBuilder.h - the pinned sequences on this machine --*- C++ -*-===//

#ifndef TALLY_QUANT_NATIVEBUILDER_H
#define TALLY_QUANT_NATIVEBUILDER_H

#include <bit>
#include <cmath>
#include <cstdint>

namespace tally::quant::pinned {

/// Executes the operations of pinned/Builder.h one by one. Needs a translation
/// unit without contraction or reassociation of floats, rounding to nearest.
struct NativeBuilder {
  using F32 = float;
  using I32 = int32_t;
  using Bool = bool;

  float f32(float x) { return x; }
  int32_t i32(int32_t x) { return x; }
  float add(float x, float y) { return x + y; }
  float sub(float x, float y) { return x - y; }
  float mul(float x, float y) { return x * y; }
  float div(float x, float y) { return x / y; }
  float fma(float x, float y, float z) { return std::fma(x, y, z); }
  float sqrt(float x) { return std::sqrt(x); }
  float roundeven(float x) { return std::nearbyint(x); }
  float neg(float x) { return fromBits(bits(x) ^ INT32_MIN); }
  float abs(float x) { return fromBits(bits(x) & INT32_MAX); }
  bool lt(float x, float y) { return x < y; }
  bool le(float x, float y) { return x <= y; }
  bool eq(float x, float y) { return x == y; }
  bool isNan(float x) { return x != x; }
  bool ilt(int32_t x, int32_t y) { return x < y; }
  bool ieq(int32_t x, int32_t y) { return x == y; }
  bool both(bool x, bool y) { return x && y; }
  bool either(bool x, bool y) { return x || y; }
  float select(bool c, float x, float y) { return c ? x : y; }
  int32_t select(bool c, int32_t x, int32_t y) { return c ? x : y; }
  int32_t bits(float x) { return std::bit_cast<int32_t>(x); }
  float fromBits(int32_t x) { return std::bit_cast<float>(x); }
  int32_t iadd(int32_t x, int32_t y) { return int32_t(u(x) + u(y)); }
  int32_t isub(int32_t x, int32_t y) { return int32_t(u(x) - u(y)); }
  int32_t imul(int32_t x, int32_t y) { return int32_t(u(x) * u(y)); }
  int32_t imulhu(int32_t x, int32_t y) {
    return int32_t(uint64_t(u(x)) * u(y) >> 32);
  }
  int32_t iand(int32_t x, int32_t y) { return x & y; }
  int32_t ior(int32_t x, int32_t y) { return x | y; }
  int32_t ixor(int32_t x, int32_t y) { return x ^ y; }
  int32_t shl(int32_t x, int32_t n) { return int32_t(u(x) << n); }
  int32_t lshr(int32_t x, int32_t n) { return int32_t(u(x) >> n); }
  int32_t ashr(int32_t x, int32_t n) { return x >> n; }
  float toFloat(int32_t x) { return float(x); }

private:
  static uint32_t u(int32_t x) { return uint32_t(x); }
};

} // namespace tally::quant::pinned

#endif // TALLY_QUANT_NATIVEBUILDER_H
