//===- Fmod.cpp - the exact rest of a float division ----------------------===//
//
// Schoolbook division in base 2. |x| = mx 2^ex and |y| = my 2^ey with integer
// mx, my < 2^53. For ex >= ey the rest is mx 2^(ex - ey) mod my: start with
// mx mod my and, ex - ey times, double and subtract my when it fits. For
// ex < ey, y is normal (its exponent is not the smallest), so |x| < |y| and x
// is the rest. The rest times 2^ey is representable; it is put together by two
// exact products, since 2^ey alone may not be.
//
// Cost: one step per bit of the quotient, at most 2^11. Numbers of fewer bits
// are widened to f64, where their rest is the same.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/lower/Fmod.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

namespace {
struct Fmod64 {
  KernelBuilder &k;
  RealMath math;

  explicit Fmod64(KernelBuilder &k) : k(k), math(k, eval::Element::F64) {}

  Value c(int64_t value) { return k.integer(k.i64(), value); }
  Value sub(Value a, Value b) { return arith::SubIOp::create(k.b, a, b); }
  Value land(Value a, int64_t b) { return arith::AndIOp::create(k.b, a, c(b)); }
  Value select(Value condition, Value a, Value b) {
    return arith::SelectOp::create(k.b, condition, a, b);
  }
  Value compare(arith::CmpIPredicate predicate, Value a, Value b) {
    return arith::CmpIOp::create(k.b, predicate, a, b);
  }

  /// mantissa and exponent - 1 of a finite number's bits: the value is
  /// mantissa * 2^(exponent - 1074).
  std::pair<Value, Value> split(Value x) {
    Value bits = arith::BitcastOp::create(k.b, k.i64(), x);
    Value biased = land(arith::ShRUIOp::create(k.b, bits, c(52)), 0x7ff);
    Value fraction = land(bits, (int64_t(1) << 52) - 1);
    Value isSubnormal = compare(arith::CmpIPredicate::eq, biased, c(0));
    Value hidden = arith::OrIOp::create(k.b, fraction, c(int64_t(1) << 52));
    return {select(isSubnormal, fraction, hidden),
            select(isSubnormal, c(0), sub(biased, c(1)))};
  }

  /// 2^n for -1022 <= n <= 1023.
  Value power(Value n) {
    Value biased = arith::AddIOp::create(k.b, n, c(1023));
    Value bits = arith::ShLIOp::create(k.b, biased, c(52));
    return arith::BitcastOp::create(k.b, k.f64(), bits);
  }

  /// rest * 2^(exponent - 1074), exactly.
  Value assemble(Value rest, Value exponent) {
    Value half = arith::ShRSIOp::create(k.b, sub(exponent, c(1074)), c(1));
    Value other = sub(sub(exponent, c(1074)), half);
    Value value = arith::UIToFPOp::create(k.b, k.f64(), rest);
    return math.mul(math.mul(value, power(half)), power(other));
  }

  Value rest(Value x, Value y);
};
} // namespace

Value Fmod64::rest(Value x, Value y) {
  Value zero = math.real(0), infinity = math.real(HUGE_VAL);
  Value ax = math.abs(x), ay = math.abs(y);
  auto either = [&](Value a, Value b) -> Value {
    return arith::OrIOp::create(k.b, a, b);
  };
  Value isUndefined = either(either(math.isNan(x), math.isNan(y)),
                             either(math.eq(ax, infinity), math.eq(ay, zero)));
  // Numbers the loop can be run on whatever the operands are.
  Value isSmaller = math.lt(ax, ay);
  Value isEasy = either(isUndefined, isSmaller);
  auto [mx, ex] = split(math.select(isEasy, math.real(1), ax));
  auto [my, ey] = split(math.select(isEasy, math.real(1), ay));
  Value steps =
      select(compare(arith::CmpIPredicate::sgt, ex, ey), sub(ex, ey), c(0));
  auto loop = scf::ForOp::create(
      k.b, k.index(0), k.toIndex(steps, /*isSigned=*/false), k.index(1),
      ValueRange{arith::RemUIOp::create(k.b, mx, my)});
  {
    OpBuilder::InsertionGuard guard(k.b);
    k.b.setInsertionPointToStart(loop.getBody());
    Value twice = arith::ShLIOp::create(k.b, loop.getRegionIterArg(0), c(1));
    Value fits = compare(arith::CmpIPredicate::uge, twice, my);
    Value next = select(fits, sub(twice, my), twice);
    scf::YieldOp::create(k.b, next);
  }
  Value result = assemble(loop.getResult(0), ey);
  result = math.select(isSmaller, ax, result);
  result = math::CopySignOp::create(k.b, result, x);
  return math.select(isUndefined, math.real(NAN), result);
}

Value tally::cpu::fmod(RealMath &math, Value x, Value y) {
  Fmod64 wide(math.k);
  if (math.type() == math.k.f64())
    return wide.rest(x, y);
  auto extend = [&](Value v) -> Value {
    return arith::ExtFOp::create(math.b, math.k.f64(), v);
  };
  return arith::TruncFOp::create(math.b, math.k.f32(),
                                 wide.rest(extend(x), extend(y)));
}
