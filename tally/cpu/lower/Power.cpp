//===- Power.cpp - kernels of Pow -----------------------------------------===//
//
// A float base goes through the pinned pow. An integer base to an integral
// exponent is a product modulo 2^64 by repeated squaring, in a loop of 63 steps
// whatever the exponent; its low bits are the result in any narrower type.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/FloatMath.h"
#include "tally/cpu/LaneCodes.h"
#include "tally/cpu/lower/Cast.h"
#include "tally/cpu/lower/Elementwise.h"
#include "tally/cpu/lower/Lowerings.h"
#include "tally/cpu/lower/RealMath.h"
#include "tally/quant/PinnedMath.h"

#include <cmath>

using namespace mlir;
using namespace tally;
using namespace tally::cpu;
using eval::Element;

namespace {
/// The operations of an integer base, on i64 values.
class IntegerPower {
public:
  IntegerPower(KernelBuilder &kernel, Element base, Element exponent)
      : k(kernel), baseElement(base), exponentElement(exponent) {}

  Value operator()(Value base, Value exponent);

private:
  Value c(int64_t value) { return k.integer(k.i64(), value); }
  Value land(Value a, Value b) { return arith::AndIOp::create(k.b, a, b); }
  Value select(Value condition, Value a, Value b) {
    return arith::SelectOp::create(k.b, condition, a, b);
  }
  Value equals(Value a, int64_t value) {
    return arith::CmpIOp::create(k.b, arith::CmpIPredicate::eq, a, c(value));
  }
  Value negative(Value a) {
    return arith::CmpIOp::create(k.b, arith::CmpIPredicate::slt, a, c(0));
  }
  Value positivePower(Value base, Value exponent);
  Value power(Value base, Value exponent);
  Value periodic(Value magnitude);
  Value ofFloat(Value exponent);
  Value floatExponent(Value base, Value stored);

  KernelBuilder &k;
  Element baseElement, exponentElement;
};
} // namespace

/// base^exponent mod 2^64, 0 <= exponent < 2^63.
Value IntegerPower::positivePower(Value base, Value exponent) {
  auto loop = scf::ForOp::create(k.b, k.index(0), k.index(63), k.index(1),
                                 ValueRange{c(1), base, exponent});
  OpBuilder::InsertionGuard guard(k.b);
  k.b.setInsertionPointToStart(loop.getBody());
  Value result = loop.getRegionIterArg(0), square = loop.getRegionIterArg(1);
  Value rest = loop.getRegionIterArg(2);
  Value isOdd = equals(land(rest, c(1)), 1);
  Value factor = select(isOdd, square, c(1));
  SmallVector<Value> next = {arith::MulIOp::create(k.b, result, factor),
                             arith::MulIOp::create(k.b, square, square),
                             arith::ShRUIOp::create(k.b, rest, c(1))};
  scf::YieldOp::create(k.b, next);
  return loop.getResult(0);
}

/// Any exponent; a negative one gives the truncated quotient 1 / product.
Value IntegerPower::power(Value base, Value exponent) {
  Value isNegative = negative(exponent);
  Value product = positivePower(base, select(isNegative, c(0), exponent));
  Value isOdd = equals(land(exponent, c(1)), 1);
  Value alternating = select(isOdd, c(-1), c(1));
  // The largest uint64 has the bits of -1, whose powers do not vanish.
  Value minusOne = baseElement == Element::U64
                       ? c(0)
                       : select(equals(base, -1), alternating, c(0));
  Value quotient = select(equals(base, 1), c(1), minusOne);
  return select(isNegative, quotient, product);
}

/// An unsigned exponent below 2^63 with the same powers: odd bases repeat after
/// 2^62 factors, even ones vanish.
Value IntegerPower::periodic(Value magnitude) {
  int64_t period = int64_t(1) << 62;
  Value folded =
      arith::AddIOp::create(k.b, land(magnitude, c(period - 1)), c(period));
  Value isSmall = arith::CmpIOp::create(k.b, arith::CmpIPredicate::ult,
                                        magnitude, c(period));
  return select(isSmall, magnitude, folded);
}

