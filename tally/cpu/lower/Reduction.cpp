//===- Reduction.cpp - reductions on the CPU ------------------------------===//
//
// Integers and codes, line by line (ReductionLines.h), and the index of an
// extreme. Floats are in FloatReduction.cpp.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/lower/ChannelSums.h"
#include "tally/cpu/lower/GridChange.h"
#include "tally/cpu/lower/Lowerings.h"
#include "tally/cpu/lower/QuantizedProduct.h"
#include "tally/cpu/lower/ReductionLines.h"

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

using Kind = ReductionKind;
using Lines = ReductionLines;

//===----------------------------------------------------------------------===//
// Integers and codes
//===----------------------------------------------------------------------===//

static Value integerExtreme(KernelBuilder &k, bool wantsLargest, bool isSigned,
                            Value a, Value b) {
  if (wantsLargest)
    return isSigned ? arith::MaxSIOp::create(k.b, a, b).getResult()
                    : arith::MaxUIOp::create(k.b, a, b).getResult();
  return isSigned ? arith::MinSIOp::create(k.b, a, b).getResult()
                  : arith::MinUIOp::create(k.b, a, b).getResult();
}

/// One step in the element's own type, which wraps.
static Value integerStep(KernelBuilder &k, Kind kind, bool isSigned,
                         Value carried, Value x) {
  switch (kind) {
  case Kind::Max:
  case Kind::Min:
    return integerExtreme(k, kind == Kind::Max, isSigned, carried, x);
  case Kind::Prod:
    return arith::MulIOp::create(k.b, carried, x);
  case Kind::SumSquare:
    x = arith::MulIOp::create(k.b, x, x);
    break;
  case Kind::L1:
    if (isSigned) {
      Value zero = k.integer(x.getType(), 0);
      Value negative =
          arith::CmpIOp::create(k.b, arith::CmpIPredicate::slt, x, zero);
      Value opposite = arith::SubIOp::create(k.b, zero, x);
      x = arith::SelectOp::create(k.b, negative, opposite, x);
    }
    break;
  default:
    break;
  }
  return arith::AddIOp::create(k.b, carried, x);
}

static int64_t integerStart(Kind kind, const eval::Tensor &in) {
  int64_t low = in.isQuantized() ? in.quant->qmin : eval::minValue(in.element);
  int64_t high = in.isQuantized() ? in.quant->qmax : eval::maxValue(in.element);
  // An unsigned 64-bit maximum is all ones.
  if (in.element == eval::Element::U64)
    high = -1;
  if (kind == Kind::Max)
    return low;
  if (kind == Kind::Min)
    return high;
  return kind == Kind::Prod ? 1 : 0;
}

static Status reduceIntegers(KernelBuilder &k, Kind kind, const Lines &lines) {
  eval::Tensor in = k.operandInfo(0);
  bool isSigned = eval::isSigned(in.element), isMean = kind == Kind::Mean;
  if (kind == Kind::L2 || kind == Kind::LogSum || kind == Kind::LogSumExp ||
      (isMean && (eval::byteSize(in.element) == 8 || lines.n == 0)))
    return k.unsupported(std::string(eval::name(in.element)) + " operands");
  Type type = isMean ? k.i64() : k.storage(in.element);
  Value input = k.flat(k.operand(0)), output = k.flat(k.result());
  lines.forEach(k, [&](Value base, Value result) {
    Value start = k.integer(type, integerStart(kind, in));
    Value value = foldTerms(k, lines.n, start, [&](Value i, Value carried) {
      Value x = k.load(input, lines.element(k, base, i));
      if (isMean)
        x = k.widen(x, in.element, type);
      return integerStep(k, kind, isSigned, carried, x);
    });
    if (isMean)
      value = arith::DivSIOp::create(k.b, value, k.integer(type, lines.n));
    k.store(k.narrow(value, in.element), output, result);
  });
  return Status::success();
}

