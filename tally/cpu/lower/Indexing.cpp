//===- Indexing.cpp - CPU code of operators with index operands -----------===//
//
// Positions are flat: the sum of index times stride. An index from memory is
// clamped first, so no operand can make a kernel leave its buffers.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/FloatMath.h"
#include "tally/cpu/lower/GridChange.h"
#include "tally/cpu/lower/Lowerings.h"

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

/// An index operand's element as a place in [0, size): negative ones count
/// from the end, what is outside is clamped.
static Value place(KernelBuilder &k, Value loaded, int64_t size) {
  Value index = k.toIndex(loaded, /*isSigned=*/true);
  Value isNegative =
      arith::CmpIOp::create(k.b, arith::CmpIPredicate::slt, index, k.index(0));
  Value fromEnd = k.addIndex(index, k.index(size));
  index = arith::SelectOp::create(k.b, isNegative, fromEnd, index);
  index = arith::MaxSIOp::create(k.b, index, k.index(0));
  return arith::MinSIOp::create(k.b, index, k.index(size - 1));
}

/// The flat position of indices under strides.
static Value position(KernelBuilder &k, ValueRange indices,
                      ArrayRef<int64_t> strides) {
  Value flat = k.index(0);
  for (auto [index, stride] : llvm::zip(indices, strides))
    flat = k.addIndex(flat, k.mulIndex(index, stride));
  return flat;
}

static int64_t product(ArrayRef<int64_t> dims) {
  int64_t count = 1;
  for (int64_t dim : dims)
    count *= dim;
  return count;
}

/// The place that tuple `first`, `first + 1`, .. of an index tensor names in
/// dimensions from `axis` on.
static Value tuplePlace(KernelBuilder &k, Value indices, Value first,
                        int64_t length, const eval::Shape &shape, size_t axis) {
  eval::Shape strides = eval::stridesOf(shape);
  Value at = k.index(0);
  for (int64_t i = 0; i < length; ++i) {
    Value loaded = k.load(indices, k.addIndex(first, k.index(i)));
    Value index = place(k, loaded, shape[axis + i]);
    at = k.addIndex(at, k.mulIndex(index, strides[axis + i]));
  }
  return at;
}

//===----------------------------------------------------------------------===//
// Gather
//===----------------------------------------------------------------------===//

