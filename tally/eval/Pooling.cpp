//===- Pooling.cpp - the exact meaning of pooling -------------------------===//
//
// The taps of a window are the same in every image and channel, so the outer
// loop runs over output pixels and the inner one over planes.
//
//===----------------------------------------------------------------------===//

#include "tally/eval/Pooling.h"
#include "tally/eval/Elementwise.h"
#include "tally/eval/Extreme.h"
#include "tally/eval/Requantizer.h"

#include "tally/quant/pinned/Sum.h"

#include <limits>
#include <map>

using namespace tally;
using namespace tally::eval;

/// Calls fn(pixel, first input element of the plane, result element, taps).
template <typename Fn>
static void forEachWindow(const Request &request, const WindowGeometry &g,
                          Fn &&fn) {
  WindowTaps windows(g);
  std::vector<int64_t> taps(g.taps());
  int64_t planes = request.in(0).shape[0] * request.in(0).shape[1];
  for (int64_t pixel = 0; pixel < g.pixels(); ++pixel) {
    windows.at(pixel, taps.data());
    for (int64_t plane = 0; plane < planes; ++plane)
      fn(pixel, plane * g.inputPixels(), plane * g.pixels() + pixel, taps);
  }
}

//===----------------------------------------------------------------------===//
// Maximum
//===----------------------------------------------------------------------===//

template <typename T, typename Load, typename Store>
static void maxima(const Request &request, const WindowGeometry &g, T lowest,
                   Load load, Store store) {
  forEachWindow(request, g,
                [&](int64_t, int64_t base, int64_t element, const auto &taps) {
                  T best = lowest;
                  for (int64_t tap : taps)
                    if (tap >= 0)
                      best = maximum<T>(best, load(base + tap));
                  store(element, best);
                });
}

template <typename T>
static Status floatMaxima(Request &request, const WindowGeometry &g) {
  std::vector<T> values = toFloats<T>(request.in(0));
  maxima<T>(
      request, g, -std::numeric_limits<T>::infinity(),
      [&](int64_t i) { return values[i]; },
      [&](int64_t i, T value) { storeFloat(request.out(), i, value); });
  return Status::success();
}

static void intMaxima(const Request &request, const WindowGeometry &g,
                      int64_t lowest, Tensor &out) {
  const Tensor &in = request.in(0);
  maxima<int64_t>(
      request, g, lowest, [&](int64_t i) { return loadOrdered(in, i); },
      [&](int64_t i, int64_t value) { storeOrdered(out, i, value); });
}

/// The order of codes is the order of reals: the largest code, then its real
/// rounded onto the result's grid.
static Status codeMaxima(Request &request, const WindowGeometry &g) {
  const Tensor &in = request.in(0);
  Tensor &out = request.out();
  if (!in.quant->perTensor() || !out.isQuantized() || !out.quant->perTensor())
    return noMeaning(in);
  Tensor codes = in;
  codes.shape = out.shape;
  codes.allocate();
  intMaxima(request, g, in.quant->qmin, codes);
  requantize(codes, out, request.profile);
  return Status::success();
}

Status tally::eval::evaluateMaxPool(Request &request,
                                    const WindowGeometry &geometry) {
  const Tensor &in = request.in(0);
  if (in.isQuantized())
    return codeMaxima(request, geometry);
  if (in.element == Element::F64)
    return floatMaxima<double>(request, geometry);
  if (isFloat(in.element))
    return floatMaxima<float>(request, geometry);
  intMaxima(request, geometry, minOrdered(in.element), request.out());
  return Status::success();
}

/// The first tap that holds a window's maximum, or -1.
template <typename T, typename Load>
static int64_t firstMaximum(const std::vector<int64_t> &taps, Load load) {
  int64_t best = -1;
  for (int64_t tap : taps) {
    if (tap < 0)
      continue;
    if (best < 0) {
      best = tap;
      continue;
    }
    T old = load(best), both = maximum<T>(old, load(tap));
    // A changed maximum, NaN and the sign of zero included, is a new one.
    if (std::memcmp(&old, &both, sizeof(T)) && old == old)
      best = tap;
  }
  return best;
}

/// A row-major index of `shape` as the column-major one.
static int64_t columnMajorIndex(const Shape &shape, int64_t index) {
  int64_t result = 0;
  for (size_t d = shape.size(); d-- > 0;) {
    int64_t before = 1;
    for (size_t outer = 0; outer < d; ++outer)
      before *= shape[outer];
    result += index % shape[d] * before;
    index /= shape[d];
  }
  return result;
}

Status tally::eval::evaluateMaxPoolIndices(Request &request,
                                           const WindowGeometry &geometry,
                                           bool columnMajor) {
  const Tensor &in = request.in(0);
  if (in.isQuantized() && !in.quant->perTensor())
    return noMeaning(in);
  forEachWindow(
      request, geometry,
      [&](int64_t, int64_t base, int64_t element, const auto &taps) {
        int64_t tap =
            isFloat(in.element)
                ? firstMaximum<double>(
                      taps, [&](int64_t i) { return loadFloat(in, base + i); })
                : firstMaximum<int64_t>(taps, [&](int64_t i) {
                    return loadOrdered(in, base + i);
                  });
        if (tap >= 0)
          tap = base +
                (columnMajor ? columnMajorIndex(geometry.input, tap) : tap);
        storeInt(request.out(), element, tap);
      });
  return Status::success();
}

