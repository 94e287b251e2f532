//===- Numbers.cpp - comparisons, logic, integers and casts ---------------===//
//
// Booleans are bytes of 0 or 1. Integers wrap, as in the operators' meaning.
//
//===----------------------------------------------------------------------===//

#include "tally/schedule/lower/Numbers.h"
#include "tally/graph/Types.h"
#include "tally/ops/Ops.h"
#include "tally/schedule/lower/Grids.h"
#include "tally/schedule/lower/Lowerings.h"
#include "tally/schedule/lower/Steps.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringSwitch.h"

#include <limits>

using namespace mlir;
using namespace tally;
using namespace tally::schedule;
using isa::CommandCode;
using isa::Function;
using machine::ElementType;

using Operands = llvm::ArrayRef<Tensor>;

static bool isFloat(const Tensor &tensor) {
  return tensor.type == ElementType::F32;
}

/// Halves have no functions of their own.
static void refuseHalves(Steps &v, Operands in) {
  for (const Tensor &tensor : in)
    if (tensor.type == ElementType::F16)
      v.refuse("f16 operands", "convert them to f32, or compile for the CPU");
}

//===----------------------------------------------------------------------===//
// Comparisons and logic
//===----------------------------------------------------------------------===//

namespace {
/// a ~ b, or b ~ a.
struct Comparison {
  Function floats, integers;
  bool isSwapped = false;
};
} // namespace

static Comparison comparisonOf(Operation *op) {
  if (llvm::isa<nn::EqualOp>(op))
    return {Function::FloatEq, Function::IntEq};
  if (llvm::isa<nn::LessOp>(op))
    return {Function::FloatLt, Function::IntLt};
  if (llvm::isa<nn::LessOrEqualOp>(op))
    return {Function::FloatLe, Function::IntLe};
  if (llvm::isa<nn::GreaterOp>(op))
    return {Function::FloatLt, Function::IntLt, true};
  return {Function::FloatLe, Function::IntLe, true};
}

static Result<PiecewiseNode> lowerComparison(Scheduler &s, Operation *op) {
  Comparison comparison = comparisonOf(op);
  return formulaNode(s, op, [=](Steps &v, Operands in, const Tensor &out) {
    refuseHalves(v, in);
    SmallVector<Tensor> pair(in);
    if (comparison.isSwapped)
      std::swap(pair[0], pair[1]);
    if (isFloat(in[0]))
      v.floats(comparison.floats, pair, &out);
    else
      v.integers(comparison.integers, pair, &out);
  });
}

static Result<PiecewiseNode> lowerNot(Scheduler &s, Operation *op) {
  return formulaNode(s, op, [=](Steps &v, Operands in, const Tensor &out) {
    v.integers(Function::IntEq, {in[0], v.integer(0, in[0].type)}, &out);
  });
}

static Result<PiecewiseNode> lowerIsNan(Scheduler &s, Operation *op) {
  return formulaNode(s, op, [=](Steps &v, Operands in, const Tensor &out) {
    refuseHalves(v, in);
    Tensor isNumber = v.floats(Function::FloatEq, {in[0], in[0]});
    v.integers(Function::IntEq, {isNumber, v.integer(0, ElementType::U8)},
               &out);
  });
}

