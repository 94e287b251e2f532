//===- ConvolutionRows.cpp - rows of convolutions in a chain --------------===//
//
// A convolution that computes some rows of its result from the rows of its
// operand that its windows touch, both in SRAM. Pieces keep the row indices of
// the whole (Bands.h), so that padding is where the whole has it.
//
// Example: rows [4, 8) of a 3 x 3 window of step 1 with padding 1 need rows
// [3, 9); rows [0, 4) need [0, 5) and one row of padding.
//
//===----------------------------------------------------------------------===//

#include "tally/schedule/lower/Bands.h"
#include "tally/schedule/lower/Convolutions.h"

using namespace mlir;
using namespace tally;
using namespace tally::schedule;

/// A piece in SRAM, found with the row indices of the whole.
static Result<Pixels> rowsOf(Scheduler &s, Value value, Result<Tensor> tensor,
                             int64_t groupChannels) {
  if (!tensor)
    return tensor.takeError();
  auto pixels = imagePixels(s, *tensor, groupChannels);
  if (pixels)
    pixels->tensor.offset -= s.pieceOf(value)[2].begin * pixels->row;
  return pixels;
}

static Status emitRows(Scheduler &s, Value input, Value residual, Value result,
                       const Product &p, ResidentProduct &product) {
  auto in = rowsOf(s, input, s.value(input), p.channels);
  if (!in)
    return in.takeError();
  auto tensor = s.allocateResult(result, Layout::ChannelsLast);
  auto out = rowsOf(s, result, tensor, p.columns);
  if (!out)
    return out.takeError();
  std::optional<Pixels> other;
  if (residual) {
    auto rows = rowsOf(s, residual, s.value(residual), p.columns);
    if (!rows)
      return rows.takeError();
    other = *rows;
  }
  s.bind(result, *tensor);
  Piece piece = s.pieceOf(result);
  return product.emit(s, *in, *out, other, piece[0].size,
                      {piece[2].begin, piece[2].size, 0, p.outW});
}

Value tally::schedule::windowInput(Operation *op) {
  auto fused = llvm::dyn_cast<nn::FusedOp>(op);
  auto conv = llvm::dyn_cast<nn::ConvOp>(fused ? fused.chain().front() : op);
  bool isPlane = conv && conv.getInput().getType().getRank() == 4;
  return isPlane ? productNodeOf(op).operand(0) : Value();
}

Result<PiecewiseNode> tally::schedule::windowNode(Scheduler &s, Operation *op) {
  s.node = op;
  ProductNode node = productNodeOf(op);
  auto conv = convolutionOf(s, node);
  if (!conv)
    return conv.takeError();
  Value input = node.operand(0), residual;
  if (Value other = conv->epilogue.residual())
    residual = node.outer.lookupOrDefault(other);
  Product p = conv->product;
  PiecewiseNode rows;
  rows.op = op;
  rows.layout = Layout::ChannelsLast;
  rows.uncut = {1, 3};
  int64_t channels = cast<RankedTensorType>(input.getType()).getDimSize(1);
  rows.reads.push_back(
      {input, [p, channels](const Piece &result) {
         Rows touched =
             inputRows(p, {result[2].begin, result[2].size, 0, p.outW});
         return Piece{
             result[0], {0, channels}, {touched.y, touched.rows}, {0, p.inW}};
       }});
  if (residual)
    rows.reads.push_back(broadcastRead(residual));
  rows.emit = [&s, input, residual, result = node.result, p,
               product = ResidentProduct(p, conv->epilogue)]() mutable {
    return emitRows(s, input, residual, result, p, product);
  };
  return rows;
}
