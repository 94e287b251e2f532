//===- RealMath.cpp - arithmetic on any float element ---------------------===//
//
// Half precision: an f16's exponent and fraction, moved to f32's place, are the
// number times 2^-112; one exact product puts that right, denormals included.
// The other way, a number of f16's normal range drops 13 fraction bits with an
// integer addition that rounds to even, and a smaller one is added to 1/2,
// whose last fraction bit is worth 2^-24, as is f16's.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/lower/RealMath.h"
#include "tally/cpu/LaneCodes.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

RealMath::RealMath(KernelBuilder &kernel, eval::Element element, int64_t lanes)
    : k(kernel), b(kernel.b), element(element),
      computing(element == eval::Element::F64 ? k.f64() : k.f32()) {
  if (lanes)
    computing = VectorType::get({lanes}, computing);
}

Value RealMath::compare(arith::CmpFPredicate predicate, Value x, Value y) {
  return arith::CmpFOp::create(b, predicate, x, y);
}
Value RealMath::lt(Value x, Value y) {
  return compare(arith::CmpFPredicate::OLT, x, y);
}
Value RealMath::le(Value x, Value y) {
  return compare(arith::CmpFPredicate::OLE, x, y);
}
Value RealMath::eq(Value x, Value y) {
  return compare(arith::CmpFPredicate::OEQ, x, y);
}
Value RealMath::isNan(Value x) {
  return compare(arith::CmpFPredicate::UNO, x, x);
}

Value RealMath::abs(Value x) { return math::AbsFOp::create(b, x); }
Value RealMath::sqrt(Value x) { return math::SqrtOp::create(b, x); }

Value RealMath::trunc(Value x) {
  return select(lt(x, real(0)), ceil(x), floor(x));
}

Value RealMath::widen(Value stored) {
  if (element == eval::Element::F16)
    return halfToFloat(k, stored);
  if (element == eval::Element::BF16)
    return bfloatToFloat(k, stored);
  return stored;
}

Value RealMath::narrow(Value value) {
  if (element == eval::Element::F16)
    return floatToHalf(k, value);
  if (element == eval::Element::BF16)
    return floatToBfloat(k, value);
  return value;
}

//===----------------------------------------------------------------------===//
// Half precision
//===----------------------------------------------------------------------===//

namespace {
/// 32-bit integer operations on as many lanes as `like` has, briefly.
struct Bits {
  Bits(KernelBuilder &kernel, Value like) : k(kernel), like(like) {}

  Type of(Type scalar) const { return lanesLike(like, scalar); }
  Value c(uint32_t value) {
    return k.integer(of(k.i32()), static_cast<int32_t>(value));
  }
  Value real(double value) { return k.real(of(k.f32()), value); }
  Value ofFloat(Value x) {
    return arith::BitcastOp::create(k.b, of(k.i32()), x);
  }
  Value toFloat(Value x) {
    return arith::BitcastOp::create(k.b, of(k.f32()), x);
  }
  Value ofHalf(Value x) {
    Value bits = arith::BitcastOp::create(k.b, of(k.i16()), x);
    return arith::ExtUIOp::create(k.b, of(k.i32()), bits);
  }
  Value toHalf(Value x, Type type) {
    Value bits = arith::TruncIOp::create(k.b, of(k.i16()), x);
    return arith::BitcastOp::create(k.b, of(type), bits);
  }
  Value land(Value x, uint32_t y) {
    return arith::AndIOp::create(k.b, x, c(y));
  }
  Value lor(Value x, Value y) { return arith::OrIOp::create(k.b, x, y); }
  Value add(Value x, Value y) { return arith::AddIOp::create(k.b, x, y); }
  Value shl(Value x, uint32_t n) { return arith::ShLIOp::create(k.b, x, c(n)); }
  Value shr(Value x, uint32_t n) {
    return arith::ShRUIOp::create(k.b, x, c(n));
  }
  /// Unsigned x >= y.
  Value atLeast(Value x, uint32_t y) {
    return arith::CmpIOp::create(k.b, arith::CmpIPredicate::uge, x, c(y));
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(k.b, condition, x, y);
  }

private:
  KernelBuilder &k;
  Value like;
};
} // namespace

