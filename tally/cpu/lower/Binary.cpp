//===- Binary.cpp - kernels of arithmetic on two operands -----------------===//

#include "tally/cpu/LaneCodes.h"
#include "tally/cpu/lower/Elementwise.h"
#include "tally/cpu/lower/Fmod.h"
#include "tally/cpu/lower/Lowerings.h"
#include "tally/cpu/lower/RealMath.h"

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

static Value apply(RealMath &m, nn::AddOp, Value a, Value b) {
  return m.add(a, b);
}
static Value apply(RealMath &m, nn::SubOp, Value a, Value b) {
  return m.sub(a, b);
}
static Value apply(RealMath &m, nn::MulOp, Value a, Value b) {
  return m.mul(a, b);
}
static Value apply(RealMath &m, nn::DivOp, Value a, Value b) {
  return m.div(a, b);
}

/// NaN when either is NaN, else the choice.
static Value orNan(RealMath &m, Value a, Value b, Value choice) {
  return m.select(m.isNan(a), a, m.select(m.isNan(b), b, choice));
}
static Value apply(RealMath &m, nn::MaxOp, Value a, Value b) {
  return orNan(m, a, b, m.select(m.lt(a, b), b, a));
}
static Value apply(RealMath &m, nn::MinOp, Value a, Value b) {
  return orNan(m, a, b, m.select(m.lt(b, a), b, a));
}

static Value apply(RealMath &m, nn::ModOp, Value a, Value b) {
  return fmod(m, a, b);
}

