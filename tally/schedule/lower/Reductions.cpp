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

/// The type with one element along each of `axes`.
static RankedTensorType keptType(RankedTensorType type, ArrayRef<int64_t> axes,
                                 Type element) {
  auto shape = llvm::to_vector(type.getShape());
  for (int64_t axis : axes)
    shape[axis] = 1;
  return RankedTensorType::get(shape, element);
}

/// Sums of steps, then one rounding of each.
static Status lowerCodeSum(Scheduler &s, Operation *op, ArrayRef<int64_t> axes,
                           bool isMean) {
  auto in = cast<RankedTensorType>(op->getOperand(0).getType());
  auto out = cast<RankedTensorType>(op->getResult(0).getType());
  auto from = nn::quantizedElement(in), to = nn::quantizedElement(out);
  if (!from && !to) {
    auto node = lowerPlainReduction(s, op, axes);
    return node ? runPieces(s, *node) : Status(node.takeError());
  }
  if (!from || !to || !nn::gridOf(from).perTensor())
    return s.unsupported("these element types", "quantize the node");
  int64_t count = 1;
  for (int64_t axis : axes)
    count *= in.getDimSize(axis);
  eval::Quantization grid = nn::gridOf(from);
  nn::Interval steps = nn::stepRange(grid);
  tally::quant::RequantizeProblem problem;
  problem.inputScale = grid.scale();
  problem.divisor = isMean ? count : 1;
  problem.accumulatorLo = int64_t(steps.lo) * count;
  problem.accumulatorHi = int64_t(steps.hi) * count;
  nn::setResult(problem, nn::gridOf(to));
  auto record = unitRecord(s, problem);
  if (!record)
    return record.takeError();
  auto block = isa::RequantizeBlock::from(std::vector{*record});
  if (!block)
    return s.unsupported(block.error().message);
  auto input = s.value(op->getOperand(0));
  if (!input)
    return input.takeError();
  Type wide = IntegerType::get(op->getContext(), 64);
  std::string name = nn::nodeName(op) + ".sums";
  auto sums = s.allocate(name, keptType(in, axes, wide), Layout::RowMajor);
  if (!sums)
    return sums.takeError();
  if (Status status =
          reduce(s, Function::ReduceSum, grid.zeroPoint(), *input, *sums);
      !status)
    return status;
  auto result =
      s.allocate(nn::tensorName(op->getResult(0)), out, Layout::RowMajor);
  if (!result)
    return result.takeError();
  // The same elements in the same order, with or without the reduced
  // dimensions.
  Tensor lined = *sums;
  lined.shape = result->shape;
  lined.strides = result->strides;
  for (int64_t &stride : lined.strides)
    stride = stride / result->bytes() * sums->bytes();
  Work work;
  work.code = CommandCode::VectorRescale;
  work.parameters = isa::encodeParameters(*block);
  if (Status status = walk(s, work, {&lined, &*result}); !status)
    return status;
  s.bind(op->getResult(0), *result);
  return Status::success();
}

static Status lowerMean(Scheduler &s, Operation *op) {
  return lowerCodeSum(s, op, cast<nn::ReduceMeanOp>(op).getAxes(), true);
}

static Status lowerSum(Scheduler &s, Operation *op) {
  return lowerCodeSum(s, op, cast<nn::ReduceSumOp>(op).getAxes(), false);
}

/// m = max x; e = exp(x - m); y = e / sum e: each operation rounded once, as
/// the operator says.
static Status lowerSoftmax(Scheduler &s, Operation *op) {
  auto softmax = cast<nn::SoftmaxOp>(op);
  auto type = cast<RankedTensorType>(softmax.getResult().getType());
  if (!type.getElementType().isF32())
    return s.unsupported("these element types");
  auto x = s.value(softmax.getInput());
  if (!x)
    return x.takeError();
  int64_t axis = int64_t(softmax.getAxis());
  auto line = keptType(type, {axis}, type.getElementType());
  std::string name = nn::nodeName(op);
  auto largest = s.allocate(name + ".max", line, Layout::RowMajor);
  auto sum = s.allocate(name + ".sum", line, Layout::RowMajor);
  auto shifted = s.allocate(name + ".shifted", type, Layout::RowMajor);
  auto powers = s.allocate(name + ".exp", type, Layout::RowMajor);
  auto result =
      s.allocate(nn::tensorName(softmax.getResult()), type, Layout::RowMajor);
  Work work;
  work.code = CommandCode::VectorFloat;
  auto apply = [&](Function function, ArrayRef<const Tensor *> tensors) {
    work.function = function;
    return walk(s, work, tensors);
  };
  if (Status status = reduce(s, Function::ReduceMax, 0, *x, *largest); !status)
    return status;
  if (Status status = apply(Function::FloatSub, {&*x, &*largest, &*shifted});
      !status)
    return status;
  if (Status status = apply(Function::FloatExp, {&*shifted, &*powers}); !status)
    return status;
  if (Status status = reduce(s, Function::ReduceSum, 0, *powers, *sum); !status)
    return status;
  if (Status status = apply(Function::FloatDiv, {&*powers, &*sum, &*result});
      !status)
    return status;
  s.bind(softmax.getResult(), *result);
  return Status::success();
}

llvm::ArrayRef<LoweringRow> tally::schedule::reductionLowerings() {
  static const LoweringRow rows[] = {
      {"nn.reduce_mean", lowerMean},
      {"nn.reduce_sum", lowerSum},
      {"nn.softmax", lowerSoftmax},
  };
  return rows;
}