//===----------------------------------------------------------------------===//
// Average
//===----------------------------------------------------------------------===//

/// How many taps of the window at `pixel` lie inside the padded input.
static int64_t paddedTaps(const WindowGeometry &g, int64_t pixel) {
  int64_t count = 1;
  for (size_t d = g.rank(); d-- > 0;) {
    int64_t start = pixel % g.output[d] * g.strides[d];
    int64_t room = g.input[d] + g.pads[d] + g.pads[g.rank() + d] - start;
    count *=
        std::min(g.kernel[d], (room + g.dilations[d] - 1) / g.dilations[d]);
    pixel /= g.output[d];
  }
  return count;
}

static int64_t divisorOf(const WindowGeometry &g, int64_t pixel,
                         const std::vector<int64_t> &taps,
                         bool countIncludePad) {
  if (countIncludePad)
    return paddedTaps(g, pixel);
  return std::count_if(taps.begin(), taps.end(),
                       [](int64_t tap) { return tap >= 0; });
}

template <typename T>
static Status floatAverages(Request &request, const WindowGeometry &g,
                            bool countIncludePad) {
  std::vector<T> values = toFloats<T>(request.in(0));
  forEachWindow(
      request, g,
      [&](int64_t pixel, int64_t base, int64_t element, const auto &taps) {
        T sum = quant::pinned::reducePinned(
            taps.size(), T(0), [&](T partial, size_t t) {
              return partial + (taps[t] < 0 ? T(0) : values[base + taps[t]]);
            });
        T divisor = static_cast<T>(divisorOf(g, pixel, taps, countIncludePad));
        storeFloat(request.out(), element, sum / divisor);
      });
  return Status::success();
}

/// Whether the only window is the input, which onnxruntime's kernel of means
/// over whole images then computes.
static bool coversInput(const WindowGeometry &g) {
  return g.kernel == g.input &&
         std::all_of(g.pads.begin(), g.pads.end(),
                     [](int64_t pad) { return pad == 0; });
}

/// QLinearAveragePool: fp32 reals, added in row-major order. Its divisor counts
/// every tap of the kernel when padding counts.
static void averagesLikeOnnxRuntime(Request &request, const WindowGeometry &g,
                                    bool countIncludePad) {
  const Tensor &in = request.in(0);
  int64_t zeroPoint = in.quant->zeroPoint();
  forEachWindow(request, g,
                [&](int64_t, int64_t base, int64_t element, const auto &taps) {
                  float sum = 0;
                  int64_t inside = 0;
                  for (int64_t tap : taps) {
                    if (tap < 0)
                      continue;
                    auto steps =
                        static_cast<float>(loadInt(in, base + tap) - zeroPoint);
                    float real = steps * in.quant->scale();
                    sum += real;
                    ++inside;
                  }
                  int64_t divisor =
                      countIncludePad ? g.taps() : std::max<int64_t>(inside, 1);
                  storeInt(request.out(), element,
                           onnxruntimeMean(sum, divisor, *request.out().quant));
                });
}

static Status codeAverages(Request &request, const WindowGeometry &g,
                           bool countIncludePad) {
  const Tensor &in = request.in(0);
  Tensor &out = request.out();
  if (!in.quant->perTensor() || !out.isQuantized() || !out.quant->perTensor())
    return noMeaning(in);
  if (request.profile == Profile::OnnxRuntime && !coversInput(g)) {
    averagesLikeOnnxRuntime(request, g, countIncludePad);
    return Status::success();
  }
  Profile profile = meanProfile(request.profile, *in.quant, g.taps());
  std::map<int64_t, Requantizer> byDivisor;
  int64_t zeroPoint = in.quant->zeroPoint();
  forEachWindow(
      request, g,
      [&](int64_t pixel, int64_t base, int64_t element, const auto &taps) {
        int64_t sum = 0;
        for (int64_t tap : taps)
          if (tap >= 0)
            sum += loadInt(in, base + tap) - zeroPoint;
        // A window without taps has sum 0: the mean of nothing is real 0.
        int64_t divisor =
            std::max<int64_t>(divisorOf(g, pixel, taps, countIncludePad), 1);
        auto found = byDivisor.try_emplace(
            divisor, profile,
            AccumulatorMeaning{in.quant->scale(), 1, 1, divisor, {}},
            *out.quant);
        storeInt(out, element, found.first->second.code(sum));
      });
  return Status::success();
}

Status tally::eval::evaluateAveragePool(Request &request,
                                        const WindowGeometry &geometry,
                                        bool countIncludePad) {
  const Tensor &in = request.in(0);
  if (in.isQuantized())
    return codeAverages(request, geometry, countIncludePad);
  if (in.element == Element::F64)
    return floatAverages<double>(request, geometry, countIncludePad);
  if (isFloat(in.element))
    return floatAverages<float>(request, geometry, countIncludePad);
  return noMeaning(in);
}
