//===- Resize.cpp - CPU code of weighted sums along dimensions ------------===//
//
// Every result element is computed from the input: the sum along the last axis
// takes, per tap, the sum along the axis before it, and so on. That makes the
// same operations as one pass per axis, without the tensors in between.
//
// Codes are summed with integer weights, of which the power of two that divides
// all weights of an axis is left to the requantization: 0.25 and 0.75, which
// are 2^21 and 3 * 2^21 in units of 2^-23, count as 1 and 3.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/FloatMath.h"
#include "tally/cpu/lower/Elementwise.h"
#include "tally/cpu/lower/Lowerings.h"
#include "tally/cpu/lower/QuantizedProduct.h"

#include <bit>
#include <cmath>
#include <cstdlib>

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

static constexpr int kWeightBits = 23;

namespace {
/// One axis in generated code.
struct Axis {
  int64_t dim = 0, taps = 0;
  int shift = 0; ///< of integer weights, which count 2^(shift - 23)
  Value sources, weights;
};

/// The kind of numbers that are summed.
class Sums {
public:
  Sums(KernelBuilder &k, const std::vector<Axis> &axes) : k(k), axes(axes) {}
  virtual ~Sums() = default;

  /// The sum along axes `count - 1` to 0 at input indices `at`, where those
  /// axes still hold result indices.
  Value sum(size_t count, SmallVector<Value> at) {
    if (count == 0)
      return element(at);
    const Axis &axis = axes[count - 1];
    Value first = k.mulIndex(at[axis.dim], axis.taps);
    return k.fold(axis.taps, start(), [&](Value tap, Value total) {
      Value entry = k.addIndex(first, tap);
      SmallVector<Value> inner = at;
      inner[axis.dim] =
          k.toIndex(k.load(axis.sources, entry), /*isSigned=*/true);
      return add(total, k.load(axis.weights, entry), sum(count - 1, inner));
    });
  }

protected:
  virtual Value element(ValueRange at) = 0;
  virtual Value start() = 0;
  virtual Value add(Value total, Value weight, Value value) = 0;

  KernelBuilder &k;
  const std::vector<Axis> &axes;
};

/// One fused multiply-add per tap; a tap of weight 0 takes no part.
class FloatSums : public Sums {
public:
  FloatSums(KernelBuilder &k, const std::vector<Axis> &axes)
      : Sums(k, axes), math(k), input(k.operand(0)) {}

private:
  Value element(ValueRange at) override { return k.load(input, at); }
  Value start() override { return math.f32(0); }
  Value add(Value total, Value weight, Value value) override {
    Value isNone = math.eq(weight, math.f32(0));
    return math.select(isNone, total, math.fma(weight, value, total));
  }

  FloatMath math;
  Value input;
};

/// Exact sums of (code - zero point) in i64.
class CodeSums : public Sums {
public:
  CodeSums(KernelBuilder &k, const std::vector<Axis> &axes, int64_t zeroPoint)
      : Sums(k, axes), input(k.operand(0)), zeroPoint(zeroPoint) {}

private:
  Value element(ValueRange at) override {
    Value code = k.widen(k.load(input, at), k.operandInfo(0).element, k.i64());
    return arith::SubIOp::create(k.b, code, k.integer(k.i64(), zeroPoint));
  }
  Value start() override { return k.integer(k.i64(), 0); }
  Value add(Value total, Value weight, Value value) override {
    Value wide = arith::ExtSIOp::create(k.b, k.i64(), weight);
    Value term = arith::MulIOp::create(k.b, wide, value);
    return arith::AddIOp::create(k.b, total, term);
  }

  Value input;
  int64_t zeroPoint;
};
} // namespace

/// The exponent of the largest power of two that divides all weights.
static int commonShift(ArrayRef<int64_t> weights) {
  uint64_t bits = uint64_t(1) << kWeightBits;
  for (int64_t weight : weights)
    bits |= static_cast<uint64_t>(weight);
  return std::countr_zero(bits);
}

/// The axes with their tables; weights as fp32 or as integers.
static std::vector<Axis> makeAxes(KernelBuilder &k, nn::ResizeOp op,
                                  bool isFloat) {
  std::vector<Axis> axes;
  for (auto [dim, size, sources, weights] : llvm::zip(
           op.getAxes(), op.getSizes(), op.getSources(), op.getWeights())) {
    ArrayRef<int64_t> from = cast<DenseI64ArrayAttr>(sources),
                      by = cast<DenseI64ArrayAttr>(weights);
    Axis axis{dim, static_cast<int64_t>(from.size()) / size, commonShift(by)};
    std::vector<int32_t> indices(from.begin(), from.end()), integers;
    std::vector<float> reals;
    for (int64_t weight : by) {
      integers.push_back(static_cast<int32_t>(weight >> axis.shift));
      reals.push_back(std::ldexp(static_cast<float>(weight), -kWeightBits));
    }
    axis.sources = k.constant<int32_t>(indices);
    axis.weights =
        isFloat ? k.constant<float>(reals) : k.constant<int32_t>(integers);
    axes.push_back(axis);
  }
  return axes;
}