static Status codeExtremes(KernelBuilder &k, Kind kind, const Lines &lines) {
  eval::Tensor in = k.operandInfo(0), out = k.resultInfo();
  auto change = GridChange::make(k, in, out);
  if (!change)
    return change.takeError();
  Value input = k.flat(k.operand(0)), output = k.flat(k.result());
  bool isSigned = eval::isSigned(in.element);
  lines.forEach(k, [&](Value base, Value result) {
    Value start = k.integer(k.storage(in.element), integerStart(kind, in));
    Value best = foldTerms(k, lines.n, start, [&](Value i, Value carried) {
      Value x = k.load(input, lines.element(k, base, i));
      return integerStep(k, kind, isSigned, carried, x);
    });
    k.store(change->apply(k, best), output, result);
  });
  return Status::success();
}

static Status reduceCodes(KernelBuilder &k, Kind kind, const Lines &lines) {
  eval::Tensor in = k.operandInfo(0), out = k.resultInfo();
  if (kind == Kind::Max || kind == Kind::Min)
    return codeExtremes(k, kind, lines);
  if (kind != Kind::Sum && kind != Kind::Mean)
    return k.unsupported("codes");
  Interval steps = stepRange(*in.quant);
  ChannelProblem channel;
  channel.scaleA = in.quant->scale();
  channel.divisor = kind == Kind::Mean ? std::max<int64_t>(lines.n, 1) : 1;
  channel.accumulator = {steps.lo * lines.n, steps.hi * lines.n};
  channel.terms = kind == Kind::Mean ? ChannelProblem::Terms::Mean
                                     : ChannelProblem::Terms::Sum;
  auto record = channelRecord(k, channel, *out.quant);
  if (!record)
    return record.takeError();
  RequantizeTables requantize(k, {*record});
  if (k.operandOrder(0) == Order::ChannelsLast &&
      eval::byteSize(in.element) == 1 &&
      (steps.hi - steps.lo) * lines.n <= INT32_MAX) {
    sumChannels(k, lines.n, requantize);
    return Status::success();
  }
  Value input = k.flat(k.operand(0)), output = k.flat(k.result());
  Type type = k.i64();
  int64_t shift = lines.n * in.quant->zeroPoint();
  lines.forEach(k, [&](Value base, Value result) {
    Value start = k.integer(type, integerStart(kind, in));
    Value sum = foldTerms(k, lines.n, start, [&](Value i, Value carried) {
      Value x =
          k.widen(k.load(input, lines.element(k, base, i)), in.element, type);
      return integerStep(k, kind, /*isSigned=*/true, carried, x);
    });
    sum = arith::SubIOp::create(k.b, sum, k.integer(type, shift));
    Value code = requantize.codes(sum, k.index(0), out.element);
    k.store(code, output, result);
  });
  return Status::success();
}

template <typename OpTy, Kind kind>
struct ReduceLowering
    : CpuLowering::ExternalModel<ReduceLowering<OpTy, kind>, OpTy> {
  Status lower(Operation *op, KernelBuilder &k) const {
    Lines lines(k, cast<OpTy>(op).getAxes());
    eval::Tensor in = k.operandInfo(0);
    if (in.isQuantized())
      return reduceCodes(k, kind, lines);
    if (!eval::isFloat(in.element))
      return reduceIntegers(k, kind, lines);
    if (in.element != eval::Element::F32)
      return k.unsupported(std::string(eval::name(in.element)) + " operands");
    reduceFloats(k, kind, lines);
    return Status::success();
  }

  /// Over all pixels, which are as good a line channels last.
  Orders orders(Operation *op) const {
    auto axes = cast<OpTy>(op).getAxes();
    auto input = cast<RankedTensorType>(op->getOperand(0).getType());
    bool areAllPixels =
        !axes.empty() && axes.front() == 2 &&
        static_cast<int64_t>(axes.size()) == input.getRank() - 2;
    return areAllPixels ? Orders::Either : Orders::Plain;
  }
};

//===----------------------------------------------------------------------===//
// Index of an extreme
//===----------------------------------------------------------------------===//

