//===- IntegerSoftmax.cpp - softmax on codes, on the CPU ------------------===//
//
// With the result's scale m * 2^e, code - zero = t / (S * m * 2^e) rounded half
// to even, for an exponential t < 2^31 and a sum S of n of them. Numerator and
// denominator fit 64 bits for lines and scales that networks have; one unsigned
// division and a comparison of the remainder decide. Under the onnxruntime
// profile that runtime's floats decide instead.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/lower/Lowerings.h"
#include "tally/cpu/lower/RealMath.h"

#include "tally/quant/Dyadic.h"
#include "tally/quant/Exponentials.h"

#include <bit>

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

namespace {
/// Numerator t << up, denominator S * factor.
struct ShareScale {
  int64_t up = 0, factor = 1;
};
} // namespace

/// Nothing when 64 bits do not do for lines of n codes.
static std::optional<ShareScale> shareScale(float scale, int64_t n) {
  int exponent;
  // 24 bits make every fp32 mantissa an integer; zeros at its end only cost
  // room.
  auto mantissa =
      static_cast<int64_t>(std::ldexp(std::frexp(scale, &exponent), 24));
  exponent -= 24;
  int zeros = std::countr_zero(static_cast<uint64_t>(mantissa));
  mantissa >>= zeros;
  exponent += zeros;
  int bits = 31 + std::bit_width(static_cast<uint64_t>(n)) +
             std::bit_width(static_cast<uint64_t>(mantissa)) +
             std::max(exponent, 0);
  if (bits > 62 || 31 - std::min(exponent, 0) > 62)
    return std::nullopt;
  return ShareScale{-std::min(exponent, 0), mantissa << std::max(exponent, 0)};
}

/// The code of numerator / denominator, all i64 and not negative.
static Value shareCode(KernelBuilder &k, Value numerator, Value denominator,
                       const eval::Quantization &grid) {
  Value quotient = arith::DivUIOp::create(k.b, numerator, denominator);
  Value rest = arith::SubIOp::create(
      k.b, numerator, arith::MulIOp::create(k.b, quotient, denominator));
  Value left = arith::SubIOp::create(k.b, denominator, rest);
  auto compare = [&](arith::CmpIPredicate predicate, Value a,
                     Value b) -> Value {
    return arith::CmpIOp::create(k.b, predicate, a, b);
  };
  Value one = k.integer(k.i64(), 1);
  Value odd = compare(arith::CmpIPredicate::eq,
                      arith::AndIOp::create(k.b, quotient, one), one);
  Value tie = compare(arith::CmpIPredicate::eq, rest, left);
  Value up =
      arith::OrIOp::create(k.b, compare(arith::CmpIPredicate::ugt, rest, left),
                           arith::AndIOp::create(k.b, tie, odd));
  Value rounded = arith::AddIOp::create(
      k.b, quotient, arith::ExtUIOp::create(k.b, k.i64(), up));
  Value code =
      arith::AddIOp::create(k.b, rounded, k.integer(k.i64(), grid.zeroPoint()));
  return k.clamp(code, grid.qmin, grid.qmax);
}

namespace {
/// The lines of codes along an axis.
struct Lines {
  Lines(KernelBuilder &k, int64_t axis)
      : k(k), in(k.operandInfo(0)), n(in.shape[axis]),
        stride(eval::stridesOf(in.shape)[axis]), input(k.flat(k.operand(0))) {}

  /// Calls body(first element, largest code) in loops.
  void forEach(llvm::function_ref<void(Value, Value)> body) const {
    k.parallelLoops({in.count() / (n * stride), stride}, [&](ValueRange line) {
      Value base = k.addIndex(k.mulIndex(line[0], n * stride), line[1]);
      Value largest =
          k.fold(n, k.integer(k.i32(), in.quant->qmin),
                 [&](Value i, Value carried) -> Value {
                   return arith::MaxSIOp::create(k.b, carried, code(base, i));
                 });
      body(base, largest);
    });
  }
  Value element(Value base, Value i) const {
    return k.addIndex(base, k.mulIndex(i, stride));
  }
  Value code(Value base, Value i) const {
    return k.widen(k.load(input, element(base, i)), in.element, k.i32());
  }
  /// The entry of a table by distance from the largest code.
  Value entry(Value table, Value base, Value largest, Value i) const {
    Value distance = arith::SubIOp::create(k.b, largest, code(base, i));
    return k.load(table, k.toIndex(distance, false));
  }

