//===- FloatReductions.cpp - reductions of floats and integers ------------===//
//
// The engine reduces in row-major order, which is the pinned one; what comes
// before and after is a command of its own. Codes are in Reductions.cpp.
//
//===----------------------------------------------------------------------===//

#include "tally/schedule/lower/FloatReductions.h"
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

static Reduction reductionOf(const Tensor &in, const Tensor &out,
                             ArrayRef<int64_t> axes) {
  Reduction r{in, out, axes};
  bool keepsAxes = out.rank() == in.rank();
  for (int64_t axis : axes) {
    r.count *= in.shape[size_t(axis)];
    if (!keepsAxes)
      r.out = withDimension(r.out, axis);
  }
  return r;
}

/// All of the operand along `axes`.
static Piece reducedPiece(ArrayRef<int64_t> shape, ArrayRef<int64_t> axes,
                          const Piece &result) {
  Piece piece;
  bool keepsAxes = result.size() == shape.size();
  size_t next = 0;
  for (auto [d, size] : llvm::enumerate(shape)) {
    bool isAxis = llvm::is_contained(axes, int64_t(d));
    piece.push_back(isAxis ? Span{0, size} : result[next]);
    next += !isAxis || keepsAxes;
  }
  return piece;
}

static Read reducedRead(Value value, ArrayRef<int64_t> axes) {
  auto shape = cast<RankedTensorType>(value.getType()).getShape();
  return {value,
          [shape, axes = SmallVector<int64_t>(axes)](const Piece &result) {
            return reducedPiece(shape, axes, result);
          }};
}

PiecewiseNode tally::schedule::reductionNode(
    Scheduler &s, Operation *op, ArrayRef<int64_t> axes,
    std::function<void(Steps &, const Reduction &)> formula) {
  SmallVector<int64_t> kept(axes);
  PiecewiseNode node = formulaNode(
      s, op, [kept, formula](Steps &v, Operands in, const Tensor &out) {
        formula(v, reductionOf(in[0], out, kept));
      });
  node.reads = {reducedRead(op->getOperand(0), axes)};
  node.layout = Layout::RowMajor;
  int64_t count = 1;
  for (int64_t axis : axes)
    count *=
        cast<RankedTensorType>(op->getOperand(0).getType()).getDimSize(axis);
  // Some take another tensor of the operand's size.
  node.scratch = [count](const Piece &result) {
    return countOf(result) * (count * 4 + 32);
  };
  return node;
}

static Function functionOf(Operation *op) {
  return llvm::StringSwitch<Function>(op->getName().stripDialect())
      .Case("reduce_l1", Function::ReduceSumAbs)
      .Cases({"reduce_l2", "reduce_sum_square"}, Function::ReduceSumSquare)
      .Case("reduce_max", Function::ReduceMax)
      .Case("reduce_min", Function::ReduceMin)
      .Case("reduce_prod", Function::ReduceProd)
      .Default(Function::ReduceSum);
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

/// log(sum exp(x - m)) + m, m the largest x, or 0 where that is no number.
static void logSumExp(Steps &v, const Reduction &r) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  Tensor largest = v.reduce(Function::ReduceMax, r.in, r.axes);
  Tensor magnitude = v.floats(Function::FloatAbs, largest);
  Tensor isFinite =
      v.floats(Function::FloatLt, {magnitude, v.number(infinity)});
  Tensor shift = v.select(isFinite, largest, v.number(0));
  Tensor shifted = v.floats(Function::FloatSub, {r.in, shift});
  v.floats(Function::FloatExp, shifted, &shifted);
  Tensor sum = v.reduce(Function::ReduceSum, shifted, r.axes);
  Tensor logarithm = v.floats(Function::FloatLog, sum);
  v.floats(Function::FloatAdd, {logarithm, shift}, &r.out);
}

