//===- Logic.cpp - kernels that make or take booleans ---------------------===//

#include "tally/cpu/LaneCodes.h"
#include "tally/cpu/lower/Elementwise.h"
#include "tally/cpu/lower/GridChange.h"
#include "tally/cpu/lower/Lowerings.h"
#include "tally/cpu/lower/RealMath.h"

using namespace mlir;
using namespace tally;
using namespace tally::cpu;
using eval::Element;

/// A condition as the byte 0 or 1.
static Value boolean(KernelBuilder &k, Value condition) {
  return arith::ExtUIOp::create(k.b, lanesLike(condition, k.i8()), condition);
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

namespace {
struct Predicates {
  arith::CmpFPredicate ofFloats;
  arith::CmpIPredicate ofSigned, ofUnsigned;
};
using F = arith::CmpFPredicate;
using I = arith::CmpIPredicate;
} // namespace

static Predicates predicates(nn::EqualOp) { return {F::OEQ, I::eq, I::eq}; }
static Predicates predicates(nn::GreaterOp) { return {F::OGT, I::sgt, I::ugt}; }
static Predicates predicates(nn::GreaterOrEqualOp) {
  return {F::OGE, I::sge, I::uge};
}
static Predicates predicates(nn::LessOp) { return {F::OLT, I::slt, I::ult}; }
static Predicates predicates(nn::LessOrEqualOp) {
  return {F::OLE, I::sle, I::ule};
}

namespace {
template <typename OpTy>
struct CompareLowering : ElementwiseModel<CompareLowering<OpTy>, OpTy> {
  static Result<ElementCode> code(OpTy op, KernelBuilder &k) {
    Element in = k.operandInfo(0).element;
    Predicates predicate = predicates(op);
    I ofIntegers =
        eval::isSigned(in) ? predicate.ofSigned : predicate.ofUnsigned;
    ElementCode code = [&k, in, predicate,
                        ofIntegers](const ElementInputs &x) -> Value {
      Value a = x[0], b = x[1];
      if (!eval::isFloat(in))
        return boolean(k, arith::CmpIOp::create(k.b, ofIntegers, a, b));
      RealMath real(k, in, lanesOf(a));
      return boolean(k, arith::CmpFOp::create(k.b, predicate.ofFloats,
                                              real.widen(a), real.widen(b)));
    };
    return std::move(code).onWideLanes();
  }
};

//===----------------------------------------------------------------------===//
// Classes of floats
//===----------------------------------------------------------------------===//

struct IsNanLowering : ElementwiseModel<IsNanLowering, nn::IsNanOp> {
  static Result<ElementCode> code(nn::IsNanOp, KernelBuilder &k) {
    RealMath real(k, k.operandInfo(0).element);
    return ElementCode([&k, real](const ElementInputs &x) mutable {
      return boolean(k, real.isNan(real.widen(x[0])));
    });
  }
};

struct IsInfLowering : ElementwiseModel<IsInfLowering, nn::IsInfOp> {
  static Result<ElementCode> code(nn::IsInfOp op, KernelBuilder &k) {
    RealMath real(k, k.operandInfo(0).element);
    return ElementCode([&k, op, real](const ElementInputs &inputs) mutable {
      Value x = real.widen(inputs[0]), no = k.integer(k.i1(), 0);
      auto is = [&](bool wanted, double infinity) {
        return wanted ? real.eq(x, real.real(infinity)) : no;
      };
      return boolean(k,
                     arith::OrIOp::create(k.b, is(op.getNegative(), -HUGE_VAL),
                                          is(op.getPositive(), HUGE_VAL)));
    });
  }
};

//===----------------------------------------------------------------------===//
// Where
//===----------------------------------------------------------------------===//

struct WhereLowering : ElementwiseModel<WhereLowering, nn::WhereOp> {
  static Result<ElementCode> code(nn::WhereOp, KernelBuilder &k) {
    auto changeX = GridChange::make(k, k.operandInfo(1), k.resultInfo());
    if (!changeX)
      return changeX.takeError();
    auto changeY = GridChange::make(k, k.operandInfo(2), k.resultInfo());
    if (!changeY)
      return changeY.takeError();
    bool takesLanes = changeX->takesLanes() && changeY->takesLanes();
    ElementCode code = [&k, changeX = *changeX,
                        changeY = *changeY](const ElementInputs &x) -> Value {
      Value condition = x[0];
      Value holds = arith::CmpIOp::create(k.b, I::ne, condition,
                                          k.integer(condition.getType(), 0));
      Value yes = changeX.apply(k, x[1]), no = changeY.apply(k, x[2]);
      return arith::SelectOp::create(k.b, holds, yes, no);
    };
    bool areBytes = eval::byteSize(k.resultInfo().element) == 1;
    return areBytes ? std::move(code).onLanes(takesLanes)
                    : std::move(code).onWideLanes(takesLanes);
  }
};
} // namespace

template <typename... Ops> static void attachCompare(MLIRContext &context) {
  (Ops::template attachInterface<CompareLowering<Ops>>(context), ...);
}

void tally::cpu::registerLogicLowerings(MLIRContext &context) {
  attachCompare<nn::EqualOp, nn::GreaterOp, nn::GreaterOrEqualOp, nn::LessOp,
                nn::LessOrEqualOp>(context);
  nn::IsInfOp::attachInterface<IsInfLowering>(context);
  nn::IsNanOp::attachInterface<IsNanLowering>(context);
  nn::WhereOp::attachInterface<WhereLowering>(context);
}
