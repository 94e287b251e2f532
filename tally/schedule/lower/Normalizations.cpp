//===- Normalizations.cpp - rows of mean 0 and variance 1 -----------------===//
//
// Each operation of the operator's definition is a command, in its order, so
// every result is rounded as the definition says:
//
//   mean = sum x / n;  d = x - mean;  inverse = 1 / sqrt(sum d d / n + epsilon)
//   y = d * inverse * scale + bias
//
//===----------------------------------------------------------------------===//

#include "tally/graph/Types.h"
#include "tally/ops/Ops.h"
#include "tally/schedule/lower/Lowerings.h"
#include "tally/schedule/lower/Steps.h"

#include "mlir/IR/TypeUtilities.h"

#include <numeric>

using namespace mlir;
using namespace tally;
using namespace tally::schedule;
using isa::Function;

using Operands = llvm::ArrayRef<Tensor>;

/// All dimensions of the tensor from `first` on.
static SmallVector<int64_t> from(int64_t first, int64_t rank) {
  SmallVector<int64_t> axes(rank - first);
  std::iota(axes.begin(), axes.end(), first);
  return axes;
}

static Status checkFloats(Scheduler &s, Operation *op) {
  for (Value operand : op->getOperands())
    if (!getElementTypeOrSelf(operand.getType()).isF32())
      return s.unsupported("these element types",
                           "normalize in f32, or compile for the CPU");
  return Status::success();
}

namespace {
/// What rows are multiplied by and added to, as they broadcast to x.
struct RowParameters {
  float epsilon = 0;
  bool isCentered = true;
  std::optional<Tensor> scale, bias;
};
} // namespace

/// Rows of `x` lie along `axes`. Everything of x's shape is in y's place.
static void normalize(Steps &v, const Tensor &x, ArrayRef<int64_t> axes,
                      const RowParameters &row, const Tensor &y) {
  int64_t n = 1;
  for (int64_t axis : axes)
    n *= x.shape[axis];
  Tensor count = v.number(static_cast<float>(n)), distance = x;
  if (row.isCentered) {
    Tensor sum = v.reduce(Function::ReduceSum, x, axes);
    Tensor mean = v.floats(Function::FloatDiv, {sum, count});
    distance = v.floats(Function::FloatSub, {x, mean}, &y);
  }
  Tensor squares = v.reduce(Function::ReduceSumSquare, distance, axes);
  Tensor variance = v.floats(Function::FloatDiv, {squares, count});
  variance = v.floats(Function::FloatAdd, {variance, v.number(row.epsilon)});
  Tensor deviation = v.floats(Function::FloatSqrt, variance);
  Tensor inverse = v.floats(Function::FloatReciprocal, deviation);
  v.floats(Function::FloatMul, {distance, inverse}, &y);
  if (row.scale)
    v.floats(Function::FloatMul, {y, *row.scale}, &y);
  if (row.bias)
    v.floats(Function::FloatAdd, {y, *row.bias}, &y);
}

static Result<PiecewiseNode> lowerLayer(Scheduler &s, Operation *op) {
  auto norm = cast<nn::LayerNormalizationOp>(op);
  if (Status status = checkFloats(s, op); !status)
    return status.takeError();
  if (!norm.getMean().use_empty() || !norm.getInverse().use_empty())
    return s.unsupported("its mean and inverse deviation as results",
                         "compute them by nodes of their own");
  auto axes =
      from(int64_t(norm.getAxis()), norm.getInput().getType().getRank());
  return formulaNode(
      s, op,
      [=](Steps &v, Operands in, const Tensor &out) mutable {
        RowParameters row{norm.getEpsilon().convertToFloat(), true, in[1], {}};
        if (norm.getBias())
          row.bias = in[2];
        normalize(v, in[0], axes, row, out);
      },
      axes, /*temporaries=*/1);
}

static Result<PiecewiseNode> lowerRms(Scheduler &s, Operation *op) {
  auto norm = cast<nn::RmsNormalizationOp>(op);
  if (Status status = checkFloats(s, op); !status)
    return status.takeError();
  auto axes =
      from(int64_t(norm.getAxis()), norm.getInput().getType().getRank());
  float epsilon = norm.getEpsilon().convertToFloat();
  return formulaNode(
      s, op,
      [=](Steps &v, Operands in, const Tensor &out) {
        normalize(v, in[0], axes, {epsilon, false, in[1], {}}, out);
      },
      axes, /*temporaries=*/1);
}

//===----------------------------------------------------------------------===//
// Channels
//===----------------------------------------------------------------------===//

/// One number for each channel, with `trailing` dimensions of one element.
static Tensor alongChannels(Tensor parameter, int64_t trailing) {
  for (; trailing > 0; --trailing)
    parameter = withDimension(parameter, parameter.rank());
  return parameter;
}

/// A formula of x with parameters of whole channels, which stay uncut.
static PiecewiseNode channelNode(Scheduler &s, Operation *op, Formula formula,
                                 ArrayRef<int64_t> uncut) {
  PiecewiseNode node =
      formulaNode(s, op, std::move(formula), uncut, /*temporaries=*/1);
  for (Read &read : llvm::drop_begin(node.reads))
    read = wholeRead(read.value);
  return node;
}

