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
/// What rows are multiplied by and added to, as they broadcast to x; results
/// beside y where somebody reads them.
struct RowParameters {
  float epsilon = 0;
  bool isCentered = true;
  std::optional<Tensor> scale, bias;
  const Tensor *mean = nullptr, *inverse = nullptr;
};
} // namespace

/// Rows of `x` lie along `axes`.
static void normalize(Steps &v, const Tensor &x, ArrayRef<int64_t> axes,
                      const RowParameters &row, const Tensor &y) {
  int64_t n = 1;
  for (int64_t axis : axes)
    n *= x.shape[axis];
  Tensor count = v.number(static_cast<float>(n)), distance = x;
  if (row.isCentered) {
    Tensor sum = v.reduce(Function::ReduceSum, x, axes);
    Tensor mean = v.floats(Function::FloatDiv, {sum, count}, row.mean);
    distance = v.floats(Function::FloatSub, {x, mean});
  }
  Tensor squares = v.reduce(Function::ReduceSumSquare, distance, axes);
  Tensor variance = v.floats(Function::FloatDiv, {squares, count});
  variance = v.floats(Function::FloatAdd, {variance, v.number(row.epsilon)});
  Tensor deviation = v.floats(Function::FloatSqrt, variance);
  Tensor inverse = v.floats(Function::FloatReciprocal, deviation, row.inverse);
  Tensor unit = v.floats(Function::FloatMul, {distance, inverse},
                         row.scale || row.bias ? nullptr : &y);
  if (row.scale)
    unit = v.floats(Function::FloatMul, {unit, *row.scale},
                    row.bias ? nullptr : &y);
  if (row.bias)
    v.floats(Function::FloatAdd, {unit, *row.bias}, &y);
}

static Status lowerLayer(Scheduler &s, Operation *op) {
  auto norm = cast<nn::LayerNormalizationOp>(op);
  if (Status status = checkFloats(s, op); !status)
    return status;
  auto axes =
      from(int64_t(norm.getAxis()), norm.getInput().getType().getRank());
  return runFormula(s, op, axes, [&](Steps &v, auto in, auto out) {
    RowParameters row;
    row.epsilon = norm.getEpsilon().convertToFloat();
    row.scale = in[1];
    if (norm.getBias())
      row.bias = in[2];
    row.mean = out[1].storage ? &out[1] : nullptr;
    row.inverse = out[2].storage ? &out[2] : nullptr;
    normalize(v, in[0], axes, row, out[0]);
  });
}

static Status lowerRms(Scheduler &s, Operation *op) {
  auto norm = cast<nn::RmsNormalizationOp>(op);
  if (Status status = checkFloats(s, op); !status)
    return status;
  auto axes =
      from(int64_t(norm.getAxis()), norm.getInput().getType().getRank());
  return runFormula(s, op, axes, [&](Steps &v, auto in, auto out) {
    RowParameters row;
    row.epsilon = norm.getEpsilon().convertToFloat();
    row.isCentered = false;
    row.scale = in[1];
    normalize(v, in[0], axes, row, out[0]);
  });
}

/// One number for each of `channels`, as it broadcasts to a tensor of `rank`
/// whose dimensions from `axis` on begin with channels.
static Tensor alongChannels(const Tensor &parameter, ArrayRef<int64_t> channels,
                            int64_t trailing) {
  auto shape = llvm::to_vector(channels);
  shape.append(trailing, 1);
  return reshaped(parameter, shape);
}

static Status lowerInstance(Scheduler &s, Operation *op) {
  auto norm = cast<nn::InstanceNormalizationOp>(op);
  if (Status status = checkFloats(s, op); !status)
    return status;
  auto shape = norm.getInput().getType().getShape();
  auto axes = from(2, int64_t(shape.size()));
  return runFormula(s, op, from(1, int64_t(shape.size())),
                    [&](Steps &v, auto in, auto out) {
                      RowParameters row;
                      row.epsilon = norm.getEpsilon().convertToFloat();
                      auto trailing = int64_t(axes.size());
                      row.scale = alongChannels(in[1], shape[1], trailing);
                      row.bias = alongChannels(in[2], shape[1], trailing);
                      normalize(v, in[0], axes, row, out[0]);
                    });
}

/// The channels, dimension 1, as groups and channels of a group.
static Tensor inGroups(const Tensor &tensor, int64_t groups) {
  Tensor view = tensor;
  int64_t size = tensor.shape[1] / groups;
  view.shape[1] = size;
  view.shape.insert(view.shape.begin() + 1, groups);
  view.strides.insert(view.strides.begin() + 1, tensor.strides[1] * size);
  return view;
}