static Result<PiecewiseNode> lowerIsInf(Scheduler &s, Operation *op) {
  auto test = cast<nn::IsInfOp>(op);
  // NaN equals nothing.
  constexpr float infinity = std::numeric_limits<float>::infinity();
  constexpr float nothing = std::numeric_limits<float>::quiet_NaN();
  float high = test.getPositive() ? infinity : nothing;
  float low = test.getNegative() ? -infinity : nothing;
  return formulaNode(s, op, [=](Steps &v, Operands in, const Tensor &out) {
    refuseHalves(v, in);
    Tensor isHigh = v.floats(Function::FloatEq, {in[0], v.number(high)});
    Tensor isLow = v.floats(Function::FloatEq, {in[0], v.number(low)});
    v.integers(Function::IntOr, {isHigh, isLow}, &out);
  });
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

static std::optional<Function> integerFunction(Operation *op) {
  if (auto mod = dyn_cast<nn::ModOp>(op))
    return mod.getFmod() ? Function::IntRem : Function::IntMod;
  if (auto shift = dyn_cast<nn::BitShiftOp>(op))
    return shift.getLeft() ? Function::IntShl : Function::IntShr;
  return llvm::StringSwitch<std::optional<Function>>(
             op->getName().stripDialect())
      .Case("abs", Function::IntAbs)
      .Case("add", Function::IntAdd)
      .Cases({"and", "bitwise_and"}, Function::IntAnd)
      .Case("bitwise_not", Function::IntNot)
      .Cases({"bitwise_or", "or"}, Function::IntOr)
      .Cases({"bitwise_xor", "xor"}, Function::IntXor)
      .Case("div", Function::IntDiv)
      .Case("max", Function::IntMax)
      .Case("min", Function::IntMin)
      .Case("mul", Function::IntMul)
      .Case("neg", Function::IntNeg)
      .Case("sign", Function::IntSign)
      .Case("sub", Function::IntSub)
      .Default(std::nullopt);
}

/// x < 0 ? slope x : x.
static void preluOfIntegers(Steps &v, Operands in, const Tensor &out) {
  Tensor low = v.integers(Function::IntMul, {in[1], in[0]});
  Tensor isLow = v.integers(Function::IntLt, {in[0], v.integer(0, in[0].type)});
  v.select(isLow, low, in[0], &out);
}

Result<PiecewiseNode> tally::schedule::lowerIntegers(Scheduler &s,
                                                     Operation *op) {
  auto function = integerFunction(op);
  return formulaNode(s, op, [=](Steps &v, Operands in, const Tensor &out) {
    if (llvm::any_of(in, [](const Tensor &tensor) {
          return tensor.type >= ElementType::F16;
        }))
      return v.refuse("these element types",
                      "convert them to f32, or compile for the CPU");
    if (llvm::isa<nn::PReluOp>(op))
      return preluOfIntegers(v, in, out);
    if (llvm::isa<nn::ReluOp>(op)) {
      v.integers(Function::IntMax, {in[0], v.integer(0, in[0].type)}, &out);
      return;
    }
    if (!function)
      return v.refuse("this operator on integers", "compile for the CPU");
    v.integers(*function, in, &out);
  });
}

//===----------------------------------------------------------------------===//
// Casts and choices
//===----------------------------------------------------------------------===//

static Result<PiecewiseNode> lowerCast(Scheduler &s, Operation *op) {
  bool isBoolean = getElementTypeOrSelf(op->getResult(0)).isInteger(1);
  Work work;
  work.code = CommandCode::VectorConvert;
  work.function = isBoolean ? Function::ConvertBoolean : Function::ConvertCast;
  return formulaNode(s, op,
                     [=](Steps &v, Operands in, const Tensor &out) mutable {
                       v.apply(work, in, out.type, &out);
                     });
}

static Result<PiecewiseNode> lowerWhere(Scheduler &s, Operation *op) {
  auto where = cast<nn::WhereOp>(op);
  Type grid = where.getResult().getType();
  auto yes = gridChange(s, where.getX().getType(), grid);
  if (!yes)
    return yes.takeError();
  auto no = gridChange(s, where.getY().getType(), grid);
  if (!no)
    return no.takeError();
  return formulaNode(
      s, op,
      [yes = *yes, no = *no](Steps &v, Operands in, const Tensor &out) mutable {
        v.select(in[0], yes ? v.apply(*yes, in[1], out.type) : in[1],
                 no ? v.apply(*no, in[2], out.type) : in[2], &out);
      });
}

llvm::ArrayRef<LoweringRow> tally::schedule::numberLowerings() {
  static const LoweringRow rows[] = {
      {"nn.and", lowerIntegers},
      {"nn.bit_shift", lowerIntegers},
      {"nn.bitwise_and", lowerIntegers},
      {"nn.bitwise_not", lowerIntegers},
      {"nn.bitwise_or", lowerIntegers},
      {"nn.bitwise_xor", lowerIntegers},
      {"nn.cast", lowerCast},
      {"nn.equal", lowerComparison},
      {"nn.greater", lowerComparison},
      {"nn.greater_or_equal", lowerComparison},
      {"nn.is_inf", lowerIsInf},
      {"nn.is_nan", lowerIsNan},
      {"nn.less", lowerComparison},
      {"nn.less_or_equal", lowerComparison},
      {"nn.mod", lowerIntegers},
      {"nn.not", lowerNot},
      {"nn.or", lowerIntegers},
      {"nn.where", lowerWhere},
      {"nn.xor", lowerIntegers},
  };
  return rows;
}
