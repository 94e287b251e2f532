//===- Pool.cpp - the largest or the mean of each window ------------------===//
//
// The engine divides the sum of a window by the number of its taps that lie in
// the input: record n - 1 for n taps. Where padding counts, the divisor has to
// be the same everywhere, and there is one record.
//
// Example: 3 x 3 windows over a padded image have 4, 6 or 9 taps: records 3, 5
// and 8 are certified for them, the others are never read.
//
//===----------------------------------------------------------------------===//

#include "tally/graph/Locations.h"
#include "tally/graph/Types.h"
#include "tally/ops/CodeProblems.h"
#include "tally/schedule/lower/Epilogue.h"
#include "tally/schedule/lower/Lowerings.h"
#include "tally/schedule/lower/Steps.h"

#include <set>

using namespace mlir;
using namespace tally;
using namespace tally::schedule;
using isa::CommandCode;
using isa::Function;
using isa::VectorField;

/// n, h, w, c: the order of the vector engine's pools.
static SmallVector<int64_t, 4> poolStrides(const Tensor &tensor) {
  bool isLine = tensor.rank() == 3;
  return {tensor.strides[0], isLine ? 0 : tensor.strides[2],
          tensor.strides[isLine ? 2 : 3], tensor.strides[1]};
}

namespace {
/// A window along one axis.
struct WindowAxis {
  int64_t kernel = 1, step = 1, dilation = 1, before = 0, after = 0, size = 1;
  int64_t results = 1;

  /// The input's indices that windows of the results `span` touch.
  Span touched(Span span) const {
    int64_t begin = span.begin * step - before;
    int64_t end = begin + (span.size - 1) * step + (kernel - 1) * dilation + 1;
    begin = std::clamp<int64_t>(begin, 0, size - 1);
    return {begin, std::clamp<int64_t>(end, begin + 1, size) - begin};
  }

  /// How many taps of a window lie in [low, high) of the input's indices.
  int64_t tapsIn(int64_t result, int64_t low, int64_t high) const {
    int64_t count = 0;
    for (int64_t tap = 0; tap < kernel; ++tap) {
      int64_t index = result * step - before + tap * dilation;
      count += low <= index && index < high;
    }
    return count;
  }
  /// The same for each window: in the input, or in the padded input.
  std::set<int64_t> tapCounts(bool inPadding) const {
    std::set<int64_t> counts;
    for (int64_t result = 0; result < results; ++result)
      counts.insert(inPadding ? tapsIn(result, -before, size + after)
                              : tapsIn(result, 0, size));
    return counts;
  }
};

/// A pool of either kind.
struct Pool {
  Operation *op = nullptr;
  WindowAxis h, w; ///< h of one row for inputs of three dimensions
};
} // namespace

template <class Op> static Pool poolOf(Op op) {
  Pool pool{op, {}, {}};
  auto input = op.getInput().getType().getShape().drop_front(2);
  auto output = op.getResult().getType().getShape().drop_front(2);
  size_t n = input.size();
  auto axis = [&](size_t d) {
    return WindowAxis{
        op.getKernel()[d], op.getStrides()[d],  op.getDilations()[d],
        op.getPads()[d],   op.getPads()[n + d], input[d],
        output[d]};
  };
  pool.w = axis(n - 1);
  if (n == 2)
    pool.h = axis(0);
  return pool;
}

static Piece inputPiece(const Pool &pool, const Piece &result) {
  Piece piece = result;
  piece.back() = pool.w.touched(result.back());
  if (result.size() == 4)
    piece[2] = pool.h.touched(result[2]);
  return piece;
}

//===----------------------------------------------------------------------===//
// Commands
//===----------------------------------------------------------------------===//

static void setAxis(CommandWriter &writer, uint32_t offset,
                    const WindowAxis &axis, Span result, Span input) {
  auto set = [&](VectorField field, int64_t value) {
    writer.set(uint32_t(field) + offset, value);
  };
  set(VectorField::KernelH, axis.kernel);
  set(VectorField::StepH, axis.step);
  set(VectorField::DilationH, axis.dilation);
  set(VectorField::BeforeH,
      input.begin - (result.begin * axis.step - axis.before));
  set(VectorField::ExtentH, input.size);
}

