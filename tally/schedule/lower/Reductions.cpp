//===- Reductions.cpp - means, sums and softmax ---------------------------===//

#include "tally/graph/Locations.h"
#include "tally/graph/Types.h"
#include "tally/ops/CodeProblems.h"
#include "tally/schedule/lower/Epilogue.h"
#include "tally/schedule/lower/FloatReductions.h"
#include "tally/schedule/lower/Lowerings.h"
#include "tally/schedule/lower/Walk.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace tally;
using namespace tally::schedule;
using isa::CommandCode;
using isa::Function;

/// A tensor of one element along `axes` for each line of `like`.
static Result<Tensor> allocateLines(Scheduler &s, StringRef name,
                                    const Tensor &like, ArrayRef<int64_t> axes,
                                    Type element) {
  auto shape = like.shape;
  for (int64_t axis : axes)
    shape[axis] = 1;
  return s.allocate(name, RankedTensorType::get(shape, element),
                    Layout::RowMajor);
}

/// The rounding of a sum of `count` steps of `from`, divided by `divisor`.
static Result<UnitWork> sumRounding(Scheduler &s,
                                    const eval::Quantization &from,
                                    int64_t count, int64_t divisor,
                                    const eval::Quantization &to) {
  nn::Interval steps = nn::stepRange(from);
  tally::quant::RequantizeProblem problem;
  problem.inputScale = from.scale();
  problem.divisor = divisor;
  problem.accumulatorLo = int64_t(steps.lo) * count;
  problem.accumulatorHi = int64_t(steps.hi) * count;
  nn::setResult(problem, to);
  auto record = unitRecord(s, problem);
  if (!record)
    return record.takeError();
  auto block = unitBlock(s, {*record});
  if (!block)
    return block.takeError();
  return unitWork(CommandCode::VectorRescale, *block, block->lo,
                  int32_t(to.qmin));
}

/// Sums of steps, then one rounding of each.
static Result<PiecewiseNode> prepareCodeSum(Scheduler &s, Operation *op,
                                            ArrayRef<int64_t> axes,
                                            bool isMean) {
  auto in = cast<RankedTensorType>(op->getOperand(0).getType());
  auto out = cast<RankedTensorType>(op->getResult(0).getType());
  auto from = nn::quantizedElement(in), to = nn::quantizedElement(out);
  if (!from && !to)
    return lowerPlainReduction(s, op, axes);
  if (!from || !to || !nn::gridOf(from).perTensor())
    return s.unsupported("these element types", "quantize the node");
  int64_t count = 1;
  for (int64_t axis : axes)
    count *= in.getDimSize(axis);
  eval::Quantization grid = nn::gridOf(from);
  auto rounding =
      sumRounding(s, grid, count, isMean ? count : 1, nn::gridOf(to));
  if (!rounding)
    return rounding.takeError();
  return reductionNode(s, op, axes,
                       [zero = grid.zeroPoint(), unit = *rounding](
                           Steps &v, const Reduction &r) mutable {
                         Tensor sums =
                             v.reduce(Function::ReduceSum, r.in, r.axes, zero);
                         v.rescale(unit, sums, r.out);
                       });
}

static Result<PiecewiseNode> prepareMean(Scheduler &s, Operation *op) {
  return prepareCodeSum(s, op, cast<nn::ReduceMeanOp>(op).getAxes(), true);
}

static Result<PiecewiseNode> prepareSum(Scheduler &s, Operation *op) {
  return prepareCodeSum(s, op, cast<nn::ReduceSumOp>(op).getAxes(), false);
}

/// m = max x; e = exp(x - m); y = e / sum e: each operation rounded once, as
/// the operator says, and all in the result's place.
static Status emitSoftmax(Scheduler &s, int64_t axis, const Tensor &x,
                          const Tensor &y) {
  std::string name = nn::nodeName(s.node);
  Type element = s.builder.getF32Type();
  auto largest = allocateLines(s, name + ".max", x, axis, element);
  if (!largest)
    return largest.takeError();
  auto sum = allocateLines(s, name + ".sum", x, axis, element);
  if (!sum)
    return sum.takeError();
  Work work;
  work.code = CommandCode::VectorFloat;
  auto apply = [&](Function function, ArrayRef<const Tensor *> tensors) {
    work.function = function;
    return walk(s, work, tensors);
  };
  if (Status status = reduce(s, Function::ReduceMax, 0, x, *largest); !status)
    return status;
  if (Status status = apply(Function::FloatSub, {&x, &*largest, &y}); !status)
    return status;
  if (Status status = apply(Function::FloatExp, {&y, &y}); !status)
    return status;
  if (Status status = reduce(s, Function::ReduceSum, 0, y, *sum); !status)
    return status;
  return apply(Function::FloatDiv, {&y, &*sum, &y});
}

static Result<PiecewiseNode> prepareSoftmax(Scheduler &s, Operation *op) {
  auto softmax = cast<nn::SoftmaxOp>(op);
  auto type = cast<RankedTensorType>(softmax.getResult().getType());
  if (!type.getElementType().isF32())
    return s.unsupported("these element types");
  int64_t axis = int64_t(softmax.getAxis());
  PiecewiseNode node = broadcastNode(
      s, op, [&s, axis](ArrayRef<Tensor> operands, const Tensor &result) {
        return emitSoftmax(s, axis, operands[0], result);
      });
  node.uncut = {axis};
  node.layout = Layout::RowMajor;
  node.scratch = [axis](const Piece &result) {
    return countOf(result) / result[axis].size * 2 * int64_t(sizeof(float));
  };
  return node;
}

llvm::ArrayRef<LoweringRow> tally::schedule::reductionLowerings() {
  static const LoweringRow rows[] = {
      {"nn.reduce_mean", prepareMean},
      {"nn.reduce_sum", prepareSum},
      {"nn.softmax", prepareSoftmax},
  };
  return rows;
}
