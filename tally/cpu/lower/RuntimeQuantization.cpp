//===- RuntimeQuantization.cpp - scales known only when run ---------------===//

#include "tally/cpu/lower/Lanes.h"
#include "tally/cpu/lower/Lowerings.h"

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

/// sat(RHE(quotient) + zeroPoint) for codes of at most 16 bits (`bits`, or the
/// element's when that is 0), zeroPoint an i32; NaN gives the smallest code.
/// Clamping the quotient first in fp32 is exact for such codes.
static Value codeOf(KernelBuilder &k, Value quotient, Value zeroPoint,
                    eval::Element element, int64_t bits = 0) {
  FloatMath math(k);
  int64_t levels = int64_t(1) << (bits ? bits : 8 * eval::byteSize(element));
  int64_t low = eval::isSigned(element) ? -levels / 2 : 0;
  Value bounded = math.clamp(quotient, -0x1p20, 0x1p20);
  Value rounded =
      arith::FPToSIOp::create(k.b, k.i32(), math.roundeven(bounded));
  Value code = arith::AddIOp::create(k.b, rounded, zeroPoint);
  return k.narrow(k.clamp(code, low, low + levels - 1), element);
}

/// The scale that belongs to a flat element: one for all, one per index of
/// `axis`, or one per run of `blockSize` indices of it.
static Value scaleOf(KernelBuilder &k, Value element, int64_t axis,
                     int64_t blockSize) {
  if (k.operandInfo(1).count() == 1)
    return k.index(0);
  eval::Shape shape = k.operandInfo(0).shape;
  int64_t inner = eval::stridesOf(shape)[axis], size = shape[axis];
  Value outer = arith::DivUIOp::create(k.b, element, k.index(inner));
  Value index = arith::RemUIOp::create(k.b, outer, k.index(size));
  if (blockSize == 0)
    return index;
  Value line = arith::DivUIOp::create(k.b, outer, k.index(size));
  Value rest = arith::RemUIOp::create(k.b, element, k.index(inner));
  Value block = arith::DivUIOp::create(k.b, index, k.index(blockSize));
  int64_t blocks = (size + blockSize - 1) / blockSize;
  Value row = k.addIndex(k.mulIndex(line, blocks), block);
  return k.addIndex(k.mulIndex(row, inner), rest);
}

/// Zero point operand 2 as `type`; 0 when absent.
static Value zeroPointAt(KernelBuilder &k, Value index, Type type) {
  if (!k.hasOperand(2))
    return k.integer(type, 0);
  eval::Tensor info = k.operandInfo(2);
  return k.widen(k.load(k.flat(k.operand(2)), index), info.element, type);
}

static Status lowerOp(nn::QuantizeRuntimeOp op, KernelBuilder &k) {
  eval::Element element = k.resultInfo().element;
  Value input = k.flat(k.operand(0)), scale = k.flat(k.operand(1));
  Value output = k.flat(k.result());
  k.parallelLoop(k.operandInfo(0).count(), [&](Value i) {
    Value at = scaleOf(k, i, op.getAxis(), op.getBlockSize());
    Value quotient =
        arith::DivFOp::create(k.b, k.load(input, i), k.load(scale, at));
    k.store(
        codeOf(k, quotient, zeroPointAt(k, at, k.i32()), element, op.getBits()),
        output, i);
  });
  return Status::success();
}

static Status lowerOp(nn::DequantizeRuntimeOp op, KernelBuilder &k) {
  eval::Tensor in = k.operandInfo(0);
  if (k.operandInfo(1).element != eval::Element::F32)
    return k.unsupported("a half-precision scale");
  Value input = k.flat(k.operand(0)), scale = k.flat(k.operand(1));
  Value output = k.flat(k.result());
  k.parallelLoop(in.count(), [&](Value i) {
    Value at = scaleOf(k, i, op.getAxis(), op.getBlockSize());
    Value code = k.widen(k.load(input, i), in.element, k.i64());
    Value step = arith::SubIOp::create(k.b, code, zeroPointAt(k, at, k.i64()));
    Value steps = arith::SIToFPOp::create(k.b, k.f32(), step);
    k.store(arith::MulFOp::create(k.b, steps, k.load(scale, at)), output, i);
  });
  return Status::success();
}

/// Smallest (or largest) element and 0; NaN takes no part.
static Value rangeEnd(KernelBuilder &k, Value input, int64_t n,
                      bool wantsLargest) {
  auto better = [&](FloatMath &math, Value best, Value x) {
    Value isBetter = wantsLargest ? math.lt(best, x) : math.lt(x, best);
    return math.select(isBetter, x, best);
  };
  FloatLine line{input, k.index(0)};
  return reduceLanes(
      k, n, 0,
      [&](FloatMath &math, Value partial, Value i, int64_t lanes) {
        return better(math, partial, loadLine(k, line, i, lanes));
      },
      better);
}

static Status lowerOp(nn::DynamicQuantizeLinearOp, KernelBuilder &k) {
  int64_t n = k.operandInfo(0).count();
  Value input = k.flat(k.operand(0)), output = k.flat(k.result(0));
  FloatMath math(k);
  Value low = rangeEnd(k, input, n, false), high = rangeEnd(k, input, n, true);
  Value width = math.div(math.sub(high, low), math.f32(255));
  Value scale = math.select(math.eq(high, low), math.f32(1), width);
  // The clamp takes NaN, from an infinite element, to 0.
  Value start = math.clamp(math.sub(math.f32(0), math.div(low, scale)), 0, 255);
  Value zeroPoint =
      arith::FPToSIOp::create(k.b, k.i32(), math.roundeven(start));
  k.store(scale, k.flat(k.result(1)), k.index(0));
  k.store(k.narrow(zeroPoint, eval::Element::U8), k.flat(k.result(2)),
          k.index(0));
  k.loop(n, [&](Value i) {
    Value quotient = math.div(k.load(input, i), scale);
    k.store(codeOf(k, quotient, zeroPoint, eval::Element::U8), output, i);
  });
  return Status::success();
}

namespace {
template <typename OpTy>
struct RuntimeLowering
    : CpuLowering::ExternalModel<RuntimeLowering<OpTy>, OpTy> {
  Status lower(Operation *op, KernelBuilder &k) const {
    return lowerOp(cast<OpTy>(op), k);
  }
};
} // namespace

void tally::cpu::registerRuntimeQuantizationLowerings(MLIRContext &context) {
  using namespace nn;
  DequantizeRuntimeOp::attachInterface<RuntimeLowering<DequantizeRuntimeOp>>(
      context);
  DynamicQuantizeLinearOp::attachInterface<
      RuntimeLowering<DynamicQuantizeLinearOp>>(context);
  QuantizeRuntimeOp::attachInterface<RuntimeLowering<QuantizeRuntimeOp>>(
      context);
}
