//===- Movement.cpp - CPU code of operators that move elements ------------===//

#include "tally/cpu/Layouts.h"
#include "tally/cpu/lower/GridChange.h"
#include "tally/cpu/lower/Lowerings.h"
#include "tally/cpu/lower/Reorder.h"
#include "tally/cpu/lower/StridedCopy.h"
#include "tally/ops/CodeProblems.h"
#include "tally/ops/State.h"

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

namespace {
template <typename OpTy>
struct StridedLowering
    : CpuLowering::ExternalModel<StridedLowering<OpTy>, OpTy> {
  Status lower(Operation *op, KernelBuilder &k) const {
    if (isReorder(op))
      emitReorder(k);
    else
      emitStridedCopy(k, *nn::stridedMap(op));
    return Status::success();
  }
};

/// Indices of the input, with the time index turned back where it is less than
/// the batch's length: t' = t < length ? length - 1 - t : t.
struct ReverseSequenceLowering
    : CpuLowering::ExternalModel<ReverseSequenceLowering,
                                 nn::ReverseSequenceOp> {
  Status lower(Operation *operation, KernelBuilder &k) const {
    auto op = cast<nn::ReverseSequenceOp>(operation);
    Value lengths = k.constant<int64_t>(op.getLengths());
    Value input = k.operand(0), output = k.result();
    k.loops(k.resultInfo().shape, [&](ValueRange indices) {
      SmallVector<Value> source(indices);
      Value time = indices[op.getTimeAxis()];
      Value length = k.toIndex(k.load(lengths, indices[op.getBatchAxis()]),
                               /*isSigned=*/true);
      Value last = arith::SubIOp::create(k.b, length, k.index(1));
      Value turned = arith::SubIOp::create(k.b, last, time);
      Value isEarly =
          arith::CmpIOp::create(k.b, arith::CmpIPredicate::slt, time, length);
      source[op.getTimeAxis()] =
          arith::SelectOp::create(k.b, isEarly, turned, time);
      k.store(k.load(input, source), output, indices);
    });
    return Status::success();
  }
};

/// Each operand is a row of `width` elements in every row of the result, where
/// rows are made of the dimensions whose strides are not above the axis's.
/// Operands that are parts of the result already are left alone.
struct ConcatLowering
    : CpuLowering::ExternalModel<ConcatLowering, nn::ConcatOp> {
  Status lower(Operation *operation, KernelBuilder &k) const {
    auto op = cast<nn::ConcatOp>(operation);
    eval::Tensor out = k.resultInfo();
    auto axis = static_cast<size_t>(op.getAxis());
    int64_t stride = stridesIn(k.resultOrder(), out.shape)[axis];
    int64_t outWidth = out.shape[axis] * stride, offset = 0;
    int64_t rows = outWidth ? out.count() / outWidth : 0;
    Value output = k.flatResult();
    for (size_t i = 0; i < op.getInputs().size(); ++i) {
      eval::Tensor in = k.operandInfo(i);
      int64_t width = in.shape[axis] * stride, begin = offset;
      offset += width;
      if (k.isInPart(i))
        continue;
      auto change = GridChange::make(k, in, out);
      if (!change)
        return change.takeError();
      Value input = k.flatOperand(i);
      k.parallelLoop(rows, [&](Value row) {
        Value to = k.addIndex(k.mulIndex(row, outWidth), k.index(begin));
        Value from = k.mulIndex(row, width);
        change->emitCopy(k, input, from, output, to, width);
      });
    }
    return Status::success();
  }

  /// A constant among the operands is in plain order.
  Orders orders(Operation *op) const {
    bool areComputed = llvm::none_of(op->getOperands(), [](Value operand) {
      return operand.getDefiningOp<nn::ConstantOp>();
    });
    return areComputed ? Orders::Either : Orders::Plain;
  }
};

/// What is kept is in its place already; what enters goes behind it, or before
/// it, in each row of the result.
struct ShiftInLowering
    : CpuLowering::ExternalModel<ShiftInLowering, nn::ShiftInOp> {
  Status lower(Operation *operation, KernelBuilder &k) const {
    auto op = cast<nn::ShiftInOp>(operation);
    if (!k.isInPlace(0))
      return k.unsupported("other memory than the old value's");
    auto axis = static_cast<size_t>(op.getAxis());
    auto widthOf = [&](const eval::Tensor &tensor) {
      return eval::elementCount(std::span(tensor.shape).subspan(axis));
    };
    eval::Tensor out = k.resultInfo();
    int64_t width = widthOf(out), enters = widthOf(k.operandInfo(1));
    Value input = k.flat(k.operand(1)), output = k.flat(k.result());
    k.loop(out.count() / width, [&](Value row) {
      Value from = k.mulIndex(row, enters);
      int64_t first = op.getFront() ? 0 : width - enters;
      Value to = k.addIndex(k.mulIndex(row, width), k.index(first));
      k.loop(enters, [&](Value i) {
        k.store(k.load(input, k.addIndex(from, i)), output, k.addIndex(to, i));
      });
    });
    return Status::success();
  }
};

/// The border first, everywhere; then what is kept of the input over it.
struct PadLowering : CpuLowering::ExternalModel<PadLowering, nn::PadOp> {
  Status lower(Operation *operation, KernelBuilder &k) const {
    auto op = cast<nn::PadOp>(operation);
    eval::Tensor in = k.operandInfo(0), out = k.resultInfo();
    auto border = borderValue(k, out);
    if (!border)
      return border.takeError();
    Value output = k.flat(k.result());
    k.loop(out.count(), [&](Value i) { k.store(*border, output, i); });
    auto change = GridChange::make(k, in, out);
    if (!change)
      return change.takeError();
    copyKept(k, op, *change);
    return Status::success();
  }

private:
  /// The value of new elements as it is stored.
  static Result<Value> borderValue(KernelBuilder &k, const eval::Tensor &out) {
    if (out.isQuantized() && k.hasOperand(1)) {
      eval::Tensor value = k.operandInfo(1);
      if (value.isQuantized()) {
        auto change = GridChange::make(k, value, out);
        if (!change)
          return change.takeError();
        return change->apply(k, k.load(k.flat(k.operand(1)), k.index(0)));
      }
      auto constant = k.constantOperand(1);
      if (!constant)
        return k.unsupported("a real pad value computed at run time");
      auto real = static_cast<float>(eval::loadFloat(*constant, 0));
      return k.integer(k.storage(out.element),
                       nn::codeOfReal(real, *out.quant));
    }
    if (k.hasOperand(1))
      return k.load(k.flat(k.operand(1)), k.index(0));
    if (out.isQuantized())
      return k.integer(k.storage(out.element), out.quant->zeroPoint());
    Type type = k.storage(out.element);
    return isa<FloatType>(type) ? k.real(type, 0) : k.integer(type, 0);
  }