static Value apply(RealMath &m, nn::PReluOp, Value x, Value slope) {
  return m.select(m.lt(x, m.real(0)), m.mul(slope, x), x);
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

namespace {
/// Integer operations on values of one type.
struct Integers {
  KernelBuilder &k;
  bool isSigned;

  Value c(Value like, int64_t value) {
    return k.integer(like.getType(), value);
  }
  Value add(Value a, Value b) { return arith::AddIOp::create(k.b, a, b); }
  Value sub(Value a, Value b) { return arith::SubIOp::create(k.b, a, b); }
  Value mul(Value a, Value b) { return arith::MulIOp::create(k.b, a, b); }
  Value equals(Value a, int64_t value) {
    return arith::CmpIOp::create(k.b, arith::CmpIPredicate::eq, a, c(a, value));
  }
  Value negative(Value a) {
    return arith::CmpIOp::create(k.b, arith::CmpIPredicate::slt, a, c(a, 0));
  }
  Value both(Value a, Value b) { return arith::AndIOp::create(k.b, a, b); }
  Value select(Value condition, Value a, Value b) {
    return arith::SelectOp::create(k.b, condition, a, b);
  }
  /// A divisor that does not trap: 1 in place of 0 and, signed, of -1.
  Value safe(Value b) {
    Value traps = equals(b, 0);
    if (isSigned)
      traps = arith::OrIOp::create(k.b, traps, equals(b, -1));
    return select(traps, c(b, 1), b);
  }
};
} // namespace

static Value applyInteger(Integers &m, nn::AddOp, Value a, Value b) {
  return m.add(a, b);
}
static Value applyInteger(Integers &m, nn::SubOp, Value a, Value b) {
  return m.sub(a, b);
}
static Value applyInteger(Integers &m, nn::MulOp, Value a, Value b) {
  return m.mul(a, b);
}

static Value applyInteger(Integers &m, nn::DivOp, Value a, Value b) {
  Value zero = m.c(a, 0);
  if (!m.isSigned)
    return m.select(m.equals(b, 0), zero,
                    arith::DivUIOp::create(m.k.b, a, m.safe(b)));
  Value quotient = arith::DivSIOp::create(m.k.b, a, m.safe(b));
  quotient = m.select(m.equals(b, -1), m.sub(zero, a), quotient);
  return m.select(m.equals(b, 0), zero, quotient);
}

static Value applyInteger(Integers &m, nn::ModOp op, Value a, Value b) {
  if (!m.isSigned)
    return m.select(m.equals(b, 0), m.c(a, 0),
                    arith::RemUIOp::create(m.k.b, a, m.safe(b)));
  // A divisor of 1 leaves the 0 that 0 and -1 leave by definition.
  Value rest = arith::RemSIOp::create(m.k.b, a, m.safe(b));
  if (op.getFmod())
    return rest;
  Value otherSign =
      arith::XOrIOp::create(m.k.b, m.negative(rest), m.negative(b));
  Value isZero = m.equals(rest, 0);
  return m.select(isZero, rest, m.select(otherSign, m.add(rest, b), rest));
}

static Value applyInteger(Integers &m, nn::MaxOp, Value a, Value b) {
  return m.isSigned ? Value(arith::MaxSIOp::create(m.k.b, a, b))
                    : Value(arith::MaxUIOp::create(m.k.b, a, b));
}
static Value applyInteger(Integers &m, nn::MinOp, Value a, Value b) {
  return m.isSigned ? Value(arith::MinSIOp::create(m.k.b, a, b))
                    : Value(arith::MinUIOp::create(m.k.b, a, b));
}

static Value applyInteger(Integers &m, nn::PReluOp, Value x, Value slope) {
  return m.isSigned ? m.select(m.negative(x), m.mul(x, slope), x) : x;
}

static Value applyInteger(Integers &m, nn::BitwiseAndOp, Value a, Value b) {
  return arith::AndIOp::create(m.k.b, a, b);
}
static Value applyInteger(Integers &m, nn::BitwiseOrOp, Value a, Value b) {
  return arith::OrIOp::create(m.k.b, a, b);
}
static Value applyInteger(Integers &m, nn::BitwiseXorOp, Value a, Value b) {
  return arith::XOrIOp::create(m.k.b, a, b);
}
/// Booleans are the bytes 0 and 1.
static Value applyInteger(Integers &m, nn::AndOp, Value a, Value b) {
  return arith::AndIOp::create(m.k.b, a, b);
}
static Value applyInteger(Integers &m, nn::OrOp, Value a, Value b) {
  return arith::OrIOp::create(m.k.b, a, b);
}
static Value applyInteger(Integers &m, nn::XorOp, Value a, Value b) {
  return arith::XOrIOp::create(m.k.b, a, b);
}

static Value applyInteger(Integers &m, nn::BitShiftOp op, Value a, Value b) {
  int64_t width = a.getType().getIntOrFloatBitWidth();
  Value fits =
      arith::CmpIOp::create(m.k.b, arith::CmpIPredicate::ult, b, m.c(b, width));
  Value amount = m.select(fits, b, m.c(b, 0));
  Value shifted = op.getLeft()
                      ? Value(arith::ShLIOp::create(m.k.b, a, amount))
                      : Value(arith::ShRUIOp::create(m.k.b, a, amount));
  return m.select(fits, shifted, m.c(a, 0));
}

//===----------------------------------------------------------------------===//
// Codes
//===----------------------------------------------------------------------===//

static Result<ElementCode> codeOfCodes(KernelBuilder &k, nn::AddOp) {
  return linearCode(k, /*subtract=*/false);
}
static Result<ElementCode> codeOfCodes(KernelBuilder &k, nn::SubOp) {
  return linearCode(k, /*subtract=*/true);
}
static Result<ElementCode> codeOfCodes(KernelBuilder &k, nn::MulOp) {
  return productCode(k);
}
static Result<ElementCode> codeOfCodes(KernelBuilder &k, nn::MaxOp) {
  return choiceCode(k, /*greater=*/true);
}
static Result<ElementCode> codeOfCodes(KernelBuilder &k, nn::MinOp) {
  return choiceCode(k, /*greater=*/false);
}
static Result<ElementCode> codeOfCodes(KernelBuilder &k, nn::PReluOp) {
  return preluCode(k);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// The remainder is made of loops (Fmod.h), element by element.
template <typename OpTy>
static ElementCode realCode(KernelBuilder &k, OpTy op, eval::Element element) {
  ElementCode code = [&k, op, element](const ElementInputs &x) {
    Value a = x[0], b = x[1];
    RealMath real(k, element, lanesOf(a));
    return real.narrow(apply(real, op, real.widen(a), real.widen(b)));
  };
  return std::move(code).onWideLanes(!std::is_same_v<OpTy, nn::ModOp>);
}

namespace {
template <typename OpTy>
struct BinaryLowering : ElementwiseModel<BinaryLowering<OpTy>, OpTy> {
  static Result<ElementCode> code(OpTy op, KernelBuilder &k) {
    eval::Tensor in = k.operandInfo(0);
    RealMath real(k, in.element);
    Integers integers{k, eval::isSigned(in.element)};
    if constexpr (requires { codeOfCodes(k, op); })
      if (in.isQuantized())
        return codeOfCodes(k, op);
    if constexpr (requires { apply(real, op, Value(), Value()); })
      if (eval::isFloat(in.element))
        return realCode(k, op, in.element);
    if constexpr (requires { applyInteger(integers, op, Value(), Value()); })
      if (!eval::isFloat(in.element))
        return ElementCode([integers, op](const ElementInputs &x) mutable {
          Value a = x[0], b = x[1];
          return applyInteger(integers, op, a, b);
        });
    return k.unsupported(std::string(eval::name(in.element)) + " operands");
  }
};
} // namespace

template <typename... Ops> static void attachBinary(MLIRContext &context) {
  (Ops::template attachInterface<BinaryLowering<Ops>>(context), ...);
}

void tally::cpu::registerBinaryLowerings(MLIRContext &context) {
  attachBinary<nn::AddOp, nn::AndOp, nn::BitShiftOp, nn::BitwiseAndOp,
               nn::BitwiseOrOp, nn::BitwiseXorOp, nn::DivOp, nn::MaxOp,
               nn::MinOp, nn::ModOp, nn::MulOp, nn::OrOp, nn::PReluOp,
               nn::SubOp, nn::XorOp>(context);
}