namespace {
/// Row `indices[i]` of every outer index.
struct GatherLowering
    : CpuLowering::ExternalModel<GatherLowering, nn::GatherOp> {
  Status lower(Operation *operation, KernelBuilder &k) const {
    auto op = cast<nn::GatherOp>(operation);
    eval::Tensor data = k.operandInfo(0);
    auto change = GridChange::make(k, data, k.resultInfo());
    if (!change)
      return change.takeError();
    auto axis = static_cast<size_t>(op.getAxis());
    int64_t size = data.shape[axis], count = k.operandInfo(1).count();
    int64_t outer = product(ArrayRef(data.shape).take_front(axis));
    int64_t inner = product(ArrayRef(data.shape).drop_front(axis + 1));
    Value input = k.flat(k.operand(0)), indices = k.flat(k.operand(1));
    Value output = k.flat(k.result());
    k.parallelLoops({outer, count}, [&](ValueRange at) {
      Value row = place(k, k.load(indices, at[1]), size);
      Value from = position(k, {at[0], row}, {size * inner, inner});
      Value to = position(k, at, {count * inner, inner});
      k.loop(inner, [&](Value i) {
        Value element = k.load(input, k.addIndex(from, i));
        k.store(change->apply(k, element), output, k.addIndex(to, i));
      });
    });
    return Status::success();
  }
};

struct GatherElementsLowering
    : CpuLowering::ExternalModel<GatherElementsLowering, nn::GatherElementsOp> {
  Status lower(Operation *operation, KernelBuilder &k) const {
    auto op = cast<nn::GatherElementsOp>(operation);
    eval::Tensor data = k.operandInfo(0);
    auto change = GridChange::make(k, data, k.resultInfo());
    if (!change)
      return change.takeError();
    auto axis = static_cast<size_t>(op.getAxis());
    Value input = k.operand(0), indices = k.operand(1), output = k.result();
    k.parallelLoops(k.resultInfo().shape, [&](ValueRange at) {
      SmallVector<Value> source(at);
      source[axis] = place(k, k.load(indices, at), data.shape[axis]);
      k.store(change->apply(k, k.load(input, source)), output, at);
    });
    return Status::success();
  }
};

struct GatherNdLowering
    : CpuLowering::ExternalModel<GatherNdLowering, nn::GatherNdOp> {
  Status lower(Operation *operation, KernelBuilder &k) const {
    auto op = cast<nn::GatherNdOp>(operation);
    eval::Tensor data = k.operandInfo(0), tuples = k.operandInfo(1);
    auto change = GridChange::make(k, data, k.resultInfo());
    if (!change)
      return change.takeError();
    auto batch = static_cast<size_t>(op.getBatchDims());
    int64_t length = tuples.shape.back();
    ArrayRef<int64_t> lead = ArrayRef(tuples.shape).drop_back();
    int64_t batches = product(lead.take_front(batch));
    int64_t picks = product(lead.drop_front(batch));
    int64_t block = product(ArrayRef(data.shape).drop_front(batch));
    int64_t slice = product(ArrayRef(data.shape).drop_front(batch + length));
    Value input = k.flat(k.operand(0)), indices = k.flat(k.operand(1));
    Value output = k.flat(k.result());
    k.parallelLoops({batches, picks}, [&](ValueRange at) {
      Value pick = position(k, at, {picks, 1});
      Value from = tuplePlace(k, indices, k.mulIndex(pick, length), length,
                              data.shape, batch);
      from = k.addIndex(from, k.mulIndex(at[0], block));
      Value to = k.mulIndex(pick, slice);
      k.loop(slice, [&](Value i) {
        Value element = k.load(input, k.addIndex(from, i));
        k.store(change->apply(k, element), output, k.addIndex(to, i));
      });
    });
    return Status::success();
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Scatter
//===----------------------------------------------------------------------===//

static Value floatUpdate(KernelBuilder &k, StringRef reduction, Value old,
                         Value update) {
  if (reduction == "add")
    return arith::AddFOp::create(k.b, old, update);
  if (reduction == "mul")
    return arith::MulFOp::create(k.b, old, update);
  auto predicate = reduction == "min" ? arith::CmpFPredicate::OLT
                                      : arith::CmpFPredicate::OGT;
  Value isBetter = arith::CmpFOp::create(k.b, predicate, update, old);
  Value isNan =
      arith::CmpFOp::create(k.b, arith::CmpFPredicate::UNO, update, update);
  Value wins = arith::OrIOp::create(k.b, isBetter, isNan);
  return arith::SelectOp::create(k.b, wins, update, old);
}

static Value intUpdate(KernelBuilder &k, StringRef reduction, bool isSigned,
                       Value old, Value update) {
  if (reduction == "add")
    return arith::AddIOp::create(k.b, old, update);
  if (reduction == "mul")
    return arith::MulIOp::create(k.b, old, update);
  if (reduction == "min")
    return isSigned ? arith::MinSIOp::create(k.b, old, update).getResult()
                    : arith::MinUIOp::create(k.b, old, update).getResult();
  return isSigned ? arith::MaxSIOp::create(k.b, old, update).getResult()
                  : arith::MaxUIOp::create(k.b, old, update).getResult();
}

/// Element `to` of the result becomes the update or its combination with it.
static void emitUpdate(KernelBuilder &k, StringRef reduction, Value output,
                       Value to, Value update) {
  if (reduction != "none") {
    Value old = k.load(output, to);
    bool isSigned = eval::isSigned(k.resultInfo().element);
    update = isa<FloatType>(update.getType())
                 ? floatUpdate(k, reduction, old, update)
                 : intUpdate(k, reduction, isSigned, old, update);
  }
  k.store(update, output, to);
}

/// Copies the data to the result, where updates then happen, unless they are
/// there.
static Status startScatter(KernelBuilder &k, StringRef reduction) {
  eval::Element element = k.operandInfo(0).element;
  if (reduction != "none" &&
      (element == eval::Element::F16 || element == eval::Element::BF16))
    return k.unsupported("half-precision reductions");
  if (k.isInPlace(0))
    return Status::success();
  Value input = k.flat(k.operand(0)), output = k.flat(k.result());
  k.loop(k.resultInfo().count(),
         [&](Value i) { k.store(k.load(input, i), output, i); });
  return Status::success();
}

namespace {
struct ScatterElementsLowering
    : CpuLowering::ExternalModel<ScatterElementsLowering,
                                 nn::ScatterElementsOp> {
  Status lower(Operation *operation, KernelBuilder &k) const {
    auto op = cast<nn::ScatterElementsOp>(operation);
    if (Status status = startScatter(k, op.getReduction()); !status)
      return status;
    eval::Tensor indexInfo = k.operandInfo(1);
    auto axis = static_cast<size_t>(op.getAxis());
    eval::Shape shape = k.resultInfo().shape;
    eval::Shape strides = eval::stridesOf(shape);
    Value indices = k.operand(1), updates = k.operand(2);
    Value output = k.flat(k.result());
    k.loops(indexInfo.shape, [&](ValueRange at) {
      SmallVector<Value> target(at);
      target[axis] = place(k, k.load(indices, at), shape[axis]);
      emitUpdate(k, op.getReduction(), output, position(k, target, strides),
                 k.load(updates, at));
    });
    return Status::success();
  }
};

struct ScatterNdLowering
    : CpuLowering::ExternalModel<ScatterNdLowering, nn::ScatterNdOp> {
  Status lower(Operation *operation, KernelBuilder &k) const {
    auto op = cast<nn::ScatterNdOp>(operation);
    if (Status status = startScatter(k, op.getReduction()); !status)
      return status;
    eval::Tensor tuples = k.operandInfo(1);
    eval::Shape shape = k.resultInfo().shape;
    int64_t length = tuples.shape.back();
    int64_t picks = product(ArrayRef(tuples.shape).drop_back());
    int64_t slice = product(ArrayRef(shape).drop_front(length));
    Value indices = k.flat(k.operand(1)), updates = k.flat(k.operand(2));
    Value output = k.flat(k.result());
    k.loop(picks, [&](Value pick) {
      Value to = tuplePlace(k, indices, k.mulIndex(pick, length), length, shape,
                            /*axis=*/0);
      Value from = k.mulIndex(pick, slice);
      k.loop(slice, [&](Value i) {
        emitUpdate(k, op.getReduction(), output, k.addIndex(to, i),
                   k.load(updates, k.addIndex(from, i)));
      });
    });
    return Status::success();
  }
};
} // namespace

void tally::cpu::registerIndexingLowerings(MLIRContext &context) {
  nn::GatherOp::attachInterface<GatherLowering>(context);
  nn::GatherElementsOp::attachInterface<GatherElementsLowering>(context);
  nn::GatherNdOp::attachInterface<GatherNdLowering>(context);
  nn::ScatterElementsOp::attachInterface<ScatterElementsLowering>(context);
  nn::ScatterNdOp::attachInterface<ScatterNdLowering>(context);
}
