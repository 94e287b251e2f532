//===- Normalization.cpp - softmax and normalizations on the CPU ----------===//

#include "tally/cpu/Quotient.h"
#include "tally/cpu/lower/Lanes.h"
#include "tally/cpu/lower/Lowerings.h"

#include "tally/ops/Anchors.h"
#include "tally/quant/PinnedMath.h"

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

static Status checkF32(KernelBuilder &k) {
  for (Value operand : k.op->getOperands()) {
    eval::Tensor in = nn::describe(cast<RankedTensorType>(operand.getType()));
    if (in.element != eval::Element::F32 || in.isQuantized())
      return k.unsupported(std::string(eval::name(in.element)) + " operands");
  }
  return Status::success();
}

//===----------------------------------------------------------------------===//
// Along an axis
//===----------------------------------------------------------------------===//

/// Calls body(first element) for each line along `axis`; its elements are
/// `inner` apart.
static void forEachLine(KernelBuilder &k, const eval::Tensor &tensor,
                        int64_t axis, int64_t inner,
                        llvm::function_ref<void(Value base)> body) {
  int64_t size = tensor.shape[axis];
  int64_t outer = inner * size ? tensor.count() / (inner * size) : 0;
  k.parallelLoops({outer, inner}, [&](ValueRange at) {
    body(k.addIndex(k.mulIndex(at[0], inner * size), at[1]));
  });
}

namespace {
/// The lines of a softmax, or of its logarithm. A NaN makes its whole line NaN
/// either way: a softmax finds it in the sum when the maximum overlooks it.
struct SoftmaxLines {
  SoftmaxLines(KernelBuilder &k, int64_t axis, bool logarithm)
      : k(k), logarithm(logarithm), in(k.operandInfo(0)), n(in.shape[axis]),
        inner(eval::stridesOf(in.shape)[axis]), input(k, n),
        exponential{k.scratch({n}, k.f32()), k.index(0)} {
    if (logarithm)
      shifted = {k.scratch({n}, k.f32()), k.index(0)};
  }
  void emit(Value base);

  KernelBuilder &k;
  const bool logarithm;
  eval::Tensor in;
  int64_t n, inner;

private:
  Value emitExponentials(const FloatLine &source);
  void store(Value base, llvm::function_ref<Value(Value i)> element);
  void storeLogarithms(Value base, Value sum);
  void storeShares(Value base, Value sum, Value least);

  LineReader input;
  FloatLine exponential, shifted;
};
} // namespace

/// Stores e^(x - largest) and, for the logarithm, x - largest. Gives the least
/// exponential that is not 0, at most 1.
Value SoftmaxLines::emitExponentials(const FloatLine &source) {
  Value largest =
      logarithm ? lineMaximum(k, source, n) : lineLargest(k, source, n);
  auto smaller = [](FloatMath &math, Value a, Value b) {
    return math.select(math.lt(a, b), a, b);
  };
  return reduceLanes(
      k, n, 1.0f,
      [&](FloatMath &math, Value least, Value i, int64_t lanes) {
        Value x =
            math.sub(loadLine(k, source, i, lanes), spread(k, largest, lanes));
        Value power = tally::quant::pinned::exp(math, x);
        if (logarithm)
          storeLine(k, shifted, i, x, lanes);
        storeLine(k, exponential, i, power, lanes);
        Value one = math.f32(1);
        Value positive = math.select(math.lt(math.f32(0), power), power, one);
        return smaller(math, positive, least);
      },
      smaller);
}

void SoftmaxLines::store(Value base, llvm::function_ref<Value(Value)> element) {
  k.loop(n, [&](Value i) {
    k.storeResult(element(i), k.addIndex(base, k.mulIndex(i, inner)));
  });
}

void SoftmaxLines::storeLogarithms(Value base, Value sum) {
  FloatMath math(k);
  Value rest = tally::quant::pinned::log(math, sum);
  store(base,
        [&](Value i) { return math.sub(loadLine(k, shifted, i, 0), rest); });
}

