//===- Unary.cpp - kernels of unary operators -----------------------------===//
//
// One line per operator and kind of number: `apply` on RealMath is the meaning
// on every float, on FloatMath that of functions made of pinned sequences, and
// `applyInteger` that on plain integers. On codes every operator is a table.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/FloatMath.h"
#include "tally/cpu/LaneCodes.h"
#include "tally/cpu/lower/Elementwise.h"
#include "tally/cpu/lower/Lowerings.h"
#include "tally/cpu/lower/RealMath.h"
#include "tally/quant/PinnedMath.h"
#include "tally/quant/UnaryBlock.h"

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

namespace pinned = tally::quant::pinned;

//===----------------------------------------------------------------------===//
// Every float
//===----------------------------------------------------------------------===//

static double number(const llvm::APFloat &value) {
  return value.convertToFloat();
}

static Value apply(RealMath &m, nn::AbsOp, Value x) { return m.abs(x); }
static Value apply(RealMath &m, nn::CeilOp, Value x) { return m.ceil(x); }
static Value apply(RealMath &m, nn::FloorOp, Value x) { return m.floor(x); }
static Value apply(RealMath &m, nn::NegOp, Value x) { return m.neg(x); }
static Value apply(RealMath &m, nn::RoundOp, Value x) { return m.roundeven(x); }
static Value apply(RealMath &m, nn::SqrtOp, Value x) { return m.sqrt(x); }

static Value apply(RealMath &m, nn::ReciprocalOp, Value x) {
  return m.div(m.real(1), x);
}

static Value apply(RealMath &m, nn::ReluOp, Value x) {
  return m.select(m.le(x, m.real(0)), m.real(0), x);
}

static Value apply(RealMath &m, nn::SignOp, Value x) {
  Value zero = m.real(0);
  Value flat = m.select(m.eq(x, zero), zero, x);
  Value below = m.select(m.lt(x, zero), m.real(-1), flat);
  return m.select(m.lt(zero, x), m.real(1), below);
}

static Value apply(RealMath &m, nn::ClipOp op, Value x) {
  Value low = m.real(number(op.getLow())), high = m.real(number(op.getHigh()));
  Value raised = m.select(m.lt(x, low), low, x);
  return m.select(m.lt(high, raised), high, raised);
}

static Value apply(RealMath &m, nn::LeakyReluOp op, Value x) {
  Value scaled = m.mul(m.real(number(op.getAlpha())), x);
  return m.select(m.lt(x, m.real(0)), scaled, x);
}

static Value apply(RealMath &m, nn::ThresholdedReluOp op, Value x) {
  return m.select(m.lt(m.real(number(op.getAlpha())), x), x, m.real(0));
}

/// NaN stays NaN.
static Value clampToUnit(RealMath &m, Value y) {
  Value raised = m.select(m.lt(y, m.real(0)), m.real(0), y);
  return m.select(m.lt(m.real(1), raised), m.real(1), raised);
}

static Value apply(RealMath &m, nn::HardSigmoidOp op, Value x) {
  Value scaled = m.mul(m.real(number(op.getAlpha())), x);
  return clampToUnit(m, m.add(scaled, m.real(number(op.getBeta()))));
}

static Value apply(RealMath &m, nn::HardSwishOp, Value x) {
  Value y = m.add(m.mul(m.real(1.0 / 6), x), m.real(0.5));
  return m.mul(x, clampToUnit(m, y));
}

static Value apply(RealMath &m, nn::SoftsignOp, Value x) {
  return m.div(x, m.add(m.real(1), m.abs(x)));
}

//===----------------------------------------------------------------------===//
// Pinned functions
//===----------------------------------------------------------------------===//

static Value apply(FloatMath &m, nn::CosOp, Value x) {
  return pinned::cos(m, x);
}
static Value apply(FloatMath &m, nn::ErfOp, Value x) {
  return pinned::erf(m, x);
}
static Value apply(FloatMath &m, nn::ExpOp, Value x) {
  return pinned::exp(m, x);
}
static Value apply(FloatMath &m, nn::LogOp, Value x) {
  return pinned::log(m, x);
}
static Value apply(FloatMath &m, nn::SigmoidOp, Value x) {
  return pinned::sigmoid(m, x);
}
static Value apply(FloatMath &m, nn::SinOp, Value x) {
  return pinned::sin(m, x);
}
static Value apply(FloatMath &m, nn::SoftplusOp, Value x) {
  return pinned::softplus(m, x);
}
static Value apply(FloatMath &m, nn::TanhOp, Value x) {
  return pinned::tanh(m, x);
}

static Value apply(FloatMath &m, nn::GeluOp op, Value x) {
  return op.getTanh() ? pinned::geluTanh(m, x) : pinned::geluErf(m, x);
}

static Value apply(FloatMath &m, nn::MishOp, Value x) {
  return m.mul(x, pinned::tanh(m, pinned::softplus(m, x)));
}

static Value apply(FloatMath &m, nn::SwishOp op, Value x) {
  Value scaled = m.mul(m.f32(op.getAlpha().convertToFloat()), x);
  return m.mul(x, pinned::sigmoid(m, scaled));
}

/// x >= 0 ? x : below
static Value unlessNegative(FloatMath &m, Value x, Value below) {
  return m.select(m.le(m.f32(0), x), x, below);
}

static Value apply(FloatMath &m, nn::EluOp op, Value x) {
  Value alpha = m.f32(op.getAlpha().convertToFloat());
  return unlessNegative(m, x, m.mul(alpha, pinned::expm1(m, x)));
}