  static void copyKept(KernelBuilder &k, nn::PadOp op,
                       const GridChange &change) {
    eval::Tensor in = k.operandInfo(0), out = k.resultInfo();
    eval::Shape inStrides = eval::stridesOf(in.shape);
    eval::Shape outStrides = eval::stridesOf(out.shape);
    eval::Shape kept;
    int64_t from = 0, to = 0;
    for (size_t d = 0; d < in.shape.size(); ++d) {
      int64_t cut = std::max<int64_t>(-op.getBefore()[d], 0);
      int64_t cutEnd = std::max<int64_t>(-op.getAfter()[d], 0);
      kept.push_back(std::max<int64_t>(in.shape[d] - cut - cutEnd, 0));
      from += cut * inStrides[d];
      to += std::max<int64_t>(op.getBefore()[d], 0) * outStrides[d];
    }
    Value input = k.flat(k.operand(0)), output = k.flat(k.result());
    k.loops(kept, [&](ValueRange indices) {
      Value source = k.index(from), place = k.index(to);
      for (auto [d, index] : llvm::enumerate(indices)) {
        source = k.addIndex(source, k.mulIndex(index, inStrides[d]));
        place = k.addIndex(place, k.mulIndex(index, outStrides[d]));
      }
      k.store(change.apply(k, k.load(input, source)), output, place);
    });
  }
};
} // namespace

void tally::cpu::registerMovementLowerings(MLIRContext &context) {
  nn::ConcatOp::attachInterface<ConcatLowering>(context);
  nn::ShiftInOp::attachInterface<ShiftInLowering>(context);
  nn::ExpandOp::attachInterface<StridedLowering<nn::ExpandOp>>(context);
  nn::PadOp::attachInterface<PadLowering>(context);
  nn::ReverseSequenceOp::attachInterface<ReverseSequenceLowering>(context);
  nn::SelectOp::attachInterface<StridedLowering<nn::SelectOp>>(context);
  nn::SliceOp::attachInterface<StridedLowering<nn::SliceOp>>(context);
  nn::TransposeOp::attachInterface<StridedLowering<nn::TransposeOp>>(context);
}