/// The largest magnitude that integer weights give to an element of magnitude
/// 1.
static double largestGain(nn::ResizeOp op) {
  double gain = 1;
  for (auto [size, weights] : llvm::zip(op.getSizes(), op.getWeights())) {
    ArrayRef<int64_t> list = cast<DenseI64ArrayAttr>(weights);
    size_t taps = list.size() / static_cast<size_t>(size);
    int64_t largest = 0;
    for (size_t first = 0; first < list.size(); first += taps) {
      int64_t sum = 0;
      for (int64_t weight : list.slice(first, taps))
        sum += std::abs(weight);
      largest = std::max(largest, sum);
    }
    gain *= std::ldexp(static_cast<double>(largest), -commonShift(list));
  }
  return gain;
}

namespace {
struct ResizeLowering
    : CpuLowering::ExternalModel<ResizeLowering, nn::ResizeOp> {
  Status lower(Operation *operation, KernelBuilder &k) const {
    auto op = cast<nn::ResizeOp>(operation);
    eval::Tensor in = k.operandInfo(0), out = k.resultInfo();
    if (in.element == eval::Element::F32)
      return lowerFloats(k, op);
    if (eval::isFloat(in.element) || eval::byteSize(in.element) > 2)
      return k.unsupported(std::string(eval::name(in.element)) + " operands");
    return lowerCodes(k, op, in, out);
  }

  Orders orders(Operation *) const { return Orders::Either; }

private:
  static Status lowerFloats(KernelBuilder &k, nn::ResizeOp op) {
    std::vector<Axis> axes = makeAxes(k, op, /*isFloat=*/true);
    FloatSums sums(k, axes);
    Value output = k.result();
    forEachIndex(k, k.resultInfo().shape, k.resultOrder(), [&](ValueRange at) {
      k.store(sums.sum(axes.size(), SmallVector<Value>(at)), output, at);
    });
    return Status::success();
  }

  static Status lowerCodes(KernelBuilder &k, nn::ResizeOp op,
                           const eval::Tensor &in, const eval::Tensor &out) {
    eval::Quantization plain{
        eval::minValue(in.element), eval::maxValue(in.element), {1}, {0}};
    const eval::Quantization &from = in.quant ? *in.quant : plain;
    const eval::Quantization &to = out.quant ? *out.quant : plain;
    std::vector<Axis> axes = makeAxes(k, op, /*isFloat=*/false);
    if (from == to && copiesElements(op)) {
      emitCopies(k, axes);
      return Status::success();
    }
    auto record = makeRecord(k, op, axes, from, to);
    if (!record)
      return record.takeError();
    CodeSums sums(k, axes, from.zeroPoint());
    RequantizeTables requantize(k, {*record});
    Value output = k.result(), channel = k.index(0);
    forEachIndex(k, out.shape, k.resultOrder(), [&](ValueRange at) {
      Value sum = sums.sum(axes.size(), SmallVector<Value>(at));
      k.store(requantize.codes(sum, channel, out.element), output, at);
    });
    return Status::success();
  }

  /// One tap of weight 1 along each axis: the nearest element.
  static bool copiesElements(nn::ResizeOp op) {
    return llvm::all_of(
        llvm::zip(op.getSizes(), op.getWeights()), [](auto axis) {
          auto [size, weights] = axis;
          ArrayRef<int64_t> by = cast<DenseI64ArrayAttr>(weights);
          return static_cast<int64_t>(by.size()) == size &&
                 llvm::all_of(by, [](int64_t weight) {
                   return weight == int64_t(1) << kWeightBits;
                 });
        });
  }

  static void emitCopies(KernelBuilder &k, ArrayRef<Axis> axes) {
    Value input = k.operand(0), output = k.result();
    forEachIndex(k, k.resultInfo().shape, k.resultOrder(), [&](ValueRange at) {
      SmallVector<Value> source(at);
      for (const Axis &axis : axes)
        source[axis.dim] = k.toIndex(k.load(axis.sources, at[axis.dim]),
                                     /*isSigned=*/true);
      k.store(k.load(input, source), output, at);
    });
  }

  static Result<ChannelRecord> makeRecord(KernelBuilder &k, nn::ResizeOp op,
                                          ArrayRef<Axis> axes,
                                          const eval::Quantization &from,
                                          const eval::Quantization &to) {
    Interval steps = stepRange(from);
    auto step = static_cast<double>(std::max(-steps.lo, steps.hi));
    double reach = std::ceil(largestGain(op) * step);
    if (reach >= 0x1p60)
      return k.unsupported("sums of codes beyond 2^60");
    int exponent = 0;
    for (const Axis &axis : axes)
      exponent += axis.shift - kWeightBits;
    ChannelProblem channel;
    channel.scaleA = from.scale();
    channel.factor = std::ldexp(1.0f, exponent);
    channel.accumulator = {-static_cast<__int128>(reach),
                           static_cast<__int128>(reach)};
    channel.terms = ChannelProblem::Terms::Sum;
    return channelRecord(k, channel, to);
  }
};
} // namespace

void tally::cpu::registerResizeLowering(MLIRContext &context) {
  nn::ResizeOp::attachInterface<ResizeLowering>(context);
}
