//===- ResizeTaps.cpp - where a resized dimension reads -------------------===//
//
// A coordinate x has a left neighbour b = ceil(x) - 1 and a fraction r = x - b
// in (0, 1]; the taps are b - k + 1 to b + k for a kernel of radius k. Example,
// linear at x = 1.25: taps 1 and 2 with weights 0.75 and 0.25.
//
// Weights are rounded to multiples of 2^-23; what is missing to 1 goes to the
// largest, so a constant stays a constant.
//
//===----------------------------------------------------------------------===//

#include "tally/graph/import/ResizeTaps.h"

#include "llvm/ADT/StringSwitch.h"

#include <algorithm>
#include <cmath>

using namespace tally;
using namespace tally::nn;

std::optional<ResizeCoordinates>
tally::nn::findCoordinates(std::string_view name) {
  using enum ResizeCoordinates;
  return llvm::StringSwitch<std::optional<ResizeCoordinates>>(name)
      .Case("half_pixel", HalfPixel)
      .Case("half_pixel_symmetric", HalfPixelSymmetric)
      .Case("pytorch_half_pixel", PytorchHalfPixel)
      .Case("align_corners", AlignCorners)
      .Case("asymmetric", Asymmetric)
      .Case("tf_half_pixel_for_nn", TfHalfPixelForNn)
      .Case("tf_crop_and_resize", TfCropAndResize)
      .Default(std::nullopt);
}

std::optional<NearestRounding> tally::nn::findRounding(std::string_view name) {
  using enum NearestRounding;
  return llvm::StringSwitch<std::optional<NearestRounding>>(name)
      .Case("round_prefer_floor", PreferFloor)
      .Case("round_prefer_ceil", PreferCeil)
      .Case("floor", Floor)
      .Case("ceil", Ceil)
      .Default(std::nullopt);
}

static double cropCoordinate(const ResizedDim &dim, double i) {
  auto last = static_cast<double>(dim.input - 1);
  double extent = dim.roiEnd - dim.roiStart;
  if (dim.output == 1)
    return (dim.roiStart + dim.roiEnd) * last / 2;
  return i * extent * last / static_cast<double>(dim.output - 1) +
         dim.roiStart * last;
}

double tally::nn::sourceCoordinate(ResizeCoordinates coordinates,
                                   const ResizedDim &dim, int64_t index) {
  auto i = static_cast<double>(index), n = static_cast<double>(dim.input);
  double real = dim.scale * n;
  switch (coordinates) {
  case ResizeCoordinates::HalfPixel:
    return (i + 0.5) / dim.scale - 0.5;
  case ResizeCoordinates::HalfPixelSymmetric:
    return n / 2 * (1 - static_cast<double>(dim.output) / real) +
           (i + 0.5) / dim.scale - 0.5;
  case ResizeCoordinates::PytorchHalfPixel:
    return dim.output == 1 ? 0 : (i + 0.5) / dim.scale - 0.5;
  case ResizeCoordinates::AlignCorners:
    return real == 1 ? 0 : i * (n - 1) / (real - 1);
  case ResizeCoordinates::Asymmetric:
    return i / dim.scale;
  case ResizeCoordinates::TfHalfPixelForNn:
    return (i + 0.5) / dim.scale;
  case ResizeCoordinates::TfCropAndResize:
    return cropCoordinate(dim, i);
  }
  return 0;
}

int64_t tally::nn::nearestIndex(NearestRounding rounding, double x,
                                int64_t input) {
  double low = std::floor(x), fraction = x - low;
  bool up = false;
  switch (rounding) {
  case NearestRounding::PreferFloor:
    up = fraction > 0.5;
    break;
  case NearestRounding::PreferCeil:
    up = fraction >= 0.5;
    break;
  case NearestRounding::Floor:
    break;
  case NearestRounding::Ceil:
    up = fraction > 0;
    break;
  }
  double place =
      std::clamp(low + (up ? 1 : 0), 0.0, static_cast<double>(input - 1));
  return static_cast<int64_t>(place);
}

/// Keys' cubic convolution kernel at distance |x|.
static double cubicWeight(double x, double a) {
  x = std::fabs(x);
  if (x <= 1)
    return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x < 2)
    return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
  return 0;
}

static double linearWeight(double x) { return std::max(1 - std::fabs(x), 0.0); }

/// Integer weights with the sum 2^23 from real ones. Where no tap counts (all
/// lie outside), the first, the edge, gets all.
static void appendWeights(const std::vector<double> &real, double sum,
                          std::vector<int64_t> &weights) {
  sum = sum == 0 ? 1 : sum;
  constexpr int64_t kOne = int64_t(1) << 23;
  size_t first = weights.size();
  int64_t rest = kOne;
  for (double weight : real) {
    weights.push_back(std::llrint(weight / sum * static_cast<double>(kOne)));
    rest -= weights.back();
  }
  *std::max_element(weights.begin() + static_cast<int64_t>(first),
                    weights.end()) += rest;
}

ResizeTaps tally::nn::resizeTaps(const TapKernel &kernel, const ResizedDim &dim,
                                 const std::vector<double> &coordinates) {
  // A widened kernel is stretched over the input by 1 / shrink.
  double shrink = kernel.antialias ? std::min(dim.scale, 1.0) : 1;
  double reach = (kernel.isCubic ? 2 : 1) / shrink;
  auto radius = static_cast<int64_t>(std::ceil(reach));
  ResizeTaps taps;
  for (double x : coordinates) {
    auto base = static_cast<int64_t>(std::ceil(x)) - 1;
    std::vector<double> real;
    double sum = 0;
    for (int64_t tap = base - radius + 1; tap <= base + radius; ++tap) {
      double distance = (static_cast<double>(tap) - x) * shrink;
      bool counts = !kernel.excludeOutside || (tap >= 0 && tap < dim.input);
      double weight = kernel.isCubic ? cubicWeight(distance, kernel.cubicA)
                                     : linearWeight(distance);
      real.push_back(counts ? weight : 0);
      sum += real.back();
      taps.sources.push_back(std::clamp<int64_t>(tap, 0, dim.input - 1));
    }
    appendWeights(real, sum, taps.weights);
  }
  return taps;
}
