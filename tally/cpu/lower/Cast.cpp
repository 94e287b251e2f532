//===- Cast.cpp - conversions between element types -----------------------===//
//
// Every conversion rounds once. An f64 on its way to half precision becomes an
// f32 by rounding to odd first; a 64-bit integer on its way to bf16 loses its
// low bits but for a mark that keeps it off every tie, so that it fits an f64.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/lower/Cast.h"
#include "tally/cpu/LaneCodes.h"
#include "tally/cpu/lower/Elementwise.h"
#include "tally/cpu/lower/Lowerings.h"
#include "tally/cpu/lower/RealMath.h"

using namespace mlir;
using namespace tally;
using namespace tally::cpu;
using eval::Element;

static Value toBool(KernelBuilder &k, Value stored, Element from) {
  Value holds;
  if (eval::isFloat(from)) {
    RealMath real(k, from);
    Value x = real.widen(stored);
    holds =
        arith::CmpFOp::create(k.b, arith::CmpFPredicate::UNE, x, real.real(0));
  } else {
    holds = arith::CmpIOp::create(k.b, arith::CmpIPredicate::ne, stored,
                                  k.integer(stored.getType(), 0));
  }
  return arith::ExtUIOp::create(k.b, k.i8(), holds);
}

static Value integerToInteger(KernelBuilder &k, Value stored, Element from,
                              Element to) {
  if (eval::byteSize(to) > eval::byteSize(from))
    return k.widen(stored, from, k.storage(to));
  return k.narrow(stored, to);
}

//===----------------------------------------------------------------------===//
// Floats to integers
//===----------------------------------------------------------------------===//

/// Whole numbers from 2^63 on as an unsigned integer; below, as a signed one.
static Value toUnsigned64(KernelBuilder &k, RealMath &m, Value x) {
  Value inRange =
      arith::AndIOp::create(k.b, m.le(m.real(0), x), m.lt(x, m.real(0x1p64)));
  Value safe = m.select(inRange, x, m.real(0));
  Value converted = arith::FPToUIOp::create(k.b, k.i64(), safe);
  Value tooBig = m.le(m.real(0x1p64), x);
  return arith::SelectOp::create(k.b, tooBig, k.integer(k.i64(), -1),
                                 converted);
}

/// Truncated and saturated to [low, high], |bounds| <= 2^63; NaN gives 0.
static Value toSigned64(KernelBuilder &k, RealMath &m, Value x, int64_t low,
                        int64_t high) {
  // high + 1 and low - 1 may round to high and low, which changes nothing:
  // then the numbers between are not representable either.
  Value above = m.le(m.real(static_cast<double>(high) + 1), x);
  Value below = m.le(x, m.real(static_cast<double>(low) - 1));
  Value isNan = m.isNan(x);
  Value outside =
      arith::OrIOp::create(k.b, isNan, arith::OrIOp::create(k.b, above, below));
  Value safe = m.select(outside, m.real(0), x);
  Value converted = arith::FPToSIOp::create(k.b, k.i64(), safe);
  auto choose = [&](Value condition, int64_t value, Value other) -> Value {
    return arith::SelectOp::create(k.b, condition, k.integer(k.i64(), value),
                                   other);
  };
  return choose(above, high, choose(below, low, converted));
}

static Value floatToInteger(KernelBuilder &k, Value stored, Element from,
                            Element to) {
  RealMath narrow(k, from), wide(k, Element::F64);
  Value x = narrow.widen(stored);
  if (from != Element::F64)
    x = arith::ExtFOp::create(k.b, k.f64(), x);
  if (to == Element::U64)
    return toUnsigned64(k, wide, x);
  Value integer =
      toSigned64(k, wide, x, eval::minValue(to), eval::maxValue(to));
  return k.narrow(integer, to);
}

//===----------------------------------------------------------------------===//
// To floats
//===----------------------------------------------------------------------===//