static Result<PiecewiseNode> lowerInstance(Scheduler &s, Operation *op) {
  auto norm = cast<nn::InstanceNormalizationOp>(op);
  if (Status status = checkFloats(s, op); !status)
    return status.takeError();
  int64_t rank = norm.getInput().getType().getRank();
  float epsilon = norm.getEpsilon().convertToFloat();
  return channelNode(
      s, op,
      [=](Steps &v, Operands in, const Tensor &out) {
        normalize(v, in[0], from(2, rank),
                  {epsilon, true, alongChannels(in[1], rank - 2),
                   alongChannels(in[2], rank - 2)},
                  out);
      },
      from(1, rank));
}

static Result<PiecewiseNode> lowerGroups(Scheduler &s, Operation *op) {
  auto norm = cast<nn::GroupNormalizationOp>(op);
  if (Status status = checkFloats(s, op); !status)
    return status.takeError();
  auto groups = int64_t(norm.getNumGroups());
  int64_t rank = norm.getInput().getType().getRank();
  float epsilon = norm.getEpsilon().convertToFloat();
  // Parameters of groups x channels of a group, or of groups.
  auto parameter = [=](const Tensor &tensor) {
    return alongChannels(splitDimension(tensor, 0, groups), rank - 2);
  };
  return channelNode(
      s, op,
      [=](Steps &v, Operands in, const Tensor &out) {
        normalize(v, splitDimension(in[0], 1, groups), from(2, rank + 1),
                  {epsilon, true, parameter(in[1]), parameter(in[2])},
                  splitDimension(out, 1, groups));
      },
      from(1, rank));
}

static Result<PiecewiseNode> lowerBatch(Scheduler &s, Operation *op) {
  auto norm = cast<nn::BatchNormalizationOp>(op);
  if (Status status = checkFloats(s, op); !status)
    return status.takeError();
  int64_t rank = norm.getInput().getType().getRank();
  float epsilon = norm.getEpsilon().convertToFloat();
  return channelNode(
      s, op,
      [=](Steps &v, Operands in, const Tensor &out) {
        auto of = [&](size_t i) { return alongChannels(in[i], rank - 2); };
        Tensor variance =
            v.floats(Function::FloatAdd, {of(4), v.number(epsilon)});
        Tensor deviation = v.floats(Function::FloatSqrt, variance);
        Tensor scale = v.floats(Function::FloatDiv, {of(1), deviation});
        v.floats(Function::FloatSub, {in[0], of(3)}, &out);
        v.floats(Function::FloatMul, {out, scale}, &out);
        v.floats(Function::FloatAdd, {out, of(2)}, &out);
      },
      rank > 1 ? from(1, 2) : from(0, rank));
}

//===----------------------------------------------------------------------===//
// Along an axis
//===----------------------------------------------------------------------===//

static void lpNormalize(Steps &v, const Tensor &x, int64_t axis, bool isRoot,
                        const Tensor &y) {
  Tensor length = v.reduce(
      isRoot ? Function::ReduceSumSquare : Function::ReduceSumAbs, x, axis);
  if (isRoot)
    length = v.floats(Function::FloatSqrt, length);
  Tensor zero = v.number(0);
  Tensor isZero = v.floats(Function::FloatEq, {length, zero});
  v.select(isZero, zero, v.floats(Function::FloatDiv, {x, length}), &y);
}

static Result<PiecewiseNode> lowerLp(Scheduler &s, Operation *op) {
  auto norm = cast<nn::LpNormalizationOp>(op);
  if (Status status = checkFloats(s, op); !status)
    return status.takeError();
  auto axis = int64_t(norm.getAxis());
  bool isRoot = norm.getP() == 2;
  return formulaNode(
      s, op,
      [=](Steps &v, Operands in, const Tensor &out) {
        lpNormalize(v, in[0], axis, isRoot, out);
      },
      axis);
}

/// m = max x; y = x - m - log(sum exp(x - m)).
static void logSoftmax(Steps &v, const Tensor &x, int64_t axis,
                       const Tensor &y) {
  Tensor largest = v.reduce(Function::ReduceMax, x, axis);
  Tensor shifted = v.floats(Function::FloatSub, {x, largest});
  Tensor powers = v.floats(Function::FloatExp, shifted);
  Tensor sum = v.reduce(Function::ReduceSum, powers, axis);
  v.floats(Function::FloatSub, {shifted, v.floats(Function::FloatLog, sum)},
           &y);
}

static Result<PiecewiseNode> lowerLogSoftmax(Scheduler &s, Operation *op) {
  if (Status status = checkFloats(s, op); !status)
    return status.takeError();
  auto axis = int64_t(cast<nn::LogSoftmaxOp>(op).getAxis());
  return formulaNode(
      s, op,
      [axis](Steps &v, Operands in, const Tensor &out) {
        logSoftmax(v, in[0], axis, out);
      },
      axis);
}

llvm::ArrayRef<LoweringRow> tally::schedule::normalizationLowerings() {
  static const LoweringRow rows[] = {
      {"nn.batch_normalization", lowerBatch},
      {"nn.group_normalization", lowerGroups},
      {"nn.instance_normalization", lowerInstance},
      {"nn.layer_normalization", lowerLayer},
      {"nn.log_softmax", lowerLogSoftmax},
      {"nn.lp_normalization", lowerLp},
      {"nn.rms_normalization", lowerRms},
  };
  return rows;
}