/// Fields of the window for the frame's piece.
static void setWindow(Scheduler &s, CommandWriter &writer, const Pool &pool) {
  Piece result = s.pieceOf(pool.op->getResult(0));
  Piece input = inputPiece(pool, result);
  if (result.size() == 4)
    setAxis(writer, 0, pool.h, result[2], input[2]);
  setAxis(writer, 1, pool.w, result.back(), input.back());
}

static Status emitPool(Scheduler &s, const Pool &pool, Work &work,
                       const Tensor &result) {
  auto input = s.value(pool.op->getOperand(0));
  if (!input)
    return input.takeError();
  if (Status status = loadParameters(s, work); !status)
    return status;
  auto writer = s.command(CommandCode::VectorPool);
  if (!writer)
    return writer.takeError();
  ArrayRef<int64_t> out = result.shape;
  writer->set(VectorField::Size0, out[0])
      .set(VectorField::Size1, out.size() == 3 ? 1 : out[2])
      .set(VectorField::Size2, out.back())
      .set(VectorField::Size3, out[1]);
  setWork(*writer, work);
  setWindow(s, *writer, pool);
  writer->box("a", *input, poolStrides(*input), input->offset)
      .box("out", result, poolStrides(result), result.offset);
  return writer->issue();
}

namespace {
/// What a pool does beside its window.
struct PoolWork {
  UnitWork unit;
  std::optional<float> divisor; ///< of the results, afterwards
};
} // namespace

/// Where the unit for bytes is too narrow, the results are 16 bits first.
static Status emitPool(Scheduler &s, const Pool &pool, PoolWork &work,
                       Steps::Numbers &numbers) {
  Value value = pool.op->getResult(0);
  auto result = s.allocateResult(value, Layout::ChannelsLast);
  if (!result)
    return result.takeError();
  s.bind(value, *result);
  Steps v(s, numbers);
  Tensor made = *result;
  if (work.unit.lowest)
    made = v.make(result->shape, machine::ElementType::I16, *result, "wide");
  if (Status status = emitPool(s, pool, work.unit.work, made); !status)
    return status;
  if (work.unit.lowest)
    v.integers(Function::IntMax,
               {made, v.integer(*work.unit.lowest, made.type)}, &*result);
  if (work.divisor)
    v.floats(Function::FloatDiv, {made, v.number(*work.divisor)}, &*result);
  return v.finish();
}

static PiecewiseNode poolNode(Scheduler &s, const Pool &pool, PoolWork work) {
  PiecewiseNode node;
  node.op = pool.op;
  node.layout = Layout::ChannelsLast;
  node.reads = {{pool.op->getOperand(0), [pool](const Piece &result) {
                   return inputPiece(pool, result);
                 }}};
  if (work.unit.lowest)
    node.scratch = [](const Piece &result) { return countOf(result) * 2; };
  node.emit = [&s, pool, work = std::move(work),
               numbers = std::make_shared<Steps::Numbers>()]() mutable {
    return emitPool(s, pool, work, *numbers);
  };
  return node;
}

static Status checkRank(Scheduler &s, Operation *op) {
  if (cast<RankedTensorType>(op->getResult(0).getType()).getRank() > 4)
    return s.unsupported("a window of more than two dimensions");
  return Status::success();
}

static Result<PiecewiseNode> prepareMaxPool(Scheduler &s, Operation *op) {
  auto pool = cast<nn::MaxPoolOp>(op);
  if (Status status = checkRank(s, op); !status)
    return status.takeError();
  if (pool.getInput().getType().getElementType() !=
      pool.getResult().getType().getElementType())
    return s.unsupported("a result on another grid than its input");
  PoolWork work;
  work.unit.work.function = Function::PoolMax;
  return poolNode(s, poolOf(pool), std::move(work));
}

//===----------------------------------------------------------------------===//
// Means
//===----------------------------------------------------------------------===//