  KernelBuilder &k;
  eval::Tensor in;
  int64_t n, stride;
  Value input;
};
} // namespace

/// The definition of nn.integer_softmax.
static Status inIntegers(KernelBuilder &k, const Lines &lines) {
  eval::Tensor out = k.resultInfo();
  auto scale = shareScale(out.quant->scale(), lines.n);
  if (!scale)
    return k.unsupported("a result scale and line that need more than 64 "
                         "bits");
  std::vector<int32_t> table =
      tally::quant::exponentials30(lines.in.quant->scale(), 256);
  Value exponentials = k.constant<int32_t>(table);
  Value output = k.flat(k.result());
  lines.forEach([&](Value base, Value largest) {
    auto exponential = [&](Value i) -> Value {
      Value t = lines.entry(exponentials, base, largest, i);
      return arith::ExtUIOp::create(k.b, k.i64(), t);
    };
    Value sum = k.fold(
        lines.n, k.integer(k.i64(), 0), [&](Value i, Value carried) -> Value {
          return arith::AddIOp::create(k.b, carried, exponential(i));
        });
    Value denominator =
        arith::MulIOp::create(k.b, sum, k.integer(k.i64(), scale->factor));
    k.loop(lines.n, [&](Value i) {
      Value numerator = arith::ShLIOp::create(k.b, exponential(i),
                                              k.integer(k.i64(), scale->up));
      Value result = shareCode(k, numerator, denominator, *out.quant);
      k.store(k.narrow(result, out.element), output, lines.element(base, i));
    });
  });
  return Status::success();
}

/// onnxruntime's kernel: fp32 exponentials added in order, shares in fp64.
static void likeOnnxRuntime(KernelBuilder &k, const Lines &lines) {
  eval::Tensor out = k.resultInfo();
  std::vector<float> table =
      tally::quant::onnxRuntimeExponentials(lines.in.quant->scale(), lines.n);
  Value exponentials = k.constant<float>(table);
  Value output = k.flat(k.result());
  RealMath math(k, eval::Element::F64);
  auto wide = [&](Value x) -> Value {
    return arith::ExtFOp::create(k.b, k.f64(), x);
  };
  Value perOne = math.real(std::floor(1.0f / out.quant->scale()));
  Value zero = math.real(0);
  Value most =
      math.real(static_cast<double>(out.quant->qmax - out.quant->qmin));
  lines.forEach([&](Value base, Value largest) {
    Value sum = k.fold(lines.n, k.real(k.f32(), 0),
                       [&](Value i, Value carried) -> Value {
                         Value t = lines.entry(exponentials, base, largest, i);
                         return arith::AddFOp::create(k.b, carried, t);
                       });
    k.loop(lines.n, [&](Value i) {
      Value t = wide(lines.entry(exponentials, base, largest, i));
      Value share = math.div(math.mul(t, perOne), wide(sum));
      // Whatever is not above 0 is 0, NaN included.
      share = math.select(math.lt(zero, share), share, zero);
      share = math.select(math.lt(most, share), most, share);
      Value steps =
          arith::FPToSIOp::create(k.b, k.i32(), math.roundeven(share));
      Value code = arith::AddIOp::create(
          k.b, steps, k.integer(k.i32(), out.quant->zeroPoint()));
      code = k.clamp(code, out.quant->qmin, out.quant->qmax);
      k.store(k.narrow(code, out.element), output, lines.element(base, i));
    });
  });
}

namespace {
struct IntegerSoftmaxLowering
    : CpuLowering::ExternalModel<IntegerSoftmaxLowering, nn::IntegerSoftmaxOp> {
  Status lower(Operation *op, KernelBuilder &k) const {
    if (k.operandInfo(0).count() == 0)
      return Status::success();
    Lines lines(k, cast<nn::IntegerSoftmaxOp>(op).getAxis());
    if (k.profile != eval::Profile::OnnxRuntime)
      return inIntegers(k, lines);
    likeOnnxRuntime(k, lines);
    return Status::success();
  }
};
} // namespace

void tally::cpu::registerIntegerSoftmaxLowering(MLIRContext &context) {
  nn::IntegerSoftmaxOp::attachInterface<IntegerSoftmaxLowering>(context);
}
