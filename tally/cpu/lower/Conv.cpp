//===- Conv.cpp - convolutions on the CPU ---------------------------------===//
//
// Implicit matrix product: for a block of output pixels the input patches are
// gathered into a small panel, then the product kernels run over the weight's
// rows and the panel.
//
//   integers: panel [pixel][k] of steps (code - zero point), 0 in the padding
//   floats:   panel [k][pixel], 0 in the padding
//
// Where the instruction set has dot products of bytes, DotConv.h takes the
// convolutions of 8-bit codes that it can.
//
// A transposed convolution is a convolution over the input with its elements
// spread apart by the stride, with channels swapped and kernel positions
// reversed in the weight.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/kernels/FloatProduct.h"
#include "tally/cpu/lower/DepthwiseConv.h"
#include "tally/cpu/lower/DotConv.h"
#include "tally/cpu/lower/DotConvTranspose.h"
#include "tally/cpu/lower/Lowerings.h"
#include "tally/cpu/lower/QuantizedProduct.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

/// Calls body(image, group, first pixel, number of pixels) in loops; the last
/// block is moved back to end at the last pixel, so every block is full.
static void
blocks(KernelBuilder &k, const ConvSizes &s,
       llvm::function_ref<void(Value image, Value group, Value start)> body) {
  int64_t count = (s.pixels + s.block - 1) / s.block;
  k.loops({s.input.shape[0], s.group, count}, [&](ValueRange position) {
    Value start = k.mulIndex(position[2], s.block);
    start = arith::MinSIOp::create(k.b, start, k.index(s.pixels - s.block));
    body(position[0], position[1], start);
  });
}

