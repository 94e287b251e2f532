//===- RowNormalization.cpp - rows by statistics of their own -------------===//
//
// Layer, RMS, instance and group normalization of a row x of n elements:
//
//   mean = sum(x) / n          inverse = 1 / sqrt(sum((x - mean)^2) / n + eps)
//   y = (x - mean) * inverse * scale + bias
//
// both sums in the pinned order, RMS without the mean. The sums of a group of
// rows (LineGroup.h) go in step; then its rows are written one after the other.
// Codes become floats in memory of the kernel's own in the first walk.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/lower/LineGroup.h"
#include "tally/cpu/lower/Lowerings.h"

#include "tally/ops/Anchors.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

//===----------------------------------------------------------------------===//
// Groups of rows
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

  /// Whether entries are those of the elements, in order.
  bool isDense() const;
};

/// The parameters as memrefs, made outside of all loops; null where absent.
struct Parameters {
  Parameters(KernelBuilder &k, const Rows &rows)
      : scale(k.flat(k.operand(1))),
        bias(k.hasOperand(2) ? k.flat(k.operand(2)) : Value()) {
    if (!rows.table.empty() && !rows.isDense())
      table = k.constant<int32_t>(rows.table);
    if (isRead(k.op, 1) || isRead(k.op, 2)) {
      means = k.flat(k.result(1));
      inverses = k.flat(k.result(2));
    }
  }
  Value scale, bias, table, means, inverses;

private:
  static bool isRead(Operation *op, unsigned result) {
    return op->getNumResults() > result && !op->getResult(result).use_empty();
  }
};

class RowGroup {
public:
  RowGroup(KernelBuilder &k, const Rows &rows, const Parameters &parameters,
           Value first, int64_t count)
      : k(k), rows(rows), parameters(parameters), first(first),
        group(k, rows.n, /*inner=*/1, first, count), inverse(numbers(count)) {
    if (group.codes)
      reals = numbers(count * paddedLine(rows.n));
    if (rows.centered)
      mean = numbers(count);
  }
  void emit() {
    findStatistics();
    k.loop(group.lines, [&](Value row) { writeRow(row); });
  }

private:
  Value numbers(int64_t count) { return k.scratch({count}, k.f32()); }
  Value loadFirst(int64_t row, Value i) const;
  Value loadAgain(Value row, Value i, int64_t lanes) const;
  void findMeans();
  void findStatistics();
  Value parameter(Value memref, Value row, Value i, int64_t lanes) const;
  Value element(Value row, Value i, int64_t lanes) const;
  void writeRow(Value row) const;

  KernelBuilder &k;
  const Rows &rows;
  const Parameters &parameters;
  const Value first;
  const LineGroup group;
  Value mean, inverse, reals;
};
} // namespace

bool Rows::isDense() const {
  for (auto [i, entry] : llvm::enumerate(table))
    if (entry != static_cast<int32_t>(i))
      return false;
  return !table.empty();
}

//===----------------------------------------------------------------------===//
// Statistics
//===----------------------------------------------------------------------===//

/// Sixteen elements of a row in the first walk along it.
Value RowGroup::loadFirst(int64_t row, Value i) const {
  Value x = group.load(k.index(row), i);
  if (reals)
    vector::StoreOp::create(k.b, x, reals,
                            k.addIndex(i, k.index(row * paddedLine(rows.n))));
  return x;
}

Value RowGroup::loadAgain(Value row, Value i, int64_t lanes) const {
  if (!reals)
    return group.load(row, i, lanes);
  FloatLine line{reals, k.mulIndex(row, paddedLine(rows.n))};
  return loadLine(k, line, i, lanes);
}

static Value addLanes(FloatMath &math, Value a, Value b) {
  return math.add(a, b);
}

void RowGroup::findMeans() {
  FloatMath math(k);
  auto sums = reduceInStep(
      k, rows.n, group.lines, 0,
      [&](FloatMath &lane, int64_t row, Value partials, Value i) {
        return lane.add(partials, loadFirst(row, i));
      },
      addLanes);
  Value count = math.f32(static_cast<float>(rows.n));
  for (auto [row, sum] : llvm::enumerate(sums))
    k.store(math.div(sum, count), mean, k.index(static_cast<int64_t>(row)));
}

