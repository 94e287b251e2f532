//===- Conv.cpp - convolutions on the CPU ---------------------------------===//
//
// Implicit matrix product: for a block of output pixels the input patches are
// gathered into a small panel [pixel][k] of steps (code - zero point), 0 in the
// padding, then the product kernels run over the weight's rows and the panel.
//
// Where the instruction set has dot products of bytes, DotConv.h takes the
// convolutions of 8-bit codes that it can; FloatConv.h has those of floats.
//
// A transposed convolution is a convolution over the input with its elements
// spread apart by the stride, with channels swapped and kernel positions
// reversed in the weight.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/lower/DepthwiseConv.h"
#include "tally/cpu/lower/DotConv.h"
#include "tally/cpu/lower/DotConvTranspose.h"
#include "tally/cpu/lower/FloatConv.h"
#include "tally/cpu/lower/Lowerings.h"
#include "tally/cpu/lower/QuantizedProduct.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

void tally::cpu::forEachPixelBlock(
    KernelBuilder &k, const ConvSizes &s,
    llvm::function_ref<void(Value, Value, Value)> body) {
  int64_t count = (s.pixels + s.block - 1) / s.block;
  k.loops({s.input.shape[0], s.group, count}, [&](ValueRange position) {
    Value start = k.mulIndex(position[2], s.block);
    start = arith::MinSIOp::create(k.b, start, k.index(s.pixels - s.block));
    body(position[0], position[1], start);
  });
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// Fills the panel of one block.
static void fillSteps(KernelBuilder &k, const ConvSizes &s, Value image,
                      Value group, Value start, Value zeroPoint, Value panel,
                      eval::Element patch) {
  Value input = k.flatOperand(0), padding = k.integer(k.storage(patch), 0);
  k.loop(s.block, [&](Value pixel) {
    WindowPosition origin = windowOrigin(k, s.window, k.addIndex(start, pixel));
    Value firstChannel = k.mulIndex(group, s.channels);
    forEachTap(k, s.window, origin, [&](Value tap, Value offset, Value valid) {
      k.loop(s.channels, [&](Value channel) {
        Value code = k.load(
            input, s.inputElement(k, image, k.addIndex(firstChannel, channel),
                                  offset));
        Value step = arith::SubIOp::create(
            k.b, k.widen(code, s.input.element, k.i32()), zeroPoint);
        Value value =
            arith::SelectOp::create(k.b, valid, k.narrow(step, patch), padding);
        Value term = k.addIndex(k.mulIndex(channel, s.taps), tap);
        k.store(value, panel, {pixel, term});
      });
    });
  });
}

/// Gathers the patches of every block as steps of `patch` elements, and hands
/// each output's exact sum with the steps in `rows` to
/// store(channel, result element, sum).
static void emitSums(KernelBuilder &k, const ConvSizes &s, IntegerPanel rows,
                     eval::Element patch, Value zeroPoint, bool wide,
                     llvm::function_ref<void(Value, Value, Value)> store) {
  Value panel = k.scratch({s.block, s.k_}, k.storage(patch));
  forEachPixelBlock(k, s, [&](Value image, Value group, Value start) {
    fillSteps(k, s, image, group, start, zeroPoint, panel, patch);
    rows.rowOffset = k.mulIndex(group, s.outputs);
    emitIntegerProduct(
        k, {s.outputs, s.block, s.k_}, rows, {panel, patch, {}}, wide,
        [&](Value row, Value pixel, Value sum) {
          Value channel = k.addIndex(rows.rowOffset, row);
          store(channel,
                s.resultElement(k, image, channel, k.addIndex(start, pixel)),
                sum);
        });
  });
}

static Result<std::vector<ChannelRecord>>
records(KernelBuilder &k, const ConvSizes &s, const ConstantPanel &weights,
        std::vector<int64_t> &addends) {
  auto bias = k.constantOperand(2);
  float inputScale = s.input.quant->scale();
  auto weightScale = [&](int64_t m) {
    return s.weight.quant->scale(s.weightChannel(m));
  };
  int64_t channels = s.group * s.outputs;
  std::vector<BiasParts> parts(channels);
  for (int64_t m = 0; m < channels; ++m) {
    if (bias)
      parts[m] = biasParts(*bias, m, m, inputScale, weightScale(m));
    addends.push_back(parts[m].units);
  }
  auto problem = [&](int64_t m) -> ChannelProblem {
    Interval sum = weights.sums[m] + parts[m].units;
    return {inputScale, weightScale(m), 1, 1, parts[m].real, sum};
  };
  return channelRecords(k, channels, problem, *s.result.quant);
}

/// Stores the codes of neighbouring channels of a pixel.
static void finishChannels(KernelBuilder &k, const ConvSizes &s,
                           RequantizeTables &requantize, Value image,
                           Value pixel, Value channel, int64_t count,
                           Value sums) {
  Value codes = requantize.codes(sums, channel, s.result.element);
  if (s.areChannelsNeighbours())
    return k.storeLanes(codes, s.resultElement(k, image, channel, pixel), count,
                        s.result.shape[1]);
  Value line = k.scratch({lanesOf(codes)}, k.storage(s.result.element));
  vector::StoreOp::create(k.b, codes, line, ValueRange{k.index(0)});
  k.loop(count, [&](Value i) {
    Value one = k.addIndex(channel, i);
    k.storeResult(k.load(line, i), s.resultElement(k, image, one, pixel));
  });
}

static Status lowerCodes(KernelBuilder &k, const ConvSizes &s) {
  auto weight = k.constantOperand(1);
  if (!weight)
    return k.unsupported("run-time weights");
  if (k.hasOperand(2) && !k.constantOperand(2))
    return k.unsupported("a run-time bias");
  if (auto bias = k.constantOperand(2))
    if (Status status = checkFinite(k, *bias, "a bias"); !status)
      return status;
  const ConstantPanel &weights =
      constantPanel(k, s.group * s.outputs, s.k_, stepRange(*s.input.quant),
                    [&](int64_t m, int64_t i) {
                      return eval::loadInt(*weight, s.weightElement(m, i)) -
                             weight->quant->zeroPoint(s.weightChannel(m));
                    });
  std::vector<int64_t> addends;
  auto derived = records(k, s, weights, addends);
  if (!derived)
    return derived.takeError();
  std::vector<Interval> bounds = weights.sums;
  for (size_t m = 0; m < addends.size(); ++m)
    bounds.push_back(bounds[m] + addends[m]);
  auto wide = needsWide(k, bounds);
  if (!wide)
    return wide.takeError();

  RequantizeTables requantize(k, *derived);
  bool isTransposed = isDotConvTranspose(k, s, weights, *wide);
  if (isTransposed || isDotConv(k, s, weights, *wide)) {
    auto finish = [&](Value image, Value pixel, Value channel, int64_t count,
                      Value sums) {
      finishChannels(k, s, requantize, image, pixel, channel, count, sums);
    };
    auto finishPixels = [&](Value image, Value pixel, Value channel,
                            int64_t count, Value sums) {
      k.storeLanes(requantize.codes(sums, channel, s.result.element),
                   s.resultElement(k, image, channel, pixel), count,
                   s.window.output.back());
    };
    if (isTransposed)
      emitDotConvTranspose(k, s, weights, addends, finish, finishPixels);
    else if (isDepthwiseConv(k, s, weights, *wide))
      emitDepthwiseConv(k, s, weights, addends, finish);
    else
      emitDotConv(k, s, weights, addends, finish);
    return Status::success();
  }
  Value addend = k.constant<int64_t>(addends);
  emitSums(k, s, {k.constant(weights.tensor), weights.tensor.element, {}},
           panelElement(stepRange(*s.input.quant)),
           k.integer(k.i32(), s.input.quant->zeroPoint()), *wide,
           [&](Value channel, Value element, Value sum) {
             Value units = k.load(addend, channel);
             if (!*wide)
               units = arith::TruncIOp::create(k.b, k.i32(), units);
             Value total = arith::AddIOp::create(k.b, sum, units);
             k.storeResult(requantize.codes(total, channel, s.result.element),
                           element);
           });
  return Status::success();
}

/// ConvInteger: zero points and weights are known only when run, so the steps
/// of both are taken in 16 bits.
static Status lowerIntegers(KernelBuilder &k, const ConvSizes &s) {
  int64_t rows = s.group * s.outputs;
  auto wide = needsWide(k, productSum(stepRange(s.input.element),
                                      stepRange(s.weight.element), s.k_));
  if (!wide)
    return wide.takeError();
  auto zeroPoint = [&](size_t operand, const eval::Tensor &of,
                       Value channel) -> Value {
    if (!k.hasOperand(operand))
      return k.integer(k.i32(), 0);
    bool isSingle = k.operandInfo(operand).count() == 1;
    Value zero =
        k.load(k.flat(k.operand(operand)), isSingle ? k.index(0) : channel);
    return k.widen(zero, of.element, k.i32());
  };
  Value weight = k.flat(k.operand(1));
  Value steps = k.scratch({rows, s.k_}, k.i16());
  k.loops({rows, s.k_}, [&](ValueRange at) {
    Value code = k.load(weight, k.addIndex(k.mulIndex(at[0], s.k_), at[1]));
    Value step =
        arith::SubIOp::create(k.b, k.widen(code, s.weight.element, k.i32()),
                              zeroPoint(3, s.weight, at[0]));
    k.store(k.narrow(step, eval::Element::I16), steps, at);
  });
  emitSums(k, s, {steps, eval::Element::I16, {}}, eval::Element::I16,
           zeroPoint(2, s.input, {}), *wide,
           [&](Value, Value element, Value sum) {
             k.storeResult(k.narrow(sum, eval::Element::I32), element);
           });
  return Status::success();
}

namespace {
template <typename OpTy>
struct ConvLowering : CpuLowering::ExternalModel<ConvLowering<OpTy>, OpTy> {
  Status lower(Operation *op, KernelBuilder &k) const {
    ConvSizes sizes(cast<OpTy>(op), k);
    if (sizes.pixels == 0 || eval::elementCount(sizes.result.shape) == 0)
      return Status::success();
    if (std::is_same_v<OpTy, nn::ConvIntegerOp>)
      return lowerIntegers(k, sizes);
    return sizes.input.isQuantized() ? lowerCodes(k, sizes)
                                     : lowerFloatConv(k, sizes);
  }

  bool takesEpilogue(Operation *) const { return true; }

  /// Products of bytes make their results channels last.
  Orders orders(Operation *op) const {
    auto input =
        nn::describe(cast<RankedTensorType>(op->getOperand(0).getType()));
    bool areBytes = input.isQuantized() && eval::byteSize(input.element) == 1;
    bool isConv = std::is_same_v<OpTy, nn::ConvOp>;
    return areBytes && isConv ? Orders::ChannelsLast
           : areBytes         ? Orders::Either
                              : Orders::Plain;
  }
};
} // namespace

void tally::cpu::registerConvLowering(MLIRContext &context) {
  nn::ConvOp::attachInterface<ConvLowering<nn::ConvOp>>(context);
  nn::ConvIntegerOp::attachInterface<ConvLowering<nn::ConvIntegerOp>>(context);
  nn::ConvTransposeOp::attachInterface<ConvLowering<nn::ConvTransposeOp>>(
      context);
}