/// Whether the candidate beats the best so far.
static Value isBetter(KernelBuilder &k, const eval::Tensor &in,
                      bool wantsLargest, bool selectLast, Value best,
                      Value candidate) {
  if (!eval::isFloat(in.element)) {
    bool isSigned = eval::isSigned(in.element);
    using P = arith::CmpIPredicate;
    P predicate = wantsLargest ? (isSigned ? P::sgt : P::ugt)
                               : (isSigned ? P::slt : P::ult);
    if (selectLast)
      predicate = wantsLargest ? (isSigned ? P::sge : P::uge)
                               : (isSigned ? P::sle : P::ule);
    return arith::CmpIOp::create(k.b, predicate, candidate, best);
  }
  using P = arith::CmpFPredicate;
  P predicate = wantsLargest ? (selectLast ? P::OGE : P::OGT)
                             : (selectLast ? P::OLE : P::OLT);
  Value ordered = arith::CmpFOp::create(k.b, predicate, candidate, best);
  auto isNan = [&](Value x) -> Value {
    return arith::CmpFOp::create(k.b, P::UNO, x, x);
  };
  // A NaN beats any number, and with selectLast another NaN.
  Value nan = isNan(candidate);
  if (!selectLast) {
    Value number = arith::CmpFOp::create(k.b, P::ORD, best, best);
    nan = arith::AndIOp::create(k.b, nan, number);
  }
  return arith::OrIOp::create(k.b, ordered, nan);
}

template <typename OpTy, bool wantsLargest>
struct ArgLowering
    : CpuLowering::ExternalModel<ArgLowering<OpTy, wantsLargest>, OpTy> {
  Status lower(Operation *op, KernelBuilder &k) const {
    auto extreme = cast<OpTy>(op);
    int64_t axis = extreme.getAxis();
    Lines lines(k, axis);
    eval::Tensor in = k.operandInfo(0);
    if (in.element == eval::Element::F16 || in.element == eval::Element::BF16)
      return k.unsupported("half-precision operands");
    Value input = k.flat(k.operand(0)), output = k.flat(k.result());
    lines.forEach(k, [&](Value base, Value result) {
      Value best = k.fold(lines.n, k.index(0), [&](Value i, Value carried) {
        Value x = k.load(input, lines.element(k, base, carried));
        Value y = k.load(input, lines.element(k, base, i));
        Value better =
            isBetter(k, in, wantsLargest, extreme.getSelectLast(), x, y);
        return arith::SelectOp::create(k.b, better, i, carried).getResult();
      });
      k.store(arith::IndexCastOp::create(k.b, k.i64(), best), output, result);
    });
    return Status::success();
  }
};

void tally::cpu::registerReductionLowerings(MLIRContext &context) {
  using namespace nn;
  ReduceSumOp::attachInterface<ReduceLowering<ReduceSumOp, Kind::Sum>>(context);
  ReduceMeanOp::attachInterface<ReduceLowering<ReduceMeanOp, Kind::Mean>>(
      context);
  ReduceMaxOp::attachInterface<ReduceLowering<ReduceMaxOp, Kind::Max>>(context);
  ReduceMinOp::attachInterface<ReduceLowering<ReduceMinOp, Kind::Min>>(context);
  ReduceProdOp::attachInterface<ReduceLowering<ReduceProdOp, Kind::Prod>>(
      context);
  ReduceL1Op::attachInterface<ReduceLowering<ReduceL1Op, Kind::L1>>(context);
  ReduceL2Op::attachInterface<ReduceLowering<ReduceL2Op, Kind::L2>>(context);
  ReduceSumSquareOp::attachInterface<
      ReduceLowering<ReduceSumSquareOp, Kind::SumSquare>>(context);
  ReduceLogSumOp::attachInterface<ReduceLowering<ReduceLogSumOp, Kind::LogSum>>(
      context);
  ReduceLogSumExpOp::attachInterface<
      ReduceLowering<ReduceLogSumExpOp, Kind::LogSumExp>>(context);
  ArgMaxOp::attachInterface<ArgLowering<ArgMaxOp, true>>(context);
  ArgMinOp::attachInterface<ArgLowering<ArgMinOp, false>>(context);
}
