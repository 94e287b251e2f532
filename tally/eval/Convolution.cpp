//===- Convolution.cpp - the exact meaning of convolution -----------------===//
//
// Each block of output pixels gathers its input patches into a panel, and a
// convolution becomes the product of the weight's rows with the patches.
// Integer patches are [pixel][k], so that inner loops run along k; float
// patches are [k][pixel], so that every output sums its terms in ascending k.
//
// A transposed convolution is a convolution over the input with its elements
// spread apart by the stride, with reversed kernel positions.
//
//===----------------------------------------------------------------------===//

#include "tally/eval/Convolution.h"
#include "tally/eval/Accumulate.h"
#include "tally/eval/Elementwise.h"
#include "tally/eval/Products.h"
#include "tally/eval/Requantizer.h"

#include <algorithm>

using namespace tally;
using namespace tally::eval;

static constexpr int64_t kBlock = 64; // pixels per panel

namespace {
/// The sizes that every path below needs.
struct ConvShape {
  ConvShape(const Request &request, const WindowGeometry &geometry,
            int64_t group)
      : geometry(geometry), batch(request.in(0).shape[0]), group(group),
        channels(request.in(0).shape[1] / group),
        outputs(request.in(1).shape[0] / group), taps(geometry.taps()),
        k(channels * taps), pixels(geometry.pixels()),
        inputPixels(geometry.inputPixels()) {}

  const WindowGeometry &geometry;
  int64_t batch, group, channels, outputs, taps, k, pixels, inputPixels;
};

/// A run of output pixels of one image, and what their windows read.
struct Block {
  const ConvShape &s;
  int64_t image, first, width;
  const std::vector<int64_t> &taps; ///< [pixel][tap]

  /// First input element of group g.
  int64_t inputBase(int64_t g) const {
    return (image * s.group + g) * s.channels * s.inputPixels;
  }
  /// Result element of the block's first pixel.
  int64_t resultBase(int64_t channel) const {
    return (image * s.group * s.outputs + channel) * s.pixels + first;
  }
};

/// Stores a block's row of sums of one channel.
using StoreRow = std::function<void(int64_t channel, int64_t element,
                                    const int64_t *sums, int64_t count)>;
} // namespace

