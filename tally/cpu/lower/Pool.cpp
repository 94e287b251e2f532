//===- Pool.cpp - pooling on the CPU --------------------------------------===//
//
// One loop nest over planes and output pixels. What a window's average is
// divided by depends on the pixel alone and is a constant table.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/lower/ChannelPool.h"
#include "tally/cpu/lower/GridChange.h"
#include "tally/cpu/lower/Lanes.h"
#include "tally/cpu/lower/Lowerings.h"
#include "tally/cpu/lower/QuantizedProduct.h"

#include <limits>

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

/// Calls body(window origin, first input element of the plane, output pixel,
/// result element) in loops.
static void forEachWindow(
    KernelBuilder &k, const PoolSizes &s,
    llvm::function_ref<void(const WindowPosition &, Value, Value, Value)>
        body) {
  int64_t images = s.input.shape[0];
  k.parallelLoops({images, s.channels, s.pixels}, [&](ValueRange at) {
    Value element = k.addIndex(placeIn(k, s.resultStrides, at[0], at[1]),
                               k.mulIndex(at[2], s.resultStrides.back()));
    body(windowOrigin(k, s.window, at[2]),
         placeIn(k, s.inputStrides, at[0], at[1]), at[2], element);
  });
}

//===----------------------------------------------------------------------===//
// Maximum
//===----------------------------------------------------------------------===//

Value tally::cpu::larger(KernelBuilder &k, eval::Element element, Value a,
                         Value b) {
  if (eval::isFloat(element))
    return arith::MaximumFOp::create(k.b, a, b);
  if (eval::isSigned(element))
    return arith::MaxSIOp::create(k.b, a, b);
  return arith::MaxUIOp::create(k.b, a, b);
}

Value tally::cpu::lowest(KernelBuilder &k, const eval::Tensor &in) {
  Type type = k.storage(in.element);
  if (eval::isFloat(in.element))
    return k.real(type, -std::numeric_limits<double>::infinity());
  return k.integer(type, in.isQuantized() ? in.quant->qmin
                                          : eval::minValue(in.element));
}

namespace {
struct MaxPoolLowering
    : CpuLowering::ExternalModel<MaxPoolLowering, nn::MaxPoolOp> {
  Status lower(Operation *op, KernelBuilder &k) const {
    PoolSizes s(cast<nn::MaxPoolOp>(op), k);
    if (s.input.element == eval::Element::F16 ||
        s.input.element == eval::Element::BF16)
      return k.unsupported("half-precision operands");
    auto change = GridChange::make(k, s.input, s.result);
    if (!change)
      return change.takeError();
    if (s.areChannelBytes(k)) {
      emitChannelMaxima(k, s, *change);
      return Status::success();
    }
    Value input = k.flatOperand(0);
    forEachWindow(
        k, s,
        [&](const WindowPosition &origin, Value base, Value, Value element) {
          Value best =
              foldTaps(k, s.window, origin, lowest(k, s.input),
                       [&](Value carried, Value pixel, Value valid) -> Value {
                         Value x =
                             k.load(input, s.inputElement(k, base, pixel));
                         x = larger(k, s.input.element, carried, x);
                         return arith::SelectOp::create(k.b, valid, x, carried);
                       });
          k.storeResult(change->apply(k, best), element);
        });
    return Status::success();
  }

  bool takesEpilogue(Operation *) const { return true; }
  Orders orders(Operation *) const { return Orders::Either; }
};
} // namespace

/// Whether x takes the place of the largest so far: greater, the first NaN, or
/// +0 after -0.
static Value beats(KernelBuilder &k, eval::Element element, Value x,
                   Value best) {
  if (!eval::isFloat(element)) {
    auto predicate = eval::isSigned(element) ? arith::CmpIPredicate::sgt
                                             : arith::CmpIPredicate::ugt;
    return arith::CmpIOp::create(k.b, predicate, x, best);
  }
  Value both = arith::MaximumFOp::create(k.b, best, x);
  Type bits = element == eval::Element::F64 ? k.i64() : k.i32();
  Value changed = arith::CmpIOp::create(
      k.b, arith::CmpIPredicate::ne, arith::BitcastOp::create(k.b, bits, both),
      arith::BitcastOp::create(k.b, bits, best));
  Value number =
      arith::CmpFOp::create(k.b, arith::CmpFPredicate::ORD, best, best);
  return arith::AndIOp::create(k.b, changed, number);
}

/// A row-major input pixel as the column-major one.
static Value columnMajor(KernelBuilder &k, const eval::Shape &shape,
                         Value pixel) {
  Value result = k.index(0);
  for (size_t d = shape.size(); d-- > 0;) {
    int64_t before = 1;
    for (size_t outer = 0; outer < d; ++outer)
      before *= shape[outer];
    Value size = k.index(shape[d]);
    Value at = arith::RemUIOp::create(k.b, pixel, size);
    result = k.addIndex(result, k.mulIndex(at, before));
    pixel = arith::DivUIOp::create(k.b, pixel, size);
  }
  return result;
}

