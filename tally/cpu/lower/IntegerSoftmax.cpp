//===- IntegerSoftmax.cpp - softmax on codes, on the CPU ------------------===//
//
// With the result's scale m * 2^e, code - zero = t / (S * m * 2^e) rounded half
// to even, for an exponential t < 2^31 and a sum S of n of them. Numerator and
// denominator fit 64 bits for lines and scales that networks have; one unsigned
// division and a comparison of the remainder decide.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/lower/Lowerings.h"

#include "tally/cpu/KernelBuilder.h"
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
struct IntegerSoftmaxLowering
    : CpuLowering::ExternalModel<IntegerSoftmaxLowering, nn::IntegerSoftmaxOp> {
  Status lower(Operation *op, KernelBuilder &k) const {
    auto axis = static_cast<size_t>(cast<nn::IntegerSoftmaxOp>(op).getAxis());
    eval::Tensor in = k.operandInfo(0), out = k.resultInfo();
    int64_t n = in.shape[axis], inner = eval::stridesOf(in.shape)[axis];
    if (in.count() == 0)
      return Status::success();
    auto scale = shareScale(out.quant->scale(), n);
    if (!scale)
      return k.unsupported("a result scale and line that need more than 64 "
                           "bits");
    std::vector<int32_t> table =
        tally::quant::exponentials30(in.quant->scale(), 256);
    Value exponentials = k.constant<int32_t>(table);
    Value input = k.flat(k.operand(0)), output = k.flat(k.result());
    k.loops({in.count() / (n * inner), inner}, [&](ValueRange line) {
      Value base = k.addIndex(k.mulIndex(line[0], n * inner), line[1]);
      auto element = [&](Value i) {
        return k.addIndex(base, k.mulIndex(i, inner));
      };
      auto code = [&](Value i) {
        return k.widen(k.load(input, element(i)), in.element, k.i32());
      };
      Value largest =
          k.fold(n, k.integer(k.i32(), in.quant->qmin),
                 [&](Value i, Value carried) -> Value {
                   return arith::MaxSIOp::create(k.b, carried, code(i));
                 });
      auto exponential = [&](Value i) -> Value {
        Value distance = arith::SubIOp::create(k.b, largest, code(i));
        Value t = k.load(exponentials, k.toIndex(distance, false));
        return arith::ExtUIOp::create(k.b, k.i64(), t);
      };
      Value sum = k.fold(
          n, k.integer(k.i64(), 0), [&](Value i, Value carried) -> Value {
            return arith::AddIOp::create(k.b, carried, exponential(i));
          });
      Value denominator =
          arith::MulIOp::create(k.b, sum, k.integer(k.i64(), scale->factor));
      k.loop(n, [&](Value i) {
        Value numerator = arith::ShLIOp::create(k.b, exponential(i),
                                                k.integer(k.i64(), scale->up));
        Value result = shareCode(k, numerator, denominator, *out.quant);
        k.store(k.narrow(result, out.element), output, element(i));
      });
    });
    return Status::success();
  }
};
} // namespace

void tally::cpu::registerIntegerSoftmaxLowering(MLIRContext &context) {
  nn::IntegerSoftmaxOp::attachInterface<IntegerSoftmaxLowering>(context);
}
