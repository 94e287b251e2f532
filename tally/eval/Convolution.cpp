//===- Convolution.cpp - the exact meaning of convolution -----------------===//
//
// Each block of output pixels gathers its input patches into a panel, one
// patch per pixel, and a convolution becomes the product of the weight's rows
// with the patches. Integer patches are [pixel][k], float patches [k][pixel]
// so that every output sums its terms in ascending k.
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

static constexpr int64_t kBlock = 256; // pixels per panel

void tally::eval::windowOffsets(const WindowGeometry &g, int64_t pixel,
                                std::vector<int64_t> &offsets) {
  size_t rank = g.rank();
  Shape origin(rank), tap(rank, 0), strides = stridesOf(g.input);
  for (size_t d = rank; d-- > 0;) {
    origin[d] = (pixel % g.output[d]) * g.strides[d] - g.pads[d];
    pixel /= g.output[d];
  }
  offsets.resize(g.taps());
  for (int64_t &offset : offsets) {
    offset = 0;
    for (size_t d = 0; d < rank; ++d) {
      int64_t position = origin[d] + tap[d] * g.dilations[d];
      if (position < 0 || position >= g.input[d]) {
        offset = -1;
        break;
      }
      offset += position * strides[d];
    }
    for (size_t d = rank; d-- > 0;) {
      if (++tap[d] < g.kernel[d])
        break;
      tap[d] = 0;
    }
  }
}

namespace {
/// The sizes that every path below needs, and its loops over batch, group and
/// pixel blocks.
struct ConvShape {
  ConvShape(const Request &request, const WindowGeometry &geometry,
            int64_t group)
      : geometry(geometry), batch(request.in(0).shape[0]), group(group),
        channels(request.in(0).shape[1] / group),
        outputs(request.in(1).shape[0] / group), taps(geometry.taps()),
        k(channels * taps), pixels(geometry.pixels()),
        inputPixels(elementCount(geometry.input)) {}

  /// First input element of (image, group).
  int64_t inputBase(int64_t image, int64_t g) const {
    return (image * group + g) * channels * inputPixels;
  }
  /// Result element of (image, output channel over all groups, pixel 0).
  int64_t resultBase(int64_t image, int64_t channel) const {
    return (image * group * outputs + channel) * pixels;
  }
  template <typename Fn> Status forEachBlock(Fn &&fn) const {
    for (int64_t image = 0; image < batch; ++image)
      for (int64_t g = 0; g < group; ++g)
        for (int64_t start = 0; start < pixels; start += kBlock)
          if (Status s = fn(image, g, start, std::min(kBlock, pixels - start));
              !s)
            return s;
    return Status::success();
  }
  /// Calls fn(column, k, input element or -1) for all taps of a block.
  template <typename Fn>
  void forEachTap(int64_t image, int64_t g, int64_t start, int64_t width,
                  Fn &&fn) const {
    std::vector<int64_t> offsets;
    int64_t base = inputBase(image, g);
    for (int64_t column = 0; column < width; ++column) {
      windowOffsets(geometry, start + column, offsets);
      for (int64_t c = 0; c < channels; ++c)
        for (int64_t t = 0; t < taps; ++t)
          fn(column, c * taps + t,
             offsets[t] < 0 ? -1 : base + c * inputPixels + offsets[t]);
    }
  }

  const WindowGeometry &geometry;
  int64_t batch, group, channels, outputs, taps, k, pixels, inputPixels;
};
} // namespace

static IntPanel weightPanel(const Tensor &weight, const ConvShape &s, int64_t g,
                            const std::function<int64_t(int64_t)> &zeroPoint) {
  IntPanel panel(s.outputs, s.k);
  for (int64_t m = 0; m < s.outputs; ++m) {
    int64_t channel = g * s.outputs + m;
    for (int64_t k = 0; k < s.k; ++k)
      panel.set(m, k, loadInt(weight, channel * s.k + k) - zeroPoint(channel));
  }
  panel.finish();
  return panel;
}

/// Calls store(channel, result element, exact sum) for every output.
static Status
integerSums(Request &request, const ConvShape &s, int64_t inputZeroPoint,
            const std::function<int64_t(int64_t)> &weightZeroPoint,
            const std::function<void(int64_t, int64_t, int64_t)> &store) {
  const Tensor &input = request.in(0);
  std::vector<IntPanel> weights;
  for (int64_t g = 0; g < s.group; ++g)
    weights.push_back(weightPanel(request.in(1), s, g, weightZeroPoint));
  std::vector<int64_t> sums;
  return s.forEachBlock([&](int64_t image, int64_t g, int64_t start,
                            int64_t width) -> Status {
    IntPanel patches(width, s.k);
    s.forEachTap(image, g, start, width,
                 [&](int64_t column, int64_t k, int64_t element) {
                   patches.set(column, k,
                               element < 0
                                   ? 0
                                   : loadInt(input, element) - inputZeroPoint);
                 });
    patches.finish();
    if (!accumulate(weights[g], patches, sums))
      return Diagnostic{FailureKind::Unsupported,
                        "the accumulator needs more than 64 bits", "NUM-4"};
    for (int64_t m = 0; m < s.outputs; ++m) {
      int64_t channel = g * s.outputs + m;
      for (int64_t p = 0; p < width; ++p)
        store(channel, s.resultBase(image, channel) + start + p,
              sums[m * width + p]);
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
      [&](int64_t m, int64_t element, int64_t sum) {
        storeInt(out, element, channels[m].code(sum + addends[m]));
      });
}

template <typename T, auto products>
static Status floatConvolution(Request &request, const ConvShape &s) {
  const Tensor &input = request.in(0), &weight = request.in(1);
  Tensor &out = request.out();
  std::vector<T> patches, sums, rows(weight.count());
  for (int64_t i = 0; i < weight.count(); ++i)
    rows[i] = static_cast<T>(loadFloat(weight, i));
  return s.forEachBlock(
      [&](int64_t image, int64_t g, int64_t start, int64_t width) -> Status {
        patches.assign(s.k * width, 0);
        s.forEachTap(image, g, start, width,
                     [&](int64_t column, int64_t k, int64_t element) {
                       if (element >= 0)
                         patches[k * width + column] =
                             static_cast<T>(loadFloat(input, element));
                     });
        sums.resize(s.outputs * width);
        products(rows.data() + g * s.outputs * s.k, patches.data(), s.outputs,
                 width, s.k, sums.data());
        for (int64_t m = 0; m < s.outputs; ++m) {
          int64_t channel = g * s.outputs + m;
          for (int64_t p = 0; p < width; ++p) {
            T sum = sums[m * width + p];
            if (request.has(2))
              sum += static_cast<T>(loadFloat(request.in(2), channel));
            storeFloat(out, s.resultBase(image, channel) + start + p, sum);
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
  return integerSums(request, shape, inputZeroPoint, weightZeroPoint,
                     [&](int64_t, int64_t element, int64_t sum) {
                       storeInt(request.out(), element, sum);
                     });
}