static Value apply(FloatMath &m, nn::CeluOp op, Value x) {
  Value alpha = m.f32(op.getAlpha().convertToFloat());
  Value power = pinned::expm1(m, m.div(x, alpha));
  return unlessNegative(m, x, m.mul(alpha, power));
}

static Value apply(FloatMath &m, nn::SeluOp op, Value x) {
  Value alpha = m.f32(op.getAlpha().convertToFloat());
  Value gamma = m.f32(op.getGamma().convertToFloat());
  Value below = m.mul(alpha, pinned::expm1(m, x));
  return m.mul(gamma, m.select(m.lt(m.f32(0), x), x, below));
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

static Value zeroLike(KernelBuilder &k, Value x) {
  return k.integer(x.getType(), 0);
}

static Value applyInteger(KernelBuilder &k, nn::NegOp, Value x, bool) {
  return arith::SubIOp::create(k.b, zeroLike(k, x), x);
}

static Value applyInteger(KernelBuilder &k, nn::AbsOp, Value x, bool isSigned) {
  if (!isSigned)
    return x;
  Value negative = arith::SubIOp::create(k.b, zeroLike(k, x), x);
  Value below =
      arith::CmpIOp::create(k.b, arith::CmpIPredicate::slt, x, zeroLike(k, x));
  return arith::SelectOp::create(k.b, below, negative, x);
}

static Value applyInteger(KernelBuilder &k, nn::ReluOp, Value x,
                          bool isSigned) {
  return isSigned ? Value(arith::MaxSIOp::create(k.b, x, zeroLike(k, x))) : x;
}

static Value applyInteger(KernelBuilder &k, nn::SignOp, Value x,
                          bool isSigned) {
  Value one = k.integer(x.getType(), 1);
  if (!isSigned)
    return arith::MinUIOp::create(k.b, x, one);
  Value bounded = arith::MinSIOp::create(k.b, x, one);
  return arith::MaxSIOp::create(k.b, bounded, k.integer(x.getType(), -1));
}

static Value applyInteger(KernelBuilder &k, nn::BitwiseNotOp, Value x, bool) {
  int64_t mask = tally::quant::XorBlock::flipAll({64, true}).mask;
  return arith::XOrIOp::create(k.b, x, k.integer(x.getType(), mask));
}

/// Booleans are the bytes 0 and 1.
static Value applyInteger(KernelBuilder &k, nn::NotOp, Value x, bool) {
  int64_t mask = tally::quant::XorBlock::flipBoolean().mask;
  return arith::XOrIOp::create(k.b, x, k.integer(x.getType(), mask));
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

template <typename Math>
static Math makeMath(KernelBuilder &k, eval::Element element, int64_t lanes) {
  if constexpr (std::is_same_v<Math, RealMath>)
    return RealMath(k, element, lanes);
  else
    return FloatMath(k, lanes);
}

/// An `element` through `fn`, computed in `Math`'s type.
template <typename Math, typename Fn>
static ElementCode realCode(KernelBuilder &k, eval::Element element, Fn fn) {
  ElementCode code = [&k, element, fn](const ElementInputs &x) {
    Value value = x[0];
    RealMath real(k, element, lanesOf(value));
    auto math = makeMath<Math>(k, element, lanesOf(value));
    return real.narrow(fn(math, real.widen(value)));
  };
  return std::move(code).onWideLanes();
}

namespace {
template <typename OpTy>
struct UnaryLowering : ElementwiseModel<UnaryLowering<OpTy>, OpTy> {
  static Result<ElementCode> code(OpTy op, KernelBuilder &k) {
    eval::Tensor in = k.operandInfo(0);
    RealMath real(k, in.element);
    FloatMath floats(k);
    bool isFloat = eval::isFloat(in.element);
    if constexpr (requires { op.unaryFunction(); })
      if (in.isQuantized())
        return tableCode(k, op.unaryFunction());
    if constexpr (requires { apply(real, op, Value()); })
      if (isFloat)
        return realCode<RealMath>(k, in.element, [op](RealMath &m, Value x) {
          return apply(m, op, x);
        });
    if constexpr (requires { apply(floats, op, Value()); })
      if (isFloat && in.element != eval::Element::F64)
        return realCode<FloatMath>(k, in.element, [op](FloatMath &m, Value x) {
          return apply(m, op, x);
        });
    bool isSigned = eval::isSigned(in.element);
    if constexpr (requires { applyInteger(k, op, Value(), true); })
      if (!isFloat)
        return ElementCode([&k, op, isSigned](const ElementInputs &x) {
          return applyInteger(k, op, x[0], isSigned);
        });
    return k.unsupported(std::string(eval::name(in.element)) + " operands");
  }
};
} // namespace

template <typename... Ops> static void attachUnary(MLIRContext &context) {
  (Ops::template attachInterface<UnaryLowering<Ops>>(context), ...);
}

void tally::cpu::registerUnaryLowerings(MLIRContext &context) {
  attachUnary<nn::AbsOp, nn::BitwiseNotOp, nn::CeilOp, nn::CeluOp, nn::ClipOp,
              nn::CosOp, nn::EluOp, nn::ErfOp, nn::ExpOp, nn::FloorOp,
              nn::GeluOp, nn::HardSigmoidOp, nn::HardSwishOp, nn::LeakyReluOp,
              nn::LogOp, nn::MishOp, nn::NegOp, nn::NotOp, nn::ReciprocalOp,
              nn::ReluOp, nn::RoundOp, nn::SeluOp, nn::SigmoidOp, nn::SignOp,
              nn::SinOp, nn::SoftplusOp, nn::SoftsignOp, nn::SqrtOp,
              nn::SwishOp, nn::TanhOp, nn::ThresholdedReluOp>(context);
}