/// The divisors of all windows.
static std::set<int64_t> divisorsOf(const Pool &pool, bool countsPadding) {
  std::set<int64_t> divisors;
  for (int64_t rows : pool.h.tapCounts(countsPadding))
    for (int64_t columns : pool.w.tapCounts(countsPadding))
      divisors.insert(rows * columns);
  return divisors;
}

static tally::Diagnostic differentDivisors(const Scheduler &s) {
  return s.unsupported("windows that count padding and have different divisors",
                       "leave padding out of the count, or pad evenly");
}

static Result<PiecewiseNode> prepareFloatMean(Scheduler &s, const Pool &pool,
                                              bool countsPadding) {
  PoolWork work;
  work.unit.work.function =
      countsPadding ? Function::PoolSum : Function::PoolAverage;
  if (countsPadding) {
    auto divisors = divisorsOf(pool, true);
    if (divisors.size() > 1)
      return differentDivisors(s);
    work.divisor = static_cast<float>(*divisors.begin());
  }
  return poolNode(s, pool, std::move(work));
}

/// The record of a sum of at most `taps` steps over `divisor`.
static Result<tally::quant::RequantizeRecord>
meanRecord(Scheduler &s, const eval::Quantization &from, int64_t taps,
           int64_t divisor, const eval::Quantization &to) {
  nn::Interval steps = nn::stepRange(from);
  tally::quant::RequantizeProblem problem;
  problem.inputScale = from.scale();
  problem.divisor = divisor;
  // Taps outside of the input count as 0.
  problem.accumulatorLo = std::min<int64_t>(int64_t(steps.lo) * taps, 0);
  problem.accumulatorHi = std::max<int64_t>(int64_t(steps.hi) * taps, 0);
  nn::setResult(problem, to);
  return unitRecord(s, problem);
}

static Result<PiecewiseNode> prepareCodeMean(Scheduler &s, const Pool &pool,
                                             bool countsPadding) {
  auto from = nn::quantizedElement(pool.op->getOperand(0).getType());
  auto to = nn::quantizedElement(pool.op->getResult(0).getType());
  if (!from || !to || !nn::gridOf(from).perTensor() ||
      !nn::gridOf(to).perTensor())
    return s.unsupported("these element types", "quantize the node");
  auto divisors = divisorsOf(pool, countsPadding);
  divisors.erase(0); // a window without taps means real 0, by any record
  if (divisors.empty())
    divisors.insert(1);
  if (countsPadding && divisors.size() > 1)
    return differentDivisors(s);
  // Entries that no window reads are copies of their neighbours.
  std::vector<tally::quant::RequantizeRecord> records;
  for (int64_t divisor : divisors) {
    auto record =
        meanRecord(s, nn::gridOf(from), divisor, divisor, nn::gridOf(to));
    if (!record)
      return record.takeError();
    records.resize(divisors.size() == 1 ? 1 : size_t(divisor), *record);
  }
  auto block = unitBlock(s, std::move(records));
  if (!block)
    return block.takeError();
  PoolWork work{unitWork(CommandCode::VectorPool, *block, block->lo,
                         int32_t(nn::gridOf(to).qmin)),
                std::nullopt};
  work.unit.work.function = Function::PoolAverage;
  work.unit.work.zero = nn::gridOf(from).zeroPoint();
  return poolNode(s, pool, std::move(work));
}

static Result<PiecewiseNode> prepareAveragePool(Scheduler &s, Operation *op) {
  auto pool = cast<nn::AveragePoolOp>(op);
  if (Status status = checkRank(s, op); !status)
    return status.takeError();
  bool countsPadding = pool.getCountIncludePad();
  return pool.getInput().getType().getElementType().isF32()
             ? prepareFloatMean(s, poolOf(pool), countsPadding)
             : prepareCodeMean(s, poolOf(pool), countsPadding);
}

llvm::ArrayRef<LoweringRow> tally::schedule::poolLowerings() {
  static const LoweringRow rows[] = {
      {"nn.average_pool", prepareAveragePool},
      {"nn.max_pool", prepareMaxPool},
  };
  return rows;
}
