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

namespace {
/// A window along one axis.
struct WindowAxis {
  int64_t kernel = 1, step = 1, dilation = 1, before = 0, size = 1;

  /// The input's indices that windows of the results `span` touch.
  Span touched(Span span) const {
    int64_t begin = span.begin * step - before;
    int64_t end = begin + (span.size - 1) * step + (kernel - 1) * dilation + 1;
    begin = std::clamp<int64_t>(begin, 0, size - 1);
    return {begin, std::clamp<int64_t>(end, begin + 1, size) - begin};
  }
};
} // namespace

/// The window along the axis that is `fromEnd` from the last one.
static WindowAxis axisOf(nn::MaxPoolOp pool, size_t fromEnd) {
  auto shape = cast<RankedTensorType>(pool.getInput().getType())
                   .getShape()
                   .drop_front(2);
  if (fromEnd >= shape.size())
    return {};
  size_t axis = shape.size() - 1 - fromEnd;
  return {pool.getKernel()[axis], pool.getStrides()[axis],
          pool.getDilations()[axis], pool.getPads()[axis], shape[axis]};
}

static Piece inputPiece(nn::MaxPoolOp pool, const Piece &result) {
  Piece piece = result;
  for (size_t d = 2; d < result.size(); ++d)
    piece[d] = axisOf(pool, result.size() - 1 - d).touched(result[d]);
  return piece;
}

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
static void setWindow(Scheduler &s, CommandWriter &writer, nn::MaxPoolOp pool) {
  Piece result = s.pieceOf(pool.getResult()), input = inputPiece(pool, result);
  if (result.size() == 4)
    setAxis(writer, 0, axisOf(pool, 1), result[2], input[2]);
  setAxis(writer, 1, axisOf(pool, 0), result.back(), input.back());
}

static Status emitMaxPool(Scheduler &s, nn::MaxPoolOp pool) {
  auto input = s.value(pool.getInput());
  if (!input)
    return input.takeError();
  auto result = s.allocateResult(pool.getResult(), Layout::ChannelsLast);
  if (!result)
    return result.takeError();
  auto writer = s.command(isa::CommandCode::VectorPool);
  if (!writer)
    return writer.takeError();
  ArrayRef<int64_t> out = result->shape;
  writer->set(VectorField::Size0, out[0])
      .set(VectorField::Size1, out.size() == 3 ? 1 : out[2])
      .set(VectorField::Size2, out.back())
      .set(VectorField::Size3, out[1])
      .set(VectorField::Function, isa::infoOf(isa::Function::PoolMax).number);
  setWindow(s, *writer, pool);
  writer->box("a", *input, poolStrides(*input), input->offset)
      .box("out", *result, poolStrides(*result), result->offset);
  s.bind(pool.getResult(), *result);
  return writer->issue();
}

static Result<PiecewiseNode> prepareMaxPool(Scheduler &s, Operation *op) {
  auto pool = cast<nn::MaxPoolOp>(op);
  auto in = cast<RankedTensorType>(pool.getInput().getType());
  auto out = cast<RankedTensorType>(pool.getResult().getType());
  if (in.getRank() > 4)
    return s.unsupported("a window of more than two dimensions");
  if (in.getElementType() != out.getElementType())
    return s.unsupported("a result on another grid than its input");
  PiecewiseNode node;
  node.op = op;
  node.layout = Layout::ChannelsLast;
  node.reads = {{pool.getInput(), [pool](const Piece &result) {
                   return inputPiece(pool, result);
                 }}};
  node.emit = [&s, pool] { return emitMaxPool(s, pool); };
  return node;
}

llvm::ArrayRef<LoweringRow> tally::schedule::poolLowerings() {
  static const LoweringRow rows[] = {{"nn.max_pool", prepareMaxPool}};
  return rows;
}