/// Fills the panel of one block: store(pixel in block, k, loaded element or
/// padding).
static void
gather(KernelBuilder &k, const ConvSizes &s, Value image, Value group,
       Value start, llvm::function_ref<Value(Value element)> load,
       Value padding,
       llvm::function_ref<void(Value pixel, Value term, Value value)> store) {
  k.loop(s.block, [&](Value pixel) {
    WindowPosition origin = windowOrigin(k, s.window, k.addIndex(start, pixel));
    Value firstChannel = k.mulIndex(group, s.channels);
    forEachTap(k, s.window, origin, [&](Value tap, Value offset, Value valid) {
      k.loop(s.channels, [&](Value channel) {
        Value value = load(s.inputElement(
            k, image, k.addIndex(firstChannel, channel), offset));
        value = arith::SelectOp::create(k.b, valid, value, padding);
        Value term = k.addIndex(k.mulIndex(channel, s.taps), tap);
        store(pixel, term, value);
      });
    });
  });
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// Gathers the patches of every block as steps of `patch` elements, and hands
/// each output's exact sum with the steps in `rows` to
/// store(channel, result element, sum).
static void emitSums(KernelBuilder &k, const ConvSizes &s, IntegerPanel rows,
                     eval::Element patch, Value zeroPoint, bool wide,
                     llvm::function_ref<void(Value, Value, Value)> store) {
  Value input = k.flat(k.operand(0));
  Value panel = k.scratch({s.block, s.k_}, k.storage(patch));
  blocks(k, s, [&](Value image, Value group, Value start) {
    gather(
        k, s, image, group, start,
        [&](Value element) {
          Value code =
              k.widen(k.load(input, element), s.input.element, k.i32());
          Value step = arith::SubIOp::create(k.b, code, zeroPoint);
          return k.narrow(step, patch);
        },
        k.integer(k.storage(patch), 0),
        [&](Value pixel, Value term, Value value) {
          k.store(value, panel, {pixel, term});
        });
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
  std::vector<ChannelRecord> result;
  auto bias = k.constantOperand(2);
  float inputScale = s.input.quant->scale();
  for (int64_t m = 0; m < s.group * s.outputs; ++m) {
    float weightScale = s.weight.quant->scale(s.weightChannel(m));
    BiasParts parts;
    if (bias)
      parts = biasParts(*bias, m, m, inputScale, weightScale);
    addends.push_back(parts.units);
    ChannelProblem channel = {inputScale, weightScale,
                              1,          1,
                              parts.real, weights.sums[m] + parts.units};
    channel.wantsFloatForm = haveFloatForms(result);
    auto record = channelRecord(k, channel, *s.result.quant);
    if (!record)
      return record.takeError();
    result.push_back(std::move(*record));
  }
  return result;
}

/// Stores the codes of neighbouring channels of a pixel.
static void finishChannels(KernelBuilder &k, const ConvSizes &s,
                           RequantizeTables &requantize, Value image,
                           Value pixel, Value channel, int64_t count,
                           Value sums) {
  Value codes = requantize.codes(sums, channel, s.result.element);
  if (s.areChannelsNeighbours())
    return k.storeLanes(codes, s.resultElement(k, image, channel, pixel),
                        count);
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
  ConstantPanel weights =
      constantPanel(s.group * s.outputs, s.k_, stepRange(*s.input.quant),
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
    if (isTransposed)
      emitDotConvTranspose(k, s, weights, addends, finish);
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

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

/// The weight as [output channel][k], flat.
static Value floatWeights(KernelBuilder &k, const ConvSizes &s) {
  if (!s.isTransposed)
    return k.flat(k.operand(1));
  int64_t rows = s.group * s.outputs;
  if (auto constant = k.constantOperand(1)) {
    eval::Tensor weight = *constant;
    weight.shape = {rows * s.k_};
    weight.allocate();
    for (int64_t m = 0; m < rows; ++m)
      for (int64_t i = 0; i < s.k_; ++i)
        weight.data<float>()[m * s.k_ + i] =
            constant->data<float>()[s.weightElement(m, i)];
    return k.constant(weight);
  }
  Value source = k.operand(1), weight = k.scratch({rows * s.k_}, k.f32());
  Value flat = k.flat(source);
  k.loops({s.group, s.channels, s.outputs, s.taps}, [&](ValueRange at) {
    auto place = [&](Value outer, Value middle, int64_t middleSize, Value tap) {
      Value plane = k.addIndex(k.mulIndex(outer, middleSize), middle);
      return k.addIndex(k.mulIndex(plane, s.taps), tap);
    };
    Value c = k.addIndex(k.mulIndex(at[0], s.channels), at[1]);
    Value m = k.addIndex(k.mulIndex(at[0], s.outputs), at[2]);
    Value reversed = arith::SubIOp::create(k.b, k.index(s.taps - 1), at[3]);
    k.store(k.load(flat, place(c, at[2], s.outputs, at[3])), weight,
            place(m, at[1], s.channels, reversed));
  });
  return weight;
}

static Status lowerFloats(KernelBuilder &k, const ConvSizes &s) {
  if (s.input.element != eval::Element::F32)
    return k.unsupported(std::string(eval::name(s.input.element)) +
                         " operands");
  Value input = k.flat(k.operand(0)), weight = floatWeights(k, s);
  Value bias = k.hasOperand(2) ? k.operand(2) : Value();
  FloatPanel panel{s.k_, s.block};
  static_assert(kBlockPixels <= kFloatBlock, "the panel has one block");
  Value memory = panel.scratch(k);
  blocks(k, s, [&](Value image, Value group, Value start) {
    gather(
        k, s, image, group, start,
        [&](Value element) { return k.load(input, element); },
        k.real(k.f32(), 0),
        [&](Value pixel, Value term, Value value) {
          Value line = k.mulIndex(term, panel.width(0));
          k.store(value, memory, k.addIndex(line, pixel));
        });
    Value firstRow = k.mulIndex(group, s.outputs);
    emitFloatProduct(
        k, {s.outputs, s.block, s.k_},
        [&](Value row, Value term) {
          Value base = k.mulIndex(k.addIndex(firstRow, row), s.k_);
          return k.load(weight, k.addIndex(base, term));
        },
        memory,
        [&](Value row, Value pixel, Value sum) {
          Value channel = k.addIndex(firstRow, row);
          if (bias)
            sum = arith::AddFOp::create(k.b, sum, k.load(bias, channel));
          k.storeResult(sum, s.resultElement(k, image, channel,
                                             k.addIndex(start, pixel)));
        });
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
                                     : lowerFloats(k, sizes);
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