template <typename Fn> static Status forEachBlock(const ConvShape &s, Fn &&fn) {
  WindowTaps windows(s.geometry);
  std::vector<int64_t> taps;
  for (int64_t first = 0; first < s.pixels; first += kBlock) {
    int64_t width = std::min(kBlock, s.pixels - first);
    windows.block(first, width, taps);
    for (int64_t image = 0; image < s.batch; ++image)
      if (Status status = fn(Block{s, image, first, width, taps}); !status)
        return status;
  }
  return Status::success();
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// Smallest and largest element: of the grid, or of the type.
static std::pair<int64_t, int64_t> rangeOf(const Tensor &tensor) {
  if (tensor.isQuantized())
    return {tensor.quant->qmin, tensor.quant->qmax};
  return {minValue(tensor.element), maxValue(tensor.element)};
}

/// The weights of one group less their zero points, one row per channel.
static IntPanel weightPanel(const Tensor &weight, const ConvShape &s, int64_t g,
                            const std::function<int64_t(int64_t)> &zeroPoint) {
  auto [low, high] = rangeOf(weight);
  int64_t first = g * s.outputs, lowest = 0, highest = 0;
  for (int64_t m = first; m < first + s.outputs; ++m) {
    lowest = std::min(lowest, low - zeroPoint(m));
    highest = std::max(highest, high - zeroPoint(m));
  }
  IntPanel panel(s.outputs, s.k, lowest, highest);
  panel.fill([&](auto *values) {
    for (int64_t m = 0; m < s.outputs; ++m) {
      int64_t zero = zeroPoint(first + m);
      for (int64_t i = 0; i < s.k; ++i)
        values[m * s.k + i] = static_cast<std::decay_t<decltype(*values)>>(
            loadInt(weight, (first + m) * s.k + i) - zero);
    }
  });
  panel.measure();
  return panel;
}

template <typename T, typename V>
static void gather(const Block &block, const T *input, int64_t zeroPoint,
                   V *values) {
  const ConvShape &s = block.s;
  for (int64_t p = 0; p < block.width; ++p) {
    const int64_t *taps = &block.taps[p * s.taps];
    for (int64_t c = 0; c < s.channels; ++c) {
      const T *plane = input + c * s.inputPixels;
      for (int64_t t = 0; t < s.taps; ++t)
        *values++ = static_cast<V>(
            taps[t] < 0 ? 0 : static_cast<int64_t>(plane[taps[t]]) - zeroPoint);
    }
  }
}

/// The block's patches of group g, one row per pixel.
static IntPanel patchPanel(const Block &block, const Tensor &input, int64_t g,
                           int64_t zeroPoint) {
  auto [low, high] = rangeOf(input);
  IntPanel panel(block.width, block.s.k, low - zeroPoint, high - zeroPoint);
  visitInt(input.element, [&](auto zero) {
    const auto *plane = input.data<decltype(zero)>() + block.inputBase(g);
    panel.fill([&](auto *values) { gather(block, plane, zeroPoint, values); });
  });
  return panel;
}

static Status
integerSums(Request &request, const ConvShape &s, int64_t inputZeroPoint,
            const std::function<int64_t(int64_t)> &weightZeroPoint,
            const StoreRow &store) {
  std::vector<IntPanel> weights;
  weights.reserve(s.group);
  for (int64_t g = 0; g < s.group; ++g)
    weights.push_back(weightPanel(request.in(1), s, g, weightZeroPoint));
  std::vector<int64_t> sums;
  return forEachBlock(s, [&](const Block &block) -> Status {
    for (int64_t g = 0; g < s.group; ++g) {
      IntPanel patches = patchPanel(block, request.in(0), g, inputZeroPoint);
      if (!accumulate(weights[g], patches, sums))
        return Diagnostic{FailureKind::Unsupported,
                          "the accumulator needs more than 64 bits", "NUM-4"};
      for (int64_t m = 0; m < s.outputs; ++m) {
        int64_t channel = g * s.outputs + m;
        store(channel, block.resultBase(channel), &sums[m * block.width],
              block.width);
      }
    }
    return Status::success();
  });
}

static Status quantizedConvolution(Request &request, const ConvShape &s) {
  const Tensor &input = request.in(0), &weight = request.in(1);
  Tensor &out = request.out();
  if (!weight.isQuantized() || !out.isQuantized() ||
      !input.quant->perTensor() || !out.quant->perTensor())
    return noMeaning(input);
  std::vector<Requantizer> channels;
  std::vector<int64_t> addends;
  float inputScale = input.quant->scale();
  for (int64_t m = 0; m < s.group * s.outputs; ++m) {
    float weightScale = weight.quant->scale(m);
    BiasTerm bias;
    if (request.has(2))
      bias = biasTerm(request.in(2), m, m, inputScale, weightScale);
    channels.emplace_back(
        request.profile,
        AccumulatorMeaning{inputScale, weightScale, 1, 1, bias.real},
        *out.quant);
    addends.push_back(bias.units);
  }
  return integerSums(
      request, s, input.quant->zeroPoint(),
      [&](int64_t m) { return weight.quant->zeroPoint(m); },
      [&](int64_t m, int64_t element, const int64_t *sums, int64_t count) {
        for (int64_t p = 0; p < count; ++p)
          storeInt(out, element + p, channels[m].code(sums[p] + addends[m]));
      });
}

Status tally::eval::evaluateConvolutionInteger(Request &request,
                                               const WindowGeometry &geometry,
                                               int64_t group) {
  ConvShape shape(request, geometry, group);
  int64_t inputZeroPoint = request.has(2) ? loadInt(request.in(2), 0) : 0;
  auto weightZeroPoint = [&](int64_t m) -> int64_t {
    if (!request.has(3))
      return 0;
    const Tensor &zeroPoint = request.in(3);
    return loadInt(zeroPoint, zeroPoint.count() == 1 ? 0 : m);
  };
  return integerSums(
      request, shape, inputZeroPoint, weightZeroPoint,
      [&](int64_t, int64_t element, const int64_t *sums, int64_t count) {
        for (int64_t p = 0; p < count; ++p)
          storeInt(request.out(), element + p, sums[p]);
      });
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

template <typename T>
static void gatherFloats(const Block &block, const T *input, T *values) {
  const ConvShape &s = block.s;
  for (int64_t c = 0; c < s.channels; ++c)
    for (int64_t t = 0; t < s.taps; ++t)
      for (int64_t p = 0; p < block.width; ++p) {
        int64_t pixel = block.taps[p * s.taps + t];
        *values++ = pixel < 0 ? T(0) : input[c * s.inputPixels + pixel];
      }
}

template <typename T, auto products>
static Status floatConvolution(Request &request, const ConvShape &s) {
  std::vector<T> input = toFloats<T>(request.in(0)),
                 weight = toFloats<T>(request.in(1)), bias, patches, sums;
  if (request.has(2))
    bias = toFloats<T>(request.in(2));
  return forEachBlock(s, [&](const Block &block) {
    patches.resize(s.k * block.width);
    sums.resize(s.outputs * block.width);
    for (int64_t g = 0; g < s.group; ++g) {
      gatherFloats(block, input.data() + block.inputBase(g), patches.data());
      products(weight.data() + g * s.outputs * s.k, patches.data(), s.outputs,
               block.width, s.k, sums.data());
      for (int64_t m = 0; m < s.outputs; ++m) {
        int64_t channel = g * s.outputs + m,
                element = block.resultBase(channel);
        for (int64_t p = 0; p < block.width; ++p) {
          T sum = sums[m * block.width + p];
          storeFloat(request.out(), element + p,
                     bias.empty() ? sum : sum + bias[channel]);
        }
      }
    }
    return Status::success();
  });
}

Status tally::eval::evaluateConvolution(Request &request,
                                        const WindowGeometry &geometry,
                                        int64_t group) {
  ConvShape shape(request, geometry, group);
  const Tensor &input = request.in(0);
  if (input.isQuantized())
    return quantizedConvolution(request, shape);
  if (input.element == Element::F64)
    return floatConvolution<double, productsF64>(request, shape);
  if (isFloat(input.element))
    return floatConvolution<float, productsF32>(request, shape);
  return noMeaning(input);
}

//===----------------------------------------------------------------------===//
// Transposed weights
//===----------------------------------------------------------------------===//

/// Scales and zero points of axis 1 (entry m serves channel m of every group)
/// as entries of axis 0.
static Quantization perOutputChannel(const Quantization &grid, int64_t group) {
  Quantization result = grid;
  if (grid.perTensor())
    return result;
  result.axis = 0;
  for (int64_t g = 1; g < group; ++g) {
    result.scales.insert(result.scales.end(), grid.scales.begin(),
                         grid.scales.end());
    result.zeroPoints.insert(result.zeroPoints.end(), grid.zeroPoints.begin(),
                             grid.zeroPoints.end());
  }
  return result;
}

Tensor tally::eval::transposedWeight(const Tensor &weight, int64_t group) {
  int64_t channels = weight.shape[0] / group, outputs = weight.shape[1];
  int64_t taps =
      weight.count() / std::max<int64_t>(weight.shape[0] * weight.shape[1], 1);
  Tensor result = weight;
  result.shape[0] = group * outputs;
  result.shape[1] = channels;
  if (weight.isQuantized())
    result.quant = perOutputChannel(*weight.quant, group);
  result.allocate();
  int64_t bytes = byteSize(weight.element);
  for (int64_t g = 0; g < group; ++g)
    for (int64_t c = 0; c < channels; ++c)
      for (int64_t m = 0; m < outputs; ++m)
        for (int64_t t = 0; t < taps; ++t) {
          int64_t from = ((g * channels + c) * outputs + m) * taps + t;
          int64_t to = ((g * outputs + m) * channels + c) * taps + taps - 1 - t;
          std::memcpy(result.storage.get() + to * bytes,
                      weight.storage.get() + from * bytes, bytes);
        }
  return result;
}
