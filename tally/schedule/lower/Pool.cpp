//===- Pool.cpp - the largest element of each window ----------------------===//

#include "tally/graph/Locations.h"
#include "tally/graph/Types.h"
#include "tally/schedule/lower/Lowerings.h"

using namespace mlir;
using namespace tally;
using namespace tally::schedule;
using isa::VectorField;

/// n, h, w, c: the order of the vector engine's pools.
static SmallVector<int64_t, 4> poolStrides(const Tensor &tensor) {
  bool isLine = tensor.rank() == 3;
  return {tensor.strides[0], isLine ? 0 : tensor.strides[2],
          tensor.strides[isLine ? 2 : 3], tensor.strides[1]};
}

static void setWindow(CommandWriter &writer, nn::MaxPoolOp pool,
                      ArrayRef<int64_t> input) {
  size_t n = input.size();
  auto at = [n](ArrayRef<int64_t> list, size_t fromEnd, int64_t fallback) {
    return fromEnd < n ? list[n - 1 - fromEnd] : fallback;
  };
  ArrayRef<int64_t> begins = pool.getPads().take_front(n);
  writer.set(VectorField::KernelH, at(pool.getKernel(), 1, 1))
      .set(VectorField::KernelW, at(pool.getKernel(), 0, 1))
      .set(VectorField::StepH, at(pool.getStrides(), 1, 1))
      .set(VectorField::StepW, at(pool.getStrides(), 0, 1))
      .set(VectorField::DilationH, at(pool.getDilations(), 1, 1))
      .set(VectorField::DilationW, at(pool.getDilations(), 0, 1))
      .set(VectorField::BeforeH, at(begins, 1, 0))
      .set(VectorField::BeforeW, at(begins, 0, 0))
      .set(VectorField::ExtentH, at(input, 1, 1))
      .set(VectorField::ExtentW, at(input, 0, 1));
}

static Status lowerMaxPool(Scheduler &s, Operation *op) {
  auto pool = cast<nn::MaxPoolOp>(op);
  auto in = cast<RankedTensorType>(pool.getInput().getType());
  auto out = cast<RankedTensorType>(pool.getResult().getType());
  if (in.getRank() > 4)
    return s.unsupported("a window of more than two dimensions");
  if (in.getElementType() != out.getElementType())
    return s.unsupported("a result on another grid than its input");
  auto input = s.value(pool.getInput());
  if (!input)
    return input.takeError();
  auto result =
      s.allocate(nn::tensorName(pool.getResult()), out, Layout::ChannelsLast);
  if (!result)
    return result.takeError();
  auto writer = s.command(isa::CommandCode::VectorPool);
  if (!writer)
    return writer.takeError();
  bool isLine = out.getRank() == 3;
  writer->set(VectorField::Size0, out.getShape()[0])
      .set(VectorField::Size1, isLine ? 1 : out.getShape()[2])
      .set(VectorField::Size2, out.getShape()[isLine ? 2 : 3])
      .set(VectorField::Size3, out.getShape()[1])
      .set(VectorField::Function, isa::infoOf(isa::Function::PoolMax).number);
  setWindow(*writer, pool, in.getShape().drop_front(2));
  writer->box("a", *input, poolStrides(*input), input->offset)
      .box("out", *result, poolStrides(*result), result->offset);
  if (Status status = writer->issue(); !status)
    return status;
  s.bind(pool.getResult(), *result);
  return Status::success();
}

llvm::ArrayRef<LoweringRow> tally::schedule::poolLowerings() {
  static const LoweringRow rows[] = {{"nn.max_pool", lowerMaxPool}};
  return rows;
}