/// Reduces, then applies one more function to the sums.
static void reduceFloats(Steps &v, Operation *op, const Reduction &r) {
  if (llvm::isa<nn::ReduceLogSumExpOp>(op))
    return logSumExp(v, r);
  auto last = [&](Function function, auto... more) {
    Tensor sum = v.reduce(functionOf(op), r.in, r.axes);
    v.floats(function, {sum, more...}, &r.out);
  };
  if (llvm::isa<nn::ReduceMeanOp>(op))
    return last(Function::FloatDiv, v.number(static_cast<float>(r.count)));
  if (llvm::isa<nn::ReduceL2Op>(op))
    return last(Function::FloatSqrt);
  if (llvm::isa<nn::ReduceLogSumOp>(op))
    return last(Function::FloatLog);
  v.reduce(functionOf(op), r.in, r.axes, 0, &r.out);
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// Sums are exact in 64 bits; the result keeps their low ones.
static void reduceIntegers(Steps &v, Operation *op, const Reduction &r) {
  Function function = functionOf(op);
  if (llvm::isa<nn::ReduceMaxOp, nn::ReduceMinOp>(op)) {
    v.reduce(function, r.in, r.axes, 0, &r.out);
    return;
  }
  bool isMean = llvm::isa<nn::ReduceMeanOp>(op);
  if (isMean && r.in.type == ElementType::I64)
    return v.refuse("the mean of 64-bit integers, whose sum takes more bits",
                    "cast them to 32 bits");
  Tensor sum = v.reduce(function, r.in, r.axes);
  if (isMean)
    sum = v.integers(Function::IntDiv,
                     {sum, v.integer(r.count, ElementType::I64)});
  v.cast(sum, r.out.type, &r.out);
}

static bool isHalf(Type type) {
  auto element = elementTypeOf(type);
  return element && *element == ElementType::F16;
}

Result<PiecewiseNode>
tally::schedule::lowerPlainReduction(Scheduler &s, Operation *op,
                                     ArrayRef<int64_t> axes) {
  auto type = cast<RankedTensorType>(op->getOperand(0).getType());
  if (isHalf(type))
    return s.unsupported("f16 operands",
                         "convert them to f32, or compile for the CPU");
  bool isFloat = type.getElementType().isF32();
  return reductionNode(s, op, axes, [=](Steps &v, const Reduction &r) {
    if (isFloat)
      reduceFloats(v, op, r);
    else
      reduceIntegers(v, op, r);
  });
}

//===----------------------------------------------------------------------===//
// Rows of the table
//===----------------------------------------------------------------------===//

template <class Op>
static Result<PiecewiseNode> lowerPlain(Scheduler &s, Operation *op) {
  if (nn::quantizedElement(op->getOperand(0).getType()))
    return s.unsupported("this reduction of codes", "reduce in f32");
  return lowerPlainReduction(s, op, cast<Op>(op).getAxes());
}

/// The order of codes is the order of reals.
static Result<PiecewiseNode> lowerCodeExtreme(Scheduler &s, Operation *op,
                                              ArrayRef<int64_t> axes) {
  auto change =
      gridChange(s, op->getOperand(0).getType(), op->getResult(0).getType());
  if (!change)
    return change.takeError();
  return reductionNode(
      s, op, axes,
      [op, change = *change](Steps &v, const Reduction &r) mutable {
        Tensor extreme = v.reduce(functionOf(op), r.in, r.axes, 0,
                                  change ? nullptr : &r.out);
        if (change)
          v.apply(*change, extreme, r.out.type, &r.out);
      });
}

template <class Op>
static Result<PiecewiseNode> lowerExtreme(Scheduler &s, Operation *op) {
  if (nn::quantizedElement(op->getOperand(0).getType()))
    return lowerCodeExtreme(s, op, cast<Op>(op).getAxes());
  return lowerPlain<Op>(s, op);
}

/// The same elements from the last to the first along an axis.
static Tensor backwards(const Tensor &tensor, int64_t axis) {
  Tensor view = tensor;
  auto d = size_t(axis);
  view.offset += (view.shape[d] - 1) * view.strides[d];
  view.strides[d] = -view.strides[d];
  return view;
}

/// The first place, or the last by the first of the elements backwards.
static void argExtreme(Steps &v, Function function, bool isLast,
                       const Reduction &r) {
  if (!isLast) {
    v.reduce(function, r.in, r.axes, 0, &r.out);
    return;
  }
  Tensor place = v.reduce(function, backwards(r.in, r.axes[0]), r.axes);
  Tensor last = v.integer(r.count - 1, ElementType::I64);
  v.integers(Function::IntSub, {last, place}, &r.out);
}

template <class Op>
static Result<PiecewiseNode> lowerArg(Scheduler &s, Operation *op) {
  auto arg = cast<Op>(op);
  if (isHalf(arg.getInput().getType()))
    return s.unsupported("f16 operands",
                         "convert them to f32, or compile for the CPU");
  Function function = llvm::isa<nn::ArgMaxOp>(op) ? Function::ReduceArgMax
                                                  : Function::ReduceArgMin;
  bool isLast = arg.getSelectLast();
  return reductionNode(s, op, int64_t(arg.getAxis()),
                       [=](Steps &v, const Reduction &r) {
                         argExtreme(v, function, isLast, r);
                       });
}

llvm::ArrayRef<LoweringRow> tally::schedule::floatReductionLowerings() {
  static const LoweringRow rows[] = {
      {"nn.arg_max", lowerArg<nn::ArgMaxOp>},
      {"nn.arg_min", lowerArg<nn::ArgMinOp>},
      {"nn.reduce_l1", lowerPlain<nn::ReduceL1Op>},
      {"nn.reduce_l2", lowerPlain<nn::ReduceL2Op>},
      {"nn.reduce_log_sum", lowerPlain<nn::ReduceLogSumOp>},
      {"nn.reduce_log_sum_exp", lowerPlain<nn::ReduceLogSumExpOp>},
      {"nn.reduce_max", lowerExtreme<nn::ReduceMaxOp>},
      {"nn.reduce_min", lowerExtreme<nn::ReduceMinOp>},
      {"nn.reduce_prod", lowerPlain<nn::ReduceProdOp>},
      {"nn.reduce_sum_square", lowerPlain<nn::ReduceSumSquareOp>},
  };
  return rows;
}