/// A computed f32 or f64 as an element of `to`, rounded once.
static Value storeReal(KernelBuilder &k, Value x, Element to) {
  bool isWide = x.getType() == k.f64();
  if (to == Element::F64)
    return isWide ? x : Value(arith::ExtFOp::create(k.b, k.f64(), x));
  if (to == Element::F32)
    return isWide ? Value(arith::TruncFOp::create(k.b, k.f32(), x)) : x;
  return RealMath(k, to).narrow(isWide ? roundToOdd(k, x) : x);
}

/// The integer itself when an f64 holds it; else with its lowest 12 bits, which
/// no half-precision result keeps, replaced by half of their range.
static Value sparing(KernelBuilder &k, Value x) {
  auto c = [&](int64_t value) { return k.integer(k.i64(), value); };
  Value low = arith::AndIOp::create(k.b, x, c(0xfff));
  Value marked = arith::OrIOp::create(
      k.b, arith::AndIOp::create(k.b, x, c(~int64_t(0xfff))), c(0x800));
  Value isMultiple =
      arith::CmpIOp::create(k.b, arith::CmpIPredicate::eq, low, c(0));
  // |x| < 2^40 in either reading is exact as it is.
  Value top = arith::ShRSIOp::create(k.b, x, c(40));
  Value isSmall = arith::OrIOp::create(
      k.b, arith::CmpIOp::create(k.b, arith::CmpIPredicate::eq, top, c(0)),
      arith::CmpIOp::create(k.b, arith::CmpIPredicate::eq, top, c(-1)));
  Value keep = arith::OrIOp::create(k.b, isMultiple, isSmall);
  return arith::SelectOp::create(k.b, keep, x, marked);
}

static Value integerToFloat(KernelBuilder &k, Value stored, Element from,
                            Element to) {
  bool isSigned = eval::isSigned(from);
  auto convert = [&](Type scalar, Value x) -> Value {
    Type type = lanesLike(x, scalar);
    return isSigned ? Value(arith::SIToFPOp::create(k.b, type, x))
                    : Value(arith::UIToFPOp::create(k.b, type, x));
  };
  if (to == Element::F32 || to == Element::F64)
    return convert(k.storage(to), stored);
  if (eval::byteSize(from) < 8)
    return storeReal(k, convert(k.f64(), stored), to);
  // A uint64 that looks small and negative here is so close to 2^64 that it
  // becomes 2^64 (or infinity) however it is rounded on the way.
  Value x = sparing(k, stored);
  return storeReal(k, convert(k.f64(), x), to);
}

static Value floatToFloat(KernelBuilder &k, Value stored, Element from,
                          Element to) {
  return storeReal(k, RealMath(k, from).widen(stored), to);
}

Value tally::cpu::castElement(KernelBuilder &k, Value stored, Element from,
                              Element to) {
  bool fromFloat = eval::isFloat(from), toFloat = eval::isFloat(to);
  if (to == Element::Bool)
    return toBool(k, stored, from);
  if (fromFloat)
    return toFloat ? floatToFloat(k, stored, from, to)
                   : floatToInteger(k, stored, from, to);
  return toFloat ? integerToFloat(k, stored, from, to)
                 : integerToInteger(k, stored, from, to);
}

bool tally::cpu::castsLanes(Element from, Element to) {
  bool areIntegers = !eval::isFloat(from) && to != Element::Bool;
  if (eval::isFloat(to))
    return areIntegers && eval::byteSize(from) <= 4 &&
           (to == Element::F32 || to == Element::F64);
  return areIntegers;
}

namespace {
struct CastLowering : ElementwiseModel<CastLowering, nn::CastOp> {
  static Result<ElementCode> code(nn::CastOp, KernelBuilder &k) {
    Element from = k.operandInfo(0).element, to = k.resultInfo().element;
    ElementCode code = [&k, from, to](const ElementInputs &x) {
      return castElement(k, x[0], from, to);
    };
    return std::move(code).onWideLanes(castsLanes(from, to));
  }
};
} // namespace

void tally::cpu::registerCastLowering(MLIRContext &context) {
  nn::CastOp::attachInterface<CastLowering>(context);
}