/// A whole f64 as an exponent. From 2^62 on, its bits modulo 2^62 are the
/// fraction shifted by the exponent.
Value IntegerPower::ofFloat(Value exponent) {
  RealMath m(k, Element::F64);
  Value limit = m.real(0x1p62);
  Value isBig = m.le(limit, exponent);
  Value low =
      m.select(m.lt(exponent, m.real(-0x1p62)), m.real(-0x1p62), exponent);
  Value plain =
      arith::FPToSIOp::create(k.b, k.i64(), m.select(isBig, m.real(0), low));
  Value bits = arith::BitcastOp::create(k.b, k.i64(), exponent);
  Value biased = land(arith::ShRUIOp::create(k.b, bits, c(52)), c(0x7ff));
  Value fraction = arith::OrIOp::create(
      k.b, land(bits, c((int64_t(1) << 52) - 1)), c(int64_t(1) << 52));
  Value shift = arith::SubIOp::create(k.b, biased, c(1075));
  Value fits =
      arith::CmpIOp::create(k.b, arith::CmpIPredicate::ult, shift, c(62));
  Value shifted =
      arith::ShLIOp::create(k.b, fraction, select(fits, shift, c(0)));
  int64_t period = int64_t(1) << 62;
  Value big = land(select(fits, shifted, c(0)), c(period - 1));
  big = arith::AddIOp::create(k.b, big, c(period));
  return select(isBig, big, plain);
}

/// A whole exponent as that; any other through the pinned pow in fp32.
Value IntegerPower::floatExponent(Value base, Value stored) {
  RealMath m(k, Element::F64);
  Value wide = castElement(k, stored, exponentElement, Element::F64);
  Value isFinite = m.lt(m.abs(wide), m.real(HUGE_VAL));
  Value isWhole = land(isFinite, m.eq(m.trunc(wide), wide));
  Value integral = power(k.widen(base, baseElement, k.i64()),
                         ofFloat(m.select(isWhole, wide, m.real(0))));
  FloatMath floats(k);
  Value real = tally::quant::pinned::pow(
      floats, castElement(k, base, baseElement, Element::F32),
      castElement(k, stored, exponentElement, Element::F32));
  return select(isWhole, k.narrow(integral, baseElement),
                castElement(k, real, Element::F32, baseElement));
}

Value IntegerPower::operator()(Value base, Value exponent) {
  if (eval::isFloat(exponentElement))
    return floatExponent(base, exponent);
  Value wide = k.widen(exponent, exponentElement, k.i64());
  if (exponentElement == Element::U64)
    wide = periodic(wide);
  return k.narrow(power(k.widen(base, baseElement, k.i64()), wide),
                  baseElement);
}

namespace {
struct PowLowering : ElementwiseModel<PowLowering, nn::PowOp> {
  static Result<ElementCode> code(nn::PowOp, KernelBuilder &k) {
    Element base = k.operandInfo(0).element;
    Element exponent = k.operandInfo(1).element;
    if (k.operandInfo(0).isQuantized())
      return codeOfCodes(k);
    if (!eval::isFloat(base))
      return ElementCode([&k, base, exponent](const ElementInputs &x) {
        Value number = x[0], power = x[1];
        return IntegerPower(k, base, exponent)(number, power);
      });
    ElementCode code = [&k, base, exponent](const ElementInputs &x) {
      Value number = castElement(k, x[0], base, Element::F32);
      Value power = castElement(k, x[1], exponent, Element::F32);
      FloatMath floats(k, lanesOf(number));
      return castElement(k, tally::quant::pinned::pow(floats, number, power),
                         Element::F32, base);
    };
    bool areSingle = base == Element::F32 && exponent == Element::F32;
    return std::move(code).onWideLanes(areSingle);
  }

  static Result<ElementCode> codeOfCodes(KernelBuilder &k) {
    auto exponent = k.constantOperand(1);
    if (!exponent)
      return k.unsupported("an exponent that is not constant");
    return tableCode(
        k, {tally::quant::UnaryKind::Pow, exponent->data<float>()[0]});
  }
};
} // namespace

void tally::cpu::registerPowLowering(MLIRContext &context) {
  nn::PowOp::attachInterface<PowLowering>(context);
}