/// The sum is at least 1. Shares of less than 2^-100 take the slow way.
void SoftmaxLines::storeShares(Value base, Value sum, Value least) {
  FloatMath math(k);
  auto divide = [&] {
    store(base, [&](Value i) {
      return math.div(loadLine(k, exponential, i, 0), sum);
    });
  };
  if (!hasFastQuotients(k.tier))
    return divide();
  Value isModerate = math.both(math.le(math.f32(0x1p-80f), least),
                               math.lt(sum, math.f32(0x1p20f)));
  auto branch = scf::IfOp::create(k.b, isModerate, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(k.b);
  k.b.setInsertionPointToStart(&branch.getThenRegion().front());
  Value reciprocal = math.div(math.f32(1), sum);
  store(base, [&](Value i) {
    return quotient(math, loadLine(k, exponential, i, 0), sum, reciprocal);
  });
  k.b.setInsertionPointToStart(&branch.getElseRegion().front());
  divide();
}

void SoftmaxLines::emit(Value base) {
  Value least = emitExponentials(input.line(base, inner));
  Value sum = lineSum(k, exponential, n);
  if (logarithm)
    storeLogarithms(base, sum);
  else
    storeShares(base, sum, least);
}

static Status lowerSoftmax(KernelBuilder &k, int64_t axis, bool logarithm) {
  if (Status status = checkF32(k); !status)
    return status;
  eval::Tensor in = k.operandInfo(0);
  forEachLine(k, in, axis, eval::stridesOf(in.shape)[axis],
              [&](Value base) { SoftmaxLines(k, axis, logarithm).emit(base); });
  return Status::success();
}

static Status lowerLpNormalization(KernelBuilder &k, int64_t axis, int64_t p) {
  if (Status status = checkF32(k); !status)
    return status;
  eval::Tensor in = k.operandInfo(0);
  int64_t n = in.shape[axis], inner = eval::stridesOf(in.shape)[axis];
  Value input = k.flat(k.operand(0)), output = k.flat(k.result());
  FloatMath math(k);
  forEachLine(k, in, axis, inner, [&](Value base) {
    FloatLine source{input, base, inner}, target{output, base, inner};
    Value norm = pinnedSum(
        k, n, [&](FloatMath &lane, Value partial, Value i, int64_t lanes) {
          Value x = loadLine(k, source, i, lanes);
          return p == 1 ? lane.add(partial, lane.abs(x))
                        : lane.fma(x, x, partial);
        });
    if (p == 2)
      norm = math.sqrt(norm);
    Value isZero = math.eq(norm, math.f32(0));
    k.loop(n, [&](Value i) {
      Value y = math.div(loadLine(k, source, i, 0), norm);
      storeLine(k, target, i, math.select(isZero, math.f32(0), y), 0);
    });
  });
  return Status::success();
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

namespace {
/// Rows of neighbouring elements and where their scale and bias lie: entry
/// start(row) + table[i] for element i, all of the row the same entry when
/// there is no table.
struct Rows {
  int64_t n = 1, count = 0;
  float epsilon = 0;
  bool centered = true;
  std::function<Value(Value row)> start;
  std::vector<int32_t> table;
};
} // namespace

static bool countsUp(ArrayRef<int32_t> table) {
  for (auto [i, entry] : llvm::enumerate(table))
    if (entry != static_cast<int32_t>(i))
      return false;
  return !table.empty();
}

/// Row-wise mean (or null) and inverse deviation.
static std::pair<Value, Value>
statistics(KernelBuilder &k, const FloatLine &line, const Rows &rows) {
  FloatMath math(k);
  Value count = math.f32(static_cast<float>(rows.n)), mean;
  if (rows.centered)
    mean = math.div(lineSum(k, line, rows.n), count);
  Value squares = pinnedSum(
      k, rows.n, [&](FloatMath &lane, Value partial, Value i, int64_t lanes) {
        Value d = loadLine(k, line, i, lanes);
        if (mean)
          d = lane.sub(d, spread(k, mean, lanes));
        return lane.fma(d, d, partial);
      });
  Value variance = math.add(math.div(squares, count), math.f32(rows.epsilon));
  return {mean, math.div(math.f32(1), math.sqrt(variance))};
}

static bool isRead(Operation *op, unsigned result) {
  return op->getNumResults() > result && !op->getResult(result).use_empty();
}

static Status lowerRows(KernelBuilder &k, const Rows &rows) {
  if (Status status = checkF32(k); !status)
    return status;
  Value scale = k.flat(k.operand(1));
  Value bias = k.hasOperand(2) ? k.flat(k.operand(2)) : Value();
  bool isDense = countsUp(rows.table);
  Value table =
      rows.table.empty() || isDense ? Value() : k.constant<int32_t>(rows.table);
  bool hasStatistics = isRead(k.op, 1) || isRead(k.op, 2);
  k.parallelLoop(rows.count, [&](Value row) {
    Value base = k.mulIndex(row, rows.n), start = rows.start(row);
    FloatLine source = LineReader(k, rows.n).line(base, 1);
    auto [mean, inverse] = statistics(k, source, rows);
    auto parameter = [&](Value memref, Value i) -> Value {
      if (rows.table.empty())
        return k.load(memref, start);
      return loadLine(k, FloatLine{memref, start, 1, table}, i, 0);
    };
    k.loop(rows.n, [&, mean = mean, inverse = inverse](Value i) {
      FloatMath math(k);
      Value y = loadLine(k, source, i, 0);
      if (mean)
        y = math.sub(y, mean);
      y = math.mul(math.mul(y, inverse), parameter(scale, i));
      if (bias)
        y = math.add(y, parameter(bias, i));
      k.storeResult(y, k.addIndex(base, i));
    });
    if (hasStatistics) {
      k.store(mean, k.flat(k.result(1)), row);
      k.store(inverse, k.flat(k.result(2)), row);
    }
  });
  return Status::success();
}

/// A scale that broadcasts to the trailing dimensions from `axis` on.
static Status trailingRows(KernelBuilder &k, int64_t axis, Rows &rows) {
  eval::Shape shape = k.operandInfo(0).shape, scale = k.operandInfo(1).shape;
  eval::Shape trailing(shape.begin() + axis, shape.end());
  rows.n = eval::elementCount(trailing);
  rows.count = rows.n ? eval::elementCount(shape) / rows.n : 0;
  while (scale.size() > trailing.size()) {
    if (scale.front() != 1)
      return k.unsupported("a scale that differs by row");
    scale.erase(scale.begin());
  }
  eval::Shape strides = eval::stridesOf(scale);
  size_t lead = trailing.size() - scale.size();
  for (int64_t i = 0; i < rows.n; ++i) {
    int64_t rest = i, entry = 0;
    for (size_t d = trailing.size(); d-- > 0;) {
      if (d >= lead && scale[d - lead] != 1)
        entry += rest % trailing[d] * strides[d - lead];
      rest /= trailing[d];
    }
    rows.table.push_back(static_cast<int32_t>(entry));
  }
  rows.start = [&k](Value) { return k.index(0); };
  return Status::success();
}

/// Rows of `channels` neighbouring channels; parameters per channel, or per
/// group of channels.
static void channelRows(KernelBuilder &k, int64_t channels, bool perGroup,
                        Rows &rows) {
  eval::Shape shape = k.operandInfo(0).shape;
  int64_t inner = eval::stridesOf(shape)[1], groups = shape[1] / channels;
  rows.n = channels * inner;
  rows.count = shape[0] * groups;
  int64_t entries = perGroup ? 1 : channels;
  rows.start = [&k, groups, entries](Value row) {
    Value group = arith::RemUIOp::create(k.b, row, k.index(groups));
    return k.mulIndex(group, entries);
  };
  if (entries > 1)
    for (int64_t i = 0; i < rows.n; ++i)
      rows.table.push_back(static_cast<int32_t>(i / inner));
}

//===----------------------------------------------------------------------===//
// Channels
//===----------------------------------------------------------------------===//

static Status lowerLrn(KernelBuilder &k, nn::LrnOp op) {
  if (Status status = checkF32(k); !status)
    return status;
  eval::Tensor in = k.operandInfo(0);
  int64_t channels = in.shape[1], inner = eval::stridesOf(in.shape)[1];
  int64_t size = op.getSize(), before = (size - 1) / 2;
  float ratio = op.getAlpha().convertToFloat() / static_cast<float>(size);
  Value input = k.flat(k.operand(0)), output = k.flat(k.result());
  FloatMath math(k);
  k.loops({in.shape[0], channels, inner}, [&](ValueRange at) {
    Value image = k.addIndex(k.mulIndex(at[0], channels * inner), at[2]);
    Value sum = k.fold(size, math.f32(0), [&](Value i, Value carried) {
      Value channel = k.addIndex(k.addIndex(at[1], i), k.index(-before));
      Value exists = arith::CmpIOp::create(k.b, arith::CmpIPredicate::ult,
                                           channel, k.index(channels));
      channel = arith::SelectOp::create(k.b, exists, channel, at[1]);
      Value x = k.load(input, k.addIndex(image, k.mulIndex(channel, inner)));
      return math.select(exists, math.fma(x, x, carried), carried);
    });
    Value base = math.add(math.mul(math.f32(ratio), sum),
                          math.f32(op.getBias().convertToFloat()));
    Value power = tally::quant::pinned::pow(
        math, base, math.f32(op.getBeta().convertToFloat()));
    Value element = k.addIndex(image, k.mulIndex(at[1], inner));
    k.store(math.div(k.load(input, element), power), output, element);
  });
  return Status::success();
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

static Status lowerOp(nn::SoftmaxOp op, KernelBuilder &k) {
  return lowerSoftmax(k, op.getAxis(), /*logarithm=*/false);
}

static Status lowerOp(nn::LogSoftmaxOp op, KernelBuilder &k) {
  return lowerSoftmax(k, op.getAxis(), /*logarithm=*/true);
}

static Status lowerOp(nn::LpNormalizationOp op, KernelBuilder &k) {
  return lowerLpNormalization(k, op.getAxis(), op.getP());
}

static Status lowerOp(nn::LrnOp op, KernelBuilder &k) {
  return lowerLrn(k, op);
}

static Status lowerOp(nn::LayerNormalizationOp op, KernelBuilder &k) {
  Rows rows;
  rows.epsilon = op.getEpsilon().convertToFloat();
  if (Status status = trailingRows(k, op.getAxis(), rows); !status)
    return status;
  return lowerRows(k, rows);
}

static Status lowerOp(nn::RmsNormalizationOp op, KernelBuilder &k) {
  Rows rows;
  rows.epsilon = op.getEpsilon().convertToFloat();
  rows.centered = false;
  if (Status status = trailingRows(k, op.getAxis(), rows); !status)
    return status;
  return lowerRows(k, rows);
}

static Status lowerOp(nn::InstanceNormalizationOp op, KernelBuilder &k) {
  Rows rows;
  rows.epsilon = op.getEpsilon().convertToFloat();
  channelRows(k, 1, /*perGroup=*/false, rows);
  return lowerRows(k, rows);
}

static Status lowerOp(nn::GroupNormalizationOp op, KernelBuilder &k) {
  Rows rows;
  rows.epsilon = op.getEpsilon().convertToFloat();
  auto groups = static_cast<int64_t>(op.getNumGroups());
  channelRows(k, k.operandInfo(0).shape[1] / groups,
              k.operandInfo(1).count() == groups, rows);
  return lowerRows(k, rows);
}

namespace {
template <typename OpTy>
struct NormalizationLowering
    : CpuLowering::ExternalModel<NormalizationLowering<OpTy>, OpTy> {
  Status lower(Operation *op, KernelBuilder &k) const {
    return lowerOp(cast<OpTy>(op), k);
  }

  bool takesEpilogue(Operation *op) const { return nn::isFusionAnchor(op); }
};
} // namespace

template <typename... OpTys> static void attach(MLIRContext &context) {
  (OpTys::template attachInterface<NormalizationLowering<OpTys>>(context), ...);
}

void tally::cpu::registerNormalizationLowerings(MLIRContext &context) {
  attach<nn::GroupNormalizationOp, nn::InstanceNormalizationOp,
         nn::LayerNormalizationOp, nn::LogSoftmaxOp, nn::LpNormalizationOp,
         nn::LrnOp, nn::RmsNormalizationOp, nn::SoftmaxOp>(context);
}