static Status lowerGroups(Scheduler &s, Operation *op) {
  auto norm = cast<nn::GroupNormalizationOp>(op);
  if (Status status = checkFloats(s, op); !status)
    return status;
  auto shape = norm.getInput().getType().getShape();
  auto groups = int64_t(norm.getNumGroups());
  int64_t perGroup = shape[1] / groups, rank = int64_t(shape.size());
  bool hasChannels = norm.getScale().getType().getNumElements() != groups;
  SmallVector<int64_t> channels = {groups, hasChannels ? perGroup : 1};
  return runFormula(s, op, from(1, rank), [&](Steps &v, auto in, auto out) {
    RowParameters row;
    row.epsilon = norm.getEpsilon().convertToFloat();
    row.scale = alongChannels(in[1], channels, rank - 2);
    row.bias = alongChannels(in[2], channels, rank - 2);
    normalize(v, inGroups(in[0], groups), from(2, rank + 1), row,
              inGroups(out[0], groups));
  });
}

static Status lowerBatch(Scheduler &s, Operation *op) {
  auto norm = cast<nn::BatchNormalizationOp>(op);
  if (Status status = checkFloats(s, op); !status)
    return status;
  auto shape = norm.getInput().getType().getShape();
  int64_t channels = shape.size() > 1 ? shape[1] : 1;
  auto trailing = std::max<int64_t>(int64_t(shape.size()) - 2, 0);
  SmallVector<int64_t> whole(shape.size() > 1 ? 1 : 0, 1);
  return runFormula(s, op, whole, [&](Steps &v, auto in, auto out) {
    auto of = [&](size_t i) {
      return alongChannels(in[i], channels, trailing);
    };
    Tensor epsilon = v.number(norm.getEpsilon().convertToFloat());
    Tensor variance = v.floats(Function::FloatAdd, {of(4), epsilon});
    Tensor deviation = v.floats(Function::FloatSqrt, variance);
    Tensor scale = v.floats(Function::FloatDiv, {of(1), deviation});
    Tensor distance = v.floats(Function::FloatSub, {in[0], of(3)});
    Tensor scaled = v.floats(Function::FloatMul, {distance, scale});
    v.floats(Function::FloatAdd, {scaled, of(2)}, &out[0]);
  });
}

//===----------------------------------------------------------------------===//
// Along an axis
//===----------------------------------------------------------------------===//

static Status lowerLp(Scheduler &s, Operation *op) {
  auto norm = cast<nn::LpNormalizationOp>(op);
  if (Status status = checkFloats(s, op); !status)
    return status;
  SmallVector<int64_t> axes = {int64_t(norm.getAxis())};
  return runFormula(s, op, axes, [&](Steps &v, auto in, auto out) {
    bool isRoot = norm.getP() == 2;
    Tensor length =
        v.reduce(isRoot ? Function::ReduceSumSquare : Function::ReduceSumAbs,
                 in[0], axes);
    if (isRoot)
      length = v.floats(Function::FloatSqrt, length);
    Tensor zero = v.number(0);
    Tensor isZero = v.floats(Function::FloatEq, {length, zero});
    Tensor quotient = v.floats(Function::FloatDiv, {in[0], length});
    v.select(isZero, zero, quotient, &out[0]);
  });
}

/// m = max x; e = exp(x - m); y = e / sum e, or x - m - log(sum e).
static void softmax(Steps &v, const Tensor &x, int64_t axis, bool isLogarithm,
                    const Tensor &y) {
  Tensor largest = v.reduce(Function::ReduceMax, x, axis);
  Tensor shifted = v.floats(Function::FloatSub, {x, largest});
  Tensor powers = v.floats(Function::FloatExp, shifted);
  Tensor sum = v.reduce(Function::ReduceSum, powers, axis);
  if (isLogarithm)
    v.floats(Function::FloatSub, {shifted, v.floats(Function::FloatLog, sum)},
             &y);
  else
    v.floats(Function::FloatDiv, {powers, sum}, &y);
}

static Status lowerLogSoftmax(Scheduler &s, Operation *op) {
  if (Status status = checkFloats(s, op); !status)
    return status;
  auto axis = int64_t(cast<nn::LogSoftmaxOp>(op).getAxis());
  return runFormula(s, op, axis, [&](Steps &v, auto in, auto out) {
    softmax(v, in[0], axis, /*isLogarithm=*/true, out[0]);
  });
}

static Status lowerSoftmax(Scheduler &s, Operation *op) {
  if (Status status = checkFloats(s, op); !status)
    return status;
  auto axis = int64_t(cast<nn::SoftmaxOp>(op).getAxis());
  return runFormula(s, op, axis, [&](Steps &v, auto in, auto out) {
    softmax(v, in[0], axis, /*isLogarithm=*/false, out[0]);
  });
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
      {"nn.softmax", lowerSoftmax},
  };
  return rows;
}
