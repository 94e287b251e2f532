//===- Conv.cpp - convolution on the CPU ----------------------------------===//
//
// Implicit matrix product: for a block of output pixels the input patches are
// gathered into a small panel, then the product kernels run over the weight's
// rows and the panel.
//
//   integers: panel [pixel][k] of steps (code - zero point), 0 in the padding
//   floats:   panel [k][pixel], 0 in the padding
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/lower/Lowerings.h"
#include "tally/cpu/lower/QuantizedProduct.h"
#include "tally/cpu/lower/Window.h"

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

static constexpr int64_t kBlockPixels = 64;

namespace {
/// Sizes of one convolution.
struct ConvSizes {
  ConvSizes(nn::ConvOp op, KernelBuilder &k)
      : input(k.operandInfo(0)), weight(k.operandInfo(1)),
        result(k.resultInfo()), group(op.getGroup()) {
    window.input.assign(input.shape.begin() + 2, input.shape.end());
    window.output.assign(result.shape.begin() + 2, result.shape.end());
    window.kernel.assign(weight.shape.begin() + 2, weight.shape.end());
    window.strides.assign(op.getStrides().begin(), op.getStrides().end());
    window.pads.assign(op.getPads().begin(), op.getPads().end());
    window.dilations.assign(op.getDilations().begin(), op.getDilations().end());
    channels = input.shape[1] / group;
    outputs = weight.shape[0] / group;
    taps = eval::elementCount(window.kernel);
    pixels = eval::elementCount(window.output);
    inputPixels = eval::elementCount(window.input);
    k_ = channels * taps;
    block = std::min(pixels, kBlockPixels);
  }
  eval::Tensor input, weight, result;
  int64_t group;
  WindowShape window;
  int64_t channels, outputs, taps, pixels, inputPixels, k_, block;
};
} // namespace

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
    Value firstChannel = k.addIndex(k.mulIndex(image, s.group * s.channels),
                                    k.mulIndex(group, s.channels));
    forEachTap(k, s.window, origin, [&](Value tap, Value offset, Value valid) {
      k.loop(s.channels, [&](Value channel) {
        Value base =
            k.mulIndex(k.addIndex(firstChannel, channel), s.inputPixels);
        Value value = load(k.addIndex(base, offset));
        value = arith::SelectOp::create(k.b, valid, value, padding);
        Value term = k.addIndex(k.mulIndex(channel, s.taps), tap);
        store(pixel, term, value);
      });
    });
  });
}

