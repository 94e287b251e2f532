//===- IntegerSoftmax.cpp - softmax on codes, one command for lines -------===//
//
// The vector engine's softmax is the operator's meaning: lines along its last
// dimension, a table of exponentials and one rounding of an exact quotient. The
// other dimensions are up to three of the command's.
//
// Example: axis 1 of 3 x 200 x 4 is 1 x 3 x 4 lines of 200 codes, 4 apart.
//
//===----------------------------------------------------------------------===//

#include "tally/emit/isa/Parameters.h"
#include "tally/graph/Types.h"
#include "tally/ops/CodeProblems.h"
#include "tally/schedule/lower/Lowerings.h"
#include "tally/schedule/lower/Views.h"
#include "tally/schedule/lower/Walk.h"

using namespace mlir;
using namespace tally;
using namespace tally::schedule;
using isa::CommandCode;
using isa::VectorField;

static Result<Work> softmaxWork(Scheduler &s, nn::IntegerSoftmaxOp node) {
  auto in = nn::gridOf(nn::quantizedElement(node.getInput().getType()));
  auto out = nn::gridOf(nn::quantizedElement(node.getResult().getType()));
  auto block = isa::SoftmaxBlock::derive(
      in.scale(), out.scale(), nn::codeType(out), int32_t(out.zeroPoint()));
  if (!block) {
    tally::Diagnostic failure = block.takeError();
    return s.unsupported(failure.message + " [" + failure.rule + "]",
                         "choose another result scale, or compile with "
                         "--fallback=cpu");
  }
  Work work;
  work.code = CommandCode::VectorSoftmax;
  work.parameters = isa::encodeParameters(*block);
  return work;
}

/// Three dimensions of lines, then the one along them.
static SmallVector<int64_t, 4> withLine(ArrayRef<int64_t> lines, int64_t line) {
  SmallVector<int64_t, 4> all(lines.drop_front());
  all.push_back(line);
  return all;
}

static Status emitLines(Scheduler &s, Work &work, size_t axis, const Tensor &x,
                        const Tensor &y) {
  if (Status status = loadParameters(s, work); !status)
    return status;
  Tensor from = indicesOf(x, axis, 0, 1), to = indicesOf(y, axis, 0, 1);
  return forBoxes(
      to.shape, {&from, &to}, [&](auto sizes, auto strides, auto offsets) {
        if (sizes[0] != 1)
          return Status(s.unsupported(
              "lines in more than three dimensions",
              "reshape the node's input, or compile with --fallback=cpu"));
        auto writer = s.command(work.code);
        if (!writer)
          return Status(writer.takeError());
        for (auto [d, size] : llvm::enumerate(withLine(sizes, x.shape[axis])))
          writer->set(uint32_t(VectorField::Size0) + uint32_t(d), size);
        writer->box("a", x, withLine(strides[0], x.strides[axis]), offsets[0])
            .box("out", y, withLine(strides[1], y.strides[axis]), offsets[1]);
        setWork(*writer, work);
        return writer->issue();
      });
}

static Result<PiecewiseNode> prepareIntegerSoftmax(Scheduler &s,
                                                   Operation *op) {
  auto node = cast<nn::IntegerSoftmaxOp>(op);
  auto work = softmaxWork(s, node);
  if (!work)
    return work.takeError();
  auto axis = int64_t(node.getAxis());
  PiecewiseNode made = broadcastNode(
      s, op,
      [&s, axis, work = std::make_shared<Work>(std::move(*work))](
          ArrayRef<Tensor> operands, const Tensor &result) {
        return emitLines(s, *work, size_t(axis), operands[0], result);
      });
  made.uncut = {axis};
  return made;
}

llvm::ArrayRef<LoweringRow> tally::schedule::integerSoftmaxLowerings() {
  static const LoweringRow rows[] = {
      {"nn.integer_softmax", prepareIntegerSoftmax}};
  return rows;
}