void RowGroup::findStatistics() {
  FloatMath math(k);
  SmallVector<Value> means;
  if (mean) {
    findMeans();
    for (int64_t row = 0; row < group.lines; ++row)
      means.push_back(spread(k, k.load(mean, k.index(row)), kLineLanes));
  }
  auto squares = reduceInStep(
      k, rows.n, group.lines, 0,
      [&](FloatMath &lane, int64_t row, Value partials, Value i) {
        Value x =
            mean ? loadAgain(k.index(row), i, kLineLanes) : loadFirst(row, i);
        Value d = mean ? lane.sub(x, means[row]) : x;
        return lane.fma(d, d, partials);
      },
      addLanes);
  Value count = math.f32(static_cast<float>(rows.n));
  for (auto [row, sum] : llvm::enumerate(squares)) {
    Value variance = math.add(math.div(sum, count), math.f32(rows.epsilon));
    k.store(math.div(math.f32(1), math.sqrt(variance)), inverse,
            k.index(static_cast<int64_t>(row)));
  }
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// The entries for elements [i, i + lanes), or for element i.
Value RowGroup::parameter(Value memref, Value row, Value i,
                          int64_t lanes) const {
  Value start = rows.start(k.addIndex(first, row));
  if (rows.table.empty())
    return spread(k, k.load(memref, start), lanes);
  if (parameters.table)
    return loadLine(k, FloatLine{memref, start, 1, parameters.table}, i, lanes);
  Value place = k.addIndex(start, i);
  return lanes ? k.loadLanes(memref, place, lanes) : k.load(memref, place);
}

Value RowGroup::element(Value row, Value i, int64_t lanes) const {
  FloatMath math(k, lanes);
  auto ofRow = [&](Value numbers) {
    return spread(k, k.load(numbers, row), lanes);
  };
  Value y = loadAgain(row, i, lanes);
  if (mean)
    y = math.sub(y, ofRow(mean));
  y = math.mul(math.mul(y, ofRow(inverse)),
               parameter(parameters.scale, row, i, lanes));
  if (parameters.bias)
    y = math.add(y, parameter(parameters.bias, row, i, lanes));
  return y;
}

/// In lanes, but for parameters by a table, which are loaded one by one.
void RowGroup::writeRow(Value row) const {
  if (parameters.table)
    k.loop(rows.n, [&](Value i) {
      k.storeResult(element(row, i, 0), group.element(row, i));
    });
  else
    forEachStretch(k, rows.n, [&](Value i, int64_t count) {
      k.storeLanes(element(row, i, kLineLanes), group.element(row, i), count,
                   rows.n);
    });
  if (!parameters.means)
    return;
  Value number = k.addIndex(first, row);
  k.store(k.load(mean, row), parameters.means, number);
  k.store(k.load(inverse, row), parameters.inverses, number);
}

static Status lowerRows(KernelBuilder &k, const Rows &rows) {
  for (Value operand : k.op->getOperands()) {
    eval::Tensor in = nn::describe(cast<RankedTensorType>(operand.getType()));
    if (in.element != eval::Element::F32 || in.isQuantized())
      return k.unsupported(std::string(eval::name(in.element)) + " operands");
  }
  Parameters parameters(k, rows);
  forEachGroup(k, rows.count, rows.n, [&](Value first, int64_t count) {
    RowGroup(k, rows, parameters, first, count).emit();
  });
  return Status::success();
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

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
struct RowLowering : CpuLowering::ExternalModel<RowLowering<OpTy>, OpTy> {
  Status lower(Operation *op, KernelBuilder &k) const {
    return lowerOp(cast<OpTy>(op), k);
  }

  bool takesEpilogue(Operation *op) const { return nn::isFusionAnchor(op); }
};
} // namespace

template <typename... OpTys> static void attach(MLIRContext &context) {
  (OpTys::template attachInterface<RowLowering<OpTys>>(context), ...);
}

void tally::cpu::registerRowNormalizationLowerings(MLIRContext &context) {
  attach<nn::GroupNormalizationOp, nn::InstanceNormalizationOp,
         nn::LayerNormalizationOp, nn::RmsNormalizationOp>(context);
}