/// Flat result element of (image, output channel of all groups, pixel).
static Value resultElement(KernelBuilder &k, const ConvSizes &s, Value image,
                           Value channel, Value pixel) {
  Value plane = k.addIndex(k.mulIndex(image, s.group * s.outputs), channel);
  return k.addIndex(k.mulIndex(plane, s.pixels), pixel);
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

static Result<std::vector<tally::quant::RequantizeRecord>>
records(KernelBuilder &k, const ConvSizes &s, const ConstantPanel &weights,
        std::vector<int64_t> &addends) {
  std::vector<tally::quant::RequantizeRecord> result;
  auto bias = k.constantOperand(2);
  float inputScale = s.input.quant->scale();
  for (int64_t m = 0; m < s.group * s.outputs; ++m) {
    float weightScale = s.weight.quant->scale(m);
    BiasParts parts;
    if (bias)
      parts = biasParts(*bias, m, m, inputScale, weightScale);
    addends.push_back(parts.units);
    auto record = channelRecord(k,
                                {inputScale, weightScale, 1, 1, parts.real,
                                 weights.sums[m] + parts.units},
                                *s.result.quant);
    if (!record)
      return record.takeError();
    result.push_back(std::move(*record));
  }
  return result;
}

static Status lowerCodes(KernelBuilder &k, const ConvSizes &s) {
  auto weight = k.constantOperand(1);
  if (!weight)
    return k.unsupported("run-time weights");
  if (k.hasOperand(2) && !k.constantOperand(2))
    return k.unsupported("a run-time bias");
  ConstantPanel weights =
      constantPanel(s.group * s.outputs, s.k_, stepRange(*s.input.quant),
                    [&](int64_t m, int64_t i) {
                      return eval::loadInt(*weight, m * s.k_ + i) -
                             weight->quant->zeroPoint(m);
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

  eval::Element patch = panelElement(stepRange(*s.input.quant));
  Type sumType = *wide ? k.i64() : k.i32();
  Value input = k.flat(k.operand(0)), result = k.flat(k.result());
  Value rows = k.constant(weights.tensor);
  Value addend = k.constant<int64_t>(addends);
  Value panel = k.scratch({s.block, s.k_}, k.storage(patch));
  RequantizeTables requantize(k, *derived);
  Value zeroPoint = k.integer(k.i32(), s.input.quant->zeroPoint());
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
    Value firstRow = k.mulIndex(group, s.outputs);
    emitIntegerProduct(
        k, {s.outputs, s.block, s.k_}, {rows, weights.tensor.element, firstRow},
        {panel, patch, {}}, *wide, [&](Value row, Value pixel, Value sum) {
          Value channel = k.addIndex(firstRow, row);
          Value units = k.load(addend, channel);
          if (sumType != k.i64())
            units = arith::TruncIOp::create(k.b, sumType, units);
          Value code =
              requantize.apply(arith::AddIOp::create(k.b, sum, units), channel);
          k.store(
              k.narrow(code, s.result.element), result,
              resultElement(k, s, image, channel, k.addIndex(start, pixel)));
        });
  });
  return Status::success();
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

static Status lowerFloats(KernelBuilder &k, const ConvSizes &s) {
  if (s.input.element != eval::Element::F32)
    return k.unsupported(std::string(eval::name(s.input.element)) +
                         " operands");
  Value input = k.flat(k.operand(0)), weight = k.flat(k.operand(1));
  Value result = k.flat(k.result());
  Value bias = k.hasOperand(2) ? k.operand(2) : Value();
  Value panel = k.scratch({s.k_, paddedColumns(s.block)}, k.f32());
  // Lanes beyond the block are computed and dropped; give them a value.
  k.loops({s.k_, paddedColumns(s.block)},
          [&](ValueRange at) { k.store(k.real(k.f32(), 0), panel, at); });
  blocks(k, s, [&](Value image, Value group, Value start) {
    gather(
        k, s, image, group, start,
        [&](Value element) { return k.load(input, element); },
        k.real(k.f32(), 0),
        [&](Value pixel, Value term, Value value) {
          k.store(value, panel, {term, pixel});
        });
    Value firstRow = k.mulIndex(group, s.outputs);
    emitFloatProduct(
        k, {s.outputs, s.block, s.k_},
        [&](Value row, Value term) {
          Value base = k.mulIndex(k.addIndex(firstRow, row), s.k_);
          return k.load(weight, k.addIndex(base, term));
        },
        panel,
        [&](Value row, Value pixel, Value sum) {
          Value channel = k.addIndex(firstRow, row);
          if (bias)
            sum = arith::AddFOp::create(k.b, sum, k.load(bias, channel));
          k.store(
              sum, result,
              resultElement(k, s, image, channel, k.addIndex(start, pixel)));
        });
  });
  return Status::success();
}

namespace {
struct ConvLowering : CpuLowering::ExternalModel<ConvLowering, nn::ConvOp> {
  Status lower(Operation *op, KernelBuilder &k) const {
    ConvSizes sizes(cast<nn::ConvOp>(op), k);
    if (sizes.pixels == 0 || eval::elementCount(sizes.result.shape) == 0)
      return Status::success();
    return sizes.input.isQuantized() ? lowerCodes(k, sizes)
                                     : lowerFloats(k, sizes);
  }
};
} // namespace

void tally::cpu::registerConvLowering(MLIRContext &context) {
  nn::ConvOp::attachInterface<ConvLowering>(context);
}
