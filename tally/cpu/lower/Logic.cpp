//===- Logic.cpp - kernels that make or take booleans ---------------------===//

#include "tally/cpu/lower/Elementwise.h"
#include "tally/cpu/lower/GridChange.h"
#include "tally/cpu/lower/Lowerings.h"
#include "tally/cpu/lower/RealMath.h"

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

/// A condition as the byte 0 or 1.
static Value boolean(KernelBuilder &k, Value condition) {
  return arith::ExtUIOp::create(k.b, k.i8(), condition);
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
struct CompareLowering
    : CpuLowering::ExternalModel<CompareLowering<OpTy>, OpTy> {
  Status lower(Operation *op, KernelBuilder &k) const {
    eval::Tensor in = k.operandInfo(0);
    Predicates predicate = predicates(cast<OpTy>(op));
    RealMath real(k, in.element);
    lowerBinary(k, [&](Value a, Value b) {
      if (eval::isFloat(in.element))
        return boolean(k, arith::CmpFOp::create(k.b, predicate.ofFloats,
                                                real.widen(a), real.widen(b)));
      bool isSigned = eval::isSigned(in.element);
      return boolean(k, arith::CmpIOp::create(k.b,
                                              isSigned ? predicate.ofSigned
                                                       : predicate.ofUnsigned,
                                              a, b));
    });
    return Status::success();
  }
};

//===----------------------------------------------------------------------===//
// Classes of floats
//===----------------------------------------------------------------------===//

struct IsNanLowering : CpuLowering::ExternalModel<IsNanLowering, nn::IsNanOp> {
  Status lower(Operation *, KernelBuilder &k) const {
    RealMath real(k, k.operandInfo(0).element);
    lowerUnary(k,
               [&](Value x) { return boolean(k, real.isNan(real.widen(x))); });
    return Status::success();
  }
};

struct IsInfLowering : CpuLowering::ExternalModel<IsInfLowering, nn::IsInfOp> {
  Status lower(Operation *operation, KernelBuilder &k) const {
    auto op = cast<nn::IsInfOp>(operation);
    RealMath real(k, k.operandInfo(0).element);
    Value no = k.integer(k.i1(), 0);
    auto is = [&](bool wanted, Value x, double infinity) {
      return wanted ? real.eq(x, real.real(infinity)) : no;
    };
    lowerUnary(k, [&](Value stored) {
      Value x = real.widen(stored);
      return boolean(
          k, arith::OrIOp::create(k.b, is(op.getNegative(), x, -HUGE_VAL),
                                  is(op.getPositive(), x, HUGE_VAL)));
    });
    return Status::success();
  }
};

//===----------------------------------------------------------------------===//
// Where
//===----------------------------------------------------------------------===//

struct WhereLowering : CpuLowering::ExternalModel<WhereLowering, nn::WhereOp> {
  Status lower(Operation *, KernelBuilder &k) const {
    auto changeX = GridChange::make(k, k.operandInfo(1), k.resultInfo());
    if (!changeX)
      return changeX.takeError();
    auto changeY = GridChange::make(k, k.operandInfo(2), k.resultInfo());
    if (!changeY)
      return changeY.takeError();
    Value condition = k.flat(k.operand(0)), output = k.flat(k.result());
    Value x = k.flat(k.operand(1)), y = k.flat(k.operand(2));
    forEachBroadcast(k, k.resultInfo().shape,
                     {k.operandInfo(0).shape, k.operandInfo(1).shape,
                      k.operandInfo(2).shape},
                     [&](Value i, ValueRange at) {
                       Value holds = arith::CmpIOp::create(
                           k.b, I::ne, k.load(condition, at[0]),
                           k.integer(k.i8(), 0));
                       Value chosen = arith::SelectOp::create(
                           k.b, holds, changeX->apply(k, k.load(x, at[1])),
                           changeY->apply(k, k.load(y, at[2])));
                       k.store(chosen, output, i);
                     });
    return Status::success();
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