Value tally::cpu::halfToFloat(KernelBuilder &k, Value half) {
  Bits b(k, half);
  Value bits = b.ofHalf(half);
  Value magnitude = b.land(bits, 0x7fff);
  Value moved = b.shl(magnitude, 13);
  Value number =
      b.ofFloat(arith::MulFOp::create(k.b, b.toFloat(moved), b.real(0x1p112)));
  Value special = b.lor(moved, b.c(0x7f800000)); // infinity and NaN
  Value isSpecial = b.atLeast(magnitude, 0x7c00);
  Value sign = b.shl(b.land(bits, 0x8000), 16);
  return b.toFloat(b.lor(b.select(isSpecial, special, number), sign));
}

Value tally::cpu::floatToHalf(KernelBuilder &k, Value value) {
  Bits b(k, value);
  Value bits = b.ofFloat(value);
  Value magnitude = b.land(bits, 0x7fffffff);
  // Normal: exponent bias 127 to 15, plus half of the dropped 13 bits less
  // one, plus the last kept bit.
  Value odd = b.land(b.shr(magnitude, 13), 1);
  Value rounded = b.add(b.add(magnitude, b.c(0xc8000fffu)), odd);
  Value normal = b.shr(rounded, 13);
  Value half = b.real(0.5);
  Value sum = arith::AddFOp::create(k.b, b.toFloat(magnitude), half);
  Value small = arith::SubIOp::create(k.b, b.ofFloat(sum), b.ofFloat(half));
  Value isNormal = b.atLeast(magnitude, 0x38800000); // 2^-14
  Value isHuge = b.atLeast(magnitude, 0x47800000);   // 2^16
  Value isNan = b.atLeast(magnitude, 0x7f800001);
  Value result = b.select(isNormal, normal, small);
  result = b.select(isHuge, b.c(0x7c00), result);
  result = b.select(isNan, b.c(0x7e00), result);
  Value sign = b.land(b.shr(bits, 16), 0x8000);
  return b.toHalf(b.lor(result, sign), k.b.getF16Type());
}

Value tally::cpu::bfloatToFloat(KernelBuilder &k, Value bfloat) {
  Bits b(k, bfloat);
  return b.toFloat(b.shl(b.ofHalf(bfloat), 16));
}

Value tally::cpu::floatToBfloat(KernelBuilder &k, Value value) {
  Bits b(k, value);
  Value bits = b.ofFloat(value);
  Value odd = b.land(b.shr(bits, 16), 1);
  Value rounded = b.shr(b.add(b.add(bits, b.c(0x7fff)), odd), 16);
  Value isNan = b.atLeast(b.land(bits, 0x7fffffff), 0x7f800001);
  Value quiet = b.lor(b.shr(bits, 16), b.c(0x40));
  return b.toHalf(b.select(isNan, quiet, rounded), k.b.getBF16Type());
}

Value tally::cpu::roundToOdd(KernelBuilder &k, Value value) {
  Bits b(k, value);
  Value rounded = arith::TruncFOp::create(k.b, b.of(k.f32()), value);
  Value back = arith::ExtFOp::create(k.b, b.of(k.f64()), rounded);
  auto compare = [&](arith::CmpFPredicate predicate, Value x,
                     Value y) -> Value {
    return arith::CmpFOp::create(k.b, predicate, x, y);
  };
  Value isInexact = compare(arith::CmpFPredicate::ONE, value, back);
  Value bits = b.ofFloat(rounded);
  Value isEven = arith::CmpIOp::create(k.b, arith::CmpIPredicate::eq,
                                       b.land(bits, 1), b.c(0));
  // One step away from zero when the magnitude was rounded down.
  auto magnitude = [&](Value x) -> Value {
    return arith::SelectOp::create(
        k.b, compare(arith::CmpFPredicate::OLT, x, k.real(x.getType(), 0)),
        arith::NegFOp::create(k.b, x), x);
  };
  Value grows =
      compare(arith::CmpFPredicate::OGT, magnitude(value), magnitude(back));
  Value stepped = b.add(bits, b.select(grows, b.c(1), b.c(0xffffffffu)));
  Value moves = arith::AndIOp::create(k.b, isInexact, isEven);
  return b.toFloat(b.select(moves, stepped, bits));
}
