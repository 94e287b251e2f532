//===- FloatMath.cpp - float operations every tier can do -----------------===//
//
// Rounding to an integer without the instruction: adding 2^p with the sign of
// x, p the fraction bits of its type, rounds |x| < 2^p to an integer, half to
// even; larger values are integers already.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/FloatMath.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;
using namespace tally::cpu;

//===----------------------------------------------------------------------===//
// Roundings
//===----------------------------------------------------------------------===//

/// `value` in the type of `x`, in every lane.
static Value constantLike(KernelBuilder &k, Value x, double value) {
  auto scalar = k.b.getFloatAttr(getElementTypeOrSelf(x.getType()), value);
  if (auto type = dyn_cast<VectorType>(x.getType()))
    return arith::ConstantOp::create(k.b, DenseElementsAttr::get(type, scalar));
  return arith::ConstantOp::create(k.b, scalar);
}

static Value less(KernelBuilder &k, Value x, Value y) {
  return arith::CmpFOp::create(k.b, arith::CmpFPredicate::OLT, x, y);
}

Value tally::cpu::roundHalfToEven(KernelBuilder &k, Value x) {
  if (k.tier != Tier::Baseline)
    return math::RoundEvenOp::create(k.b, x);
  bool isWide = getElementTypeOrSelf(x.getType()).isF64();
  Value limit = constantLike(k, x, isWide ? 0x1p52 : 0x1p23);
  Value big = math::CopySignOp::create(k.b, limit, x);
  Value sum = arith::AddFOp::create(k.b, x, big);
  Value rounded = arith::SubFOp::create(k.b, sum, big);
  Value isSmall = less(k, math::AbsFOp::create(k.b, x), limit);
  Value withSign = math::CopySignOp::create(k.b, rounded, x);
  return arith::SelectOp::create(k.b, isSmall, withSign, x);
}

Value tally::cpu::roundDown(KernelBuilder &k, Value x) {
  if (k.tier != Tier::Baseline)
    return math::FloorOp::create(k.b, x);
  Value rounded = roundHalfToEven(k, x);
  Value below = arith::SubFOp::create(k.b, rounded, constantLike(k, x, 1));
  return arith::SelectOp::create(k.b, less(k, x, rounded), below, rounded);
}

/// -floor(-x) keeps -0 for x in (-1, 0].
Value tally::cpu::roundUp(KernelBuilder &k, Value x) {
  if (k.tier != Tier::Baseline)
    return math::CeilOp::create(k.b, x);
  Value down = roundDown(k, arith::NegFOp::create(k.b, x));
  return arith::NegFOp::create(k.b, down);
}

//===----------------------------------------------------------------------===//
// fp32
//===----------------------------------------------------------------------===//

Type FloatMath::typeFor(Type element) {
  return lanes ? Type(VectorType::get({lanes}, element)) : element;
}

Value FloatMath::splat(TypedAttr scalar) {
  if (!lanes)
    return arith::ConstantOp::create(b, scalar);
  auto type = cast<ShapedType>(typeFor(scalar.getType()));
  return arith::ConstantOp::create(b, DenseElementsAttr::get(type, scalar));
}

Value FloatMath::f32(float value) { return splat(b.getF32FloatAttr(value)); }
Value FloatMath::i32(int32_t value) {
  return splat(b.getI32IntegerAttr(value));
}

Value FloatMath::compare(arith::CmpFPredicate predicate, Value x, Value y) {
  return arith::CmpFOp::create(b, predicate, x, y);
}
Value FloatMath::compare(arith::CmpIPredicate predicate, Value x, Value y) {
  return arith::CmpIOp::create(b, predicate, x, y);
}
Value FloatMath::lt(Value x, Value y) {
  return compare(arith::CmpFPredicate::OLT, x, y);
}
Value FloatMath::le(Value x, Value y) {
  return compare(arith::CmpFPredicate::OLE, x, y);
}
Value FloatMath::eq(Value x, Value y) {
  return compare(arith::CmpFPredicate::OEQ, x, y);
}
Value FloatMath::isNan(Value x) {
  return compare(arith::CmpFPredicate::UNO, x, x);
}
Value FloatMath::ilt(Value x, Value y) {
  return compare(arith::CmpIPredicate::slt, x, y);
}
Value FloatMath::ieq(Value x, Value y) {
  return compare(arith::CmpIPredicate::eq, x, y);
}

Value FloatMath::bits(Value x) {
  return arith::BitcastOp::create(b, typeFor(k.i32()), x);
}
Value FloatMath::fromBits(Value x) {
  return arith::BitcastOp::create(b, typeFor(k.f32()), x);
}
Value FloatMath::abs(Value x) {
  return fromBits(iand(bits(x), i32(0x7fffffff)));
}
Value FloatMath::sqrt(Value x) { return math::SqrtOp::create(b, x); }
Value FloatMath::toFloat(Value x) {
  return arith::SIToFPOp::create(b, typeFor(k.f32()), x);
}

Value FloatMath::imulhu(Value x, Value y) {
  Type wide = typeFor(k.i64());
  Value product = arith::MulIOp::create(b, arith::ExtUIOp::create(b, wide, x),
                                        arith::ExtUIOp::create(b, wide, y));
  Value high =
      arith::ShRUIOp::create(b, product, splat(b.getI64IntegerAttr(32)));
  return arith::TruncIOp::create(b, typeFor(k.i32()), high);
}

Value FloatMath::fma(Value x, Value y, Value z) {
  return math::FmaOp::create(b, x, y, z);
}

Value FloatMath::clamp(Value x, double low, double high) {
  Value lowValue = f32(static_cast<float>(low));
  Value highValue = f32(static_cast<float>(high));
  Value bounded = select(lt(lowValue, x), x, lowValue);
  return select(lt(bounded, highValue), bounded, highValue);
}

Value FloatMath::isFinite(Value x) {
  return lt(abs(x), f32(std::numeric_limits<float>::infinity()));
}

Value FloatMath::toInt32LikeX86(Value x) {
  Value fits = both(le(f32(-0x1p31f), x), lt(x, f32(0x1p31f)));
  Value safe = select(fits, x, f32(0));
  Value converted = arith::FPToSIOp::create(b, typeFor(k.i32()), safe);
  return select(fits, converted, i32(std::numeric_limits<int32_t>::min()));
}
