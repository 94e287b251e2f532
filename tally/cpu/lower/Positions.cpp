//===- Positions.cpp - CPU code of operators that look at indices ---------===//

#include "tally/cpu/lower/Lowerings.h"

#include "tally/cpu/KernelBuilder.h"

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

static Value compare(KernelBuilder &k, arith::CmpIPredicate predicate, Value a,
                     Value b) {
  return arith::CmpIOp::create(k.b, predicate, a, b);
}

static Value zero(KernelBuilder &k, Type type) {
  return isa<FloatType>(type) ? k.real(type, 0) : k.integer(type, 0);
}

//===----------------------------------------------------------------------===//
// OneHot
//===----------------------------------------------------------------------===//

/// A float index without its fraction, as i64; outside [-depth, depth) and for
/// NaN, depth.
static Value wholeIndex(KernelBuilder &k, Value index, int64_t depth) {
  if (index.getType() != k.f64())
    index = arith::ExtFOp::create(k.b, k.f64(), index);
  auto limit = static_cast<double>(depth);
  auto holds = [&](arith::CmpFPredicate predicate, double bound) -> Value {
    return arith::CmpFOp::create(k.b, predicate, index, k.real(k.f64(), bound));
  };
  Value isInside =
      arith::AndIOp::create(k.b, holds(arith::CmpFPredicate::OGT, -limit - 1),
                            holds(arith::CmpFPredicate::OLT, limit));
  Value safe =
      arith::SelectOp::create(k.b, isInside, index, k.real(k.f64(), limit));
  return arith::FPToSIOp::create(k.b, k.i64(), safe);
}

namespace {
struct OneHotLowering
    : CpuLowering::ExternalModel<OneHotLowering, nn::OneHotOp> {
  Status lower(Operation *operation, KernelBuilder &k) const {
    auto op = cast<nn::OneHotOp>(operation);
    eval::Tensor in = k.operandInfo(0);
    if (in.element == eval::Element::F16 || in.element == eval::Element::BF16)
      return k.unsupported("half-precision indices");
    auto axis = static_cast<size_t>(op.getAxis());
    auto depth = static_cast<int64_t>(op.getDepth());
    int64_t inner = eval::elementCount(std::span(in.shape).subspan(axis));
    int64_t outer = eval::elementCount(std::span(in.shape).first(axis));
    Value indices = k.flat(k.operand(0)), values = k.operand(1);
    Value output = k.flat(k.result());
    Value off = k.load(values, k.index(0)), on = k.load(values, k.index(1));
    // LLVM selects a bf16 by way of f32 and a library's conversion.
    bool isHalf = on.getType().isBF16() || on.getType().isF16();
    auto pick = [&](Value isOn) -> Value {
      if (!isHalf)
        return arith::SelectOp::create(k.b, isOn, on, off);
      Value which = arith::SelectOp::create(k.b, isOn, k.index(1), k.index(0));
      return k.load(values, which);
    };
    k.parallelLoops({outer, depth, inner}, [&](ValueRange at) {
      Value from = k.addIndex(k.mulIndex(at[0], inner), at[2]);
      Value loaded = k.load(indices, from);
      Value index = eval::isFloat(in.element)
                        ? wholeIndex(k, loaded, depth)
                        : k.widen(loaded, in.element, k.i64());
      Value isNegative =
          compare(k, arith::CmpIPredicate::slt, index, k.integer(k.i64(), 0));
      Value fromEnd =
          arith::AddIOp::create(k.b, index, k.integer(k.i64(), depth));
      index = arith::SelectOp::create(k.b, isNegative, fromEnd, index);
      Value here = arith::IndexCastOp::create(k.b, k.i64(), at[1]);
      Value isOn = compare(k, arith::CmpIPredicate::eq, index, here);
      Value to = k.addIndex(k.mulIndex(at[0], depth * inner),
                            k.addIndex(k.mulIndex(at[1], inner), at[2]));
      k.store(pick(isOn), output, to);
    });
    return Status::success();
  }
};

//===----------------------------------------------------------------------===//
// Trilu, CumSum
//===----------------------------------------------------------------------===//

struct TriluLowering : CpuLowering::ExternalModel<TriluLowering, nn::TriluOp> {
  Status lower(Operation *operation, KernelBuilder &k) const {
    auto op = cast<nn::TriluOp>(operation);
    Value input = k.operand(0), output = k.result();
    auto predicate =
        op.getUpper() ? arith::CmpIPredicate::sge : arith::CmpIPredicate::sle;
    Value diagonal = k.index(static_cast<int64_t>(op.getK()));
    k.parallelLoops(k.resultInfo().shape, [&](ValueRange at) {
      Value distance = arith::SubIOp::create(k.b, at.back(), at[at.size() - 2]);
      Value isKept = compare(k, predicate, distance, diagonal);
      Value element = k.load(input, at);
      k.store(arith::SelectOp::create(k.b, isKept, element,
                                      zero(k, element.getType())),
              output, at);
    });
    return Status::success();
  }
};

struct CumSumLowering
    : CpuLowering::ExternalModel<CumSumLowering, nn::CumSumOp> {
  Status lower(Operation *operation, KernelBuilder &k) const {
    auto op = cast<nn::CumSumOp>(operation);
    eval::Tensor in = k.operandInfo(0);
    if (in.element == eval::Element::F16 || in.element == eval::Element::BF16)
      return k.unsupported("half-precision operands");
    auto axis = static_cast<size_t>(op.getAxis());
    int64_t size = in.shape[axis], stride = eval::stridesOf(in.shape)[axis];
    int64_t outer = eval::elementCount(std::span(in.shape).first(axis));
    Value input = k.flat(k.operand(0)), output = k.flat(k.result());
    k.parallelLoops({outer, stride}, [&](ValueRange line) {
      Value base = k.addIndex(k.mulIndex(line[0], size * stride), line[1]);
      // The place of the i-th element in summing order.
      auto place = [&](Value i) {
        if (op.getReverse())
          i = arith::SubIOp::create(k.b, k.index(size - 1), i);
        return k.addIndex(base, k.mulIndex(i, stride));
      };
      sumLine(k, size, op.getExclusive(), input, output, place);
    });
    return Status::success();
  }

private:
  /// The first element is not added to anything.
  static void sumLine(KernelBuilder &k, int64_t size, bool exclusive,
                      Value input, Value output,
                      llvm::function_ref<Value(Value)> place) {
    Value first = k.load(input, place(k.index(0)));
    k.store(exclusive ? zero(k, first.getType()) : first, output,
            place(k.index(0)));
    k.fold(size - 1, first, [&](Value i, Value sum) -> Value {
      Value at = place(k.addIndex(i, k.index(1)));
      Value element = k.load(input, at);
      Value next = isa<FloatType>(sum.getType())
                       ? arith::AddFOp::create(k.b, sum, element).getResult()
                       : arith::AddIOp::create(k.b, sum, element).getResult();
      k.store(exclusive ? sum : next, output, at);
      return next;
    });
  }
};
} // namespace

void tally::cpu::registerPositionLowerings(MLIRContext &context) {
  nn::CumSumOp::attachInterface<CumSumLowering>(context);
  nn::OneHotOp::attachInterface<OneHotLowering>(context);
  nn::TriluOp::attachInterface<TriluLowering>(context);
}