namespace {
struct MaxPoolIndicesLowering
    : CpuLowering::ExternalModel<MaxPoolIndicesLowering, nn::MaxPoolIndicesOp> {
  Status lower(Operation *op, KernelBuilder &k) const {
    auto pool = cast<nn::MaxPoolIndicesOp>(op);
    PoolSizes s(pool, k);
    if (s.input.element == eval::Element::F16 ||
        s.input.element == eval::Element::BF16)
      return k.unsupported("half-precision operands");
    Value input = k.flat(k.operand(0));
    Value none = k.index(-1);
    forEachWindow(
        k, s,
        [&](const WindowPosition &origin, Value base, Value, Value element) {
          Value best = foldTaps(
              k, s.window, origin, none,
              [&](Value carried, Value pixel, Value valid) -> Value {
                Value isFirst = arith::CmpIOp::create(
                    k.b, arith::CmpIPredicate::eq, carried, none);
                Value safe =
                    arith::SelectOp::create(k.b, isFirst, pixel, carried);
                Value old = k.load(input, k.addIndex(base, safe));
                Value x = k.load(input, k.addIndex(base, pixel));
                Value take = arith::OrIOp::create(
                    k.b, isFirst, beats(k, s.input.element, x, old));
                take = arith::AndIOp::create(k.b, take, valid);
                return arith::SelectOp::create(k.b, take, pixel, carried);
              });
          Value isNone =
              arith::CmpIOp::create(k.b, arith::CmpIPredicate::eq, best, none);
          Value place = pool.getColumnMajor()
                            ? columnMajor(k, s.window.input, best)
                            : best;
          place = arith::SelectOp::create(k.b, isNone, none,
                                          k.addIndex(base, place));
          k.storeResult(arith::IndexCastOp::create(k.b, k.i64(), place),
                        element);
        });
    return Status::success();
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Average
//===----------------------------------------------------------------------===//

/// The divisor of every output pixel.
static std::vector<int64_t> divisors(const WindowShape &w, bool withPadding) {
  std::vector<int64_t> result = {1};
  for (size_t d = 0; d < w.rank(); ++d) {
    std::vector<int64_t> next;
    for (int64_t outer : result)
      for (int64_t o = 0; o < w.output[d]; ++o) {
        int64_t count = 0;
        for (int64_t t = 0; t < w.kernel[d]; ++t) {
          int64_t at = o * w.strides[d] - w.pads[d] + t * w.dilations[d];
          count += withPadding ? at < w.input[d] + w.pads[w.rank() + d]
                               : at >= 0 && at < w.input[d];
        }
        next.push_back(outer * count);
      }
    result = std::move(next);
  }
  return result;
}

static void averageFloats(KernelBuilder &k, const PoolSizes &s,
                          ArrayRef<int64_t> counts) {
  std::vector<float> divisor(counts.begin(), counts.end());
  Value table = k.constant<float>(divisor);
  Value input = k.flat(k.operand(0));
  FloatMath math(k);
  forEachWindow(
      k, s,
      [&](const WindowPosition &origin, Value base, Value pixel,
          Value element) {
        Value values = k.scratch({s.taps}, k.f32()); // a thread's own
        forEachTap(k, s.window, origin, [&](Value tap, Value at, Value valid) {
          Value x = k.load(input, s.inputElement(k, base, at));
          k.store(math.select(valid, x, math.f32(0)), values, tap);
        });
        Value sum = lineSum(k, FloatLine{values, k.index(0)}, s.taps);
        k.storeResult(math.div(sum, k.load(table, pixel)), element);
      });
}

/// Whether the only window is the input, which onnxruntime's kernel of means
/// over whole images then computes.
static bool coversInput(const WindowShape &w) {
  return w.kernel == w.input &&
         llvm::all_of(w.pads, [](int64_t pad) { return pad == 0; });
}

/// The steps (code less zero point) of element `i` of a quantized input.
static Value loadSteps(KernelBuilder &k, const eval::Tensor &info, Value input,
                       Value i, Type type) {
  Value code = k.widen(k.load(input, i), info.element, type);
  return arith::SubIOp::create(k.b, code,
                               k.integer(type, info.quant->zeroPoint()));
}

/// onnxruntime's mean of windows: fp32 reals added in row-major order, the
/// zero point added before the rounding.
static void averageLikeOnnxRuntime(KernelBuilder &k, const PoolSizes &s,
                                   bool countIncludePad) {
  std::vector<float> divisor(s.pixels, static_cast<float>(s.taps));
  if (!countIncludePad)
    for (auto [to, count] : llvm::zip(divisor, divisors(s.window, false)))
      to = static_cast<float>(std::max<int64_t>(count, 1));
  const eval::Quantization &from = *s.input.quant, &to = *s.result.quant;
  Value table = k.constant<float>(divisor);
  Value input = k.flat(k.operand(0));
  FloatMath math(k);
  Value zero = math.f32(0), scale = math.f32(from.scale());
  forEachWindow(
      k, s,
      [&](const WindowPosition &origin, Value base, Value pixel,
          Value element) {
        Value sum =
            foldTaps(k, s.window, origin, zero,
                     [&](Value carried, Value at, Value valid) -> Value {
                       Value steps =
                           loadSteps(k, s.input, input,
                                     s.inputElement(k, base, at), k.i32());
                       Value real = math.mul(math.toFloat(steps), scale);
                       return math.add(carried, math.select(valid, real, zero));
                     });
        Value mean = math.div(sum, k.load(table, pixel));
        Value steps = math.add(math.div(mean, math.f32(to.scale())),
                               math.f32(static_cast<float>(to.zeroPoint())));
        Value code = k.clamp(math.toInt32LikeX86(math.roundeven(steps)),
                             to.qmin, to.qmax);
        k.storeResult(k.narrow(code, s.result.element), element);
      });
}

static Status averageCodes(KernelBuilder &k, const PoolSizes &s,
                           ArrayRef<int64_t> counts) {
  // One record per distinct divisor; a window of nothing has sum 0.
  std::vector<int64_t> distinct;
  std::vector<int32_t> recordOf;
  for (int64_t count : counts) {
    int64_t divisor = std::max<int64_t>(count, 1);
    auto found = llvm::find(distinct, divisor);
    recordOf.push_back(static_cast<int32_t>(found - distinct.begin()));
    if (found == distinct.end())
      distinct.push_back(divisor);
  }
  Interval steps = stepRange(*s.input.quant);
  std::vector<ChannelRecord> records;
  for (int64_t divisor : distinct) {
    ChannelProblem channel;
    channel.scaleA = s.input.quant->scale();
    channel.divisor = divisor;
    channel.accumulator = {steps.lo * s.taps, steps.hi * s.taps};
    channel.terms = ChannelProblem::Terms::Mean;
    auto record = channelRecord(k, channel, *s.result.quant);
    if (!record)
      return record.takeError();
    records.push_back(std::move(*record));
  }
  RequantizeTables requantize(k, records, RequantizeTables::Lanes::OneChannel);
  Value table = k.constant<int32_t>(recordOf);
  if (s.areChannelBytes(k)) {
    emitChannelMeans(k, s, requantize, table);
    return Status::success();
  }
  Value input = k.flatOperand(0);
  Value zero = k.integer(k.i64(), 0);
  forEachWindow(
      k, s,
      [&](const WindowPosition &origin, Value base, Value pixel,
          Value element) {
        Value sum =
            foldTaps(k, s.window, origin, zero,
                     [&](Value carried, Value at, Value valid) -> Value {
                       Value steps =
                           loadSteps(k, s.input, input,
                                     s.inputElement(k, base, at), k.i64());
                       steps = arith::SelectOp::create(k.b, valid, steps, zero);
                       return arith::AddIOp::create(k.b, carried, steps);
                     });
        Value record = k.toIndex(k.load(table, pixel), /*isSigned=*/false);
        k.storeResult(requantize.codes(sum, record, s.result.element), element);
      });
  return Status::success();
}

namespace {
struct AveragePoolLowering
    : CpuLowering::ExternalModel<AveragePoolLowering, nn::AveragePoolOp> {
  Status lower(Operation *op, KernelBuilder &k) const {
    auto pool = cast<nn::AveragePoolOp>(op);
    PoolSizes s(pool, k);
    if (s.planes * s.pixels == 0)
      return Status::success();
    std::vector<int64_t> counts = divisors(s.window, pool.getCountIncludePad());
    if (s.input.isQuantized() && k.profile == eval::Profile::OnnxRuntime &&
        !coversInput(s.window)) {
      averageLikeOnnxRuntime(k, s, pool.getCountIncludePad());
      return checkCodeBits(k, *s.result.quant);
    }
    if (s.input.isQuantized())
      return averageCodes(k, s, counts);
    if (s.input.element != eval::Element::F32)
      return k.unsupported(std::string(eval::name(s.input.element)) +
                           " operands");
    averageFloats(k, s, counts);
    return Status::success();
  }

  bool takesEpilogue(Operation *) const { return true; }
  Orders orders(Operation *) const { return Orders::Either; }
};
} // namespace

void tally::cpu::registerPoolLowerings(MLIRContext &context) {
  nn::MaxPoolOp::attachInterface<MaxPoolLowering>(context);
  nn::MaxPoolIndicesOp::attachInterface<MaxPoolIndicesLowering>(context);
  nn::AveragePoolOp::attachInterface<AveragePoolLowering>(context);
}
