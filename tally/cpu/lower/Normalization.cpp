//===- Normalization.cpp - normalizations by norms and channels -----------===//

#include "tally/cpu/lower/Lanes.h"
#include "tally/cpu/lower/Lowerings.h"

#include "tally/quant/PinnedMath.h"

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

static Status checkF32(KernelBuilder &k) {
  for (Value operand : k.op->getOperands()) {
    eval::Tensor in = nn::describe(cast<RankedTensorType>(operand.getType()));
    if (in.element != eval::Element::F32 || in.isQuantized())
      return k.unsupported(std::string(eval::name(in.element)) + " operands");
  }
  return Status::success();
}

//===----------------------------------------------------------------------===//
// Along an axis
//===----------------------------------------------------------------------===//

/// Calls body(first element) for each line along `axis`; its elements are
/// `inner` apart.
static void forEachLine(KernelBuilder &k, const eval::Tensor &tensor,
                        int64_t axis, int64_t inner,
                        llvm::function_ref<void(Value base)> body) {
  int64_t size = tensor.shape[axis];
  int64_t outer = inner * size ? tensor.count() / (inner * size) : 0;
  k.parallelLoops({outer, inner}, [&](ValueRange at) {
    body(k.addIndex(k.mulIndex(at[0], inner * size), at[1]));
  });
}

static Status lowerLpNormalization(KernelBuilder &k, int64_t axis, int64_t p) {
  if (Status status = checkF32(k); !status)
    return status;
  eval::Tensor in = k.operandInfo(0);
  int64_t n = in.shape[axis], inner = eval::stridesOf(in.shape)[axis];
  Value input = k.flat(k.operand(0)), output = k.flat(k.result());
  FloatMath math(k);
  forEachLine(k, in, axis, inner, [&](Value base) {
    FloatLine source{input, base, inner}, target{output, base, inner};
    Value norm = pinnedSum(
        k, n, [&](FloatMath &lane, Value partial, Value i, int64_t lanes) {
          Value x = loadLine(k, source, i, lanes);
          return p == 1 ? lane.add(partial, lane.abs(x))
                        : lane.fma(x, x, partial);
        });
    if (p == 2)
      norm = math.sqrt(norm);
    Value isZero = math.eq(norm, math.f32(0));
    k.loop(n, [&](Value i) {
      Value y = math.div(loadLine(k, source, i, 0), norm);
      storeLine(k, target, i, math.select(isZero, math.f32(0), y), 0);
    });
  });
  return Status::success();
}

//===----------------------------------------------------------------------===//
// Channels
//===----------------------------------------------------------------------===//

static Status lowerLrn(KernelBuilder &k, nn::LrnOp op) {
  if (Status status = checkF32(k); !status)
    return status;
  eval::Tensor in = k.operandInfo(0);
  int64_t channels = in.shape[1], inner = eval::stridesOf(in.shape)[1];
  int64_t size = op.getSize(), before = (size - 1) / 2;
  float ratio = op.getAlpha().convertToFloat() / static_cast<float>(size);
  Value input = k.flat(k.operand(0)), output = k.flat(k.result());
  FloatMath math(k);
  k.loops({in.shape[0], channels, inner}, [&](ValueRange at) {
    Value image = k.addIndex(k.mulIndex(at[0], channels * inner), at[2]);
    Value sum = k.fold(size, math.f32(0), [&](Value i, Value carried) {
      Value channel = k.addIndex(k.addIndex(at[1], i), k.index(-before));
      Value exists = arith::CmpIOp::create(k.b, arith::CmpIPredicate::ult,
                                           channel, k.index(channels));
      channel = arith::SelectOp::create(k.b, exists, channel, at[1]);
      Value x = k.load(input, k.addIndex(image, k.mulIndex(channel, inner)));
      return math.select(exists, math.fma(x, x, carried), carried);
    });
    Value base = math.add(math.mul(math.f32(ratio), sum),
                          math.f32(op.getBias().convertToFloat()));
    Value power = tally::quant::pinned::pow(
        math, base, math.f32(op.getBeta().convertToFloat()));
    Value element = k.addIndex(image, k.mulIndex(at[1], inner));
    k.store(math.div(k.load(input, element), power), output, element);
  });
  return Status::success();
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

static Status lowerOp(nn::LpNormalizationOp op, KernelBuilder &k) {
  return lowerLpNormalization(k, op.getAxis(), op.getP());
}

static Status lowerOp(nn::LrnOp op, KernelBuilder &k) {
  return lowerLrn(k, op);
}

namespace {
template <typename OpTy>
struct NormalizationLowering
    : CpuLowering::ExternalModel<NormalizationLowering<OpTy>, OpTy> {
  Status lower(Operation *op, KernelBuilder &k) const {
    return lowerOp(cast<OpTy>(op), k);
  }
};
} // namespace

template <typename... OpTys> static void attach(MLIRContext &context) {
  (OpTys::template attachInterface<NormalizationLowering<OpTys>>(context), ...);
}

void tally::cpu::registerNormalizationLowerings(MLIRContext &context) {
  attach<nn::LpNormalizationOp, nn::LrnOp>(context);
}
