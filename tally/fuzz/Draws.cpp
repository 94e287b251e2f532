//===- Draws.cpp - random shapes, grids and elements ----------------------===//

#include "tally/fuzz/Draws.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <limits>

using namespace tally;
using namespace tally::fuzz;

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// Halves the largest dimension until the shape is small enough.
static void limit(eval::Shape &shape) {
  while (eval::elementCount(shape) > kMaxElements) {
    auto largest = std::max_element(shape.begin(), shape.end());
    *largest = (*largest + 1) / 2;
  }
}

eval::Shape fuzz::drawShape(Random &random, int64_t rank) {
  eval::Shape shape(rank);
  for (int64_t &size : shape)
    size = random.pick({1, 1, 2, 2, 3, 3, 4, 5, 7, 8, 16, 17});
  if (rank >= 2 && random.chance(15))
    shape[rank - 1] = shape[rank - 2];
  limit(shape);
  if (rank && random.chance(1))
    shape[random.below(rank)] = 0;
  return shape;
}

eval::Shape fuzz::drawImageShape(Random &random) {
  eval::Shape shape = {random.chance(80) ? 1 : 2,
                       random.pick({1, 2, 3, 4, 6, 8})};
  for (int64_t n = random.pick({1, 1, 2, 2, 2, 2, 2, 3}); n > 0; --n)
    shape.push_back(random.pick({1, 2, 3, 4, 5, 5, 6, 7, 9}));
  limit(shape);
  return shape;
}

//===----------------------------------------------------------------------===//
// Grids
//===----------------------------------------------------------------------===//

Codes fuzz::drawCodes(Random &random) {
  int64_t bits = random.pick({8, 8, 8, 8, 8, 8, 8, 8, 16, 16, 4, 4});
  // The rewrites and the judge take these, the CPU's code none: a graph draws
  // several times, and few are to be refused.
  if (random.below(1000) < 3)
    bits = 2;
  int64_t levels = int64_t(1) << bits;
  return random.chance(60) ? Codes{-levels / 2, levels / 2 - 1}
                           : Codes{0, levels - 1};
}

/// `scale` as models have it: as it is, or rounded to something with a pattern.
static float patterned(Random &random, double scale) {
  double power = std::exp2(std::round(std::log2(scale)));
  if (random.chance(2))
    return random.pick({1e-30f, 1e30f, FLT_MIN, 1e-42f, 3e38f});
  if (random.chance(35))
    return static_cast<float>(power);
  if (random.chance(15))
    return static_cast<float>(power / 3);
  return static_cast<float>(scale);
}

static int64_t drawZeroPoint(Random &random, Codes codes, double low,
                             float scale) {
  double fitting = static_cast<double>(codes.qmin) - std::round(low / scale);
  switch (random.below(8)) {
  case 0:
    return codes.qmin;
  case 1:
    return codes.qmax;
  case 2:
    return random.between(codes.qmin, codes.qmax);
  case 3:
    return (codes.qmin + codes.qmax + 1) / 2;
  default:
    return static_cast<int64_t>(std::clamp(fitting,
                                           static_cast<double>(codes.qmin),
                                           static_cast<double>(codes.qmax)));
  }
}

/// The scale as an fp32 number that a grid may have.
static float validScale(double scale) {
  float value = static_cast<float>(scale);
  return std::isfinite(value) && value > 0 ? value : 1;
}

eval::Quantization fuzz::drawGrid(Random &random, Codes codes, double low,
                                  double high) {
  low = std::min(low, 0.0);
  high = std::max(high, 0.0);
  eval::Quantization grid;
  grid.qmin = codes.qmin;
  grid.qmax = codes.qmax;
  double steps = static_cast<double>(codes.qmax - codes.qmin);
  // Sometimes the codes hold but a part of the range, or a part of them holds
  // all of it.
  double width = (high - low) * random.pick({1.0, 1.0, 1.0, 1.0, 0.5, 2.0});
  float scale = patterned(random, validScale(width / steps));
  grid.scales = {validScale(scale)};
  grid.zeroPoints = {drawZeroPoint(random, codes, low, grid.scales[0])};
  return grid;
}

eval::Quantization fuzz::drawAxisGrid(Random &random, Codes codes, int64_t axis,
                                      int64_t count, double size) {
  eval::Quantization grid;
  grid.qmin = codes.qmin;
  grid.qmax = codes.qmax;
  grid.axis = static_cast<int>(axis);
  int64_t middle = (codes.qmin + codes.qmax + 1) / 2;
  bool isSymmetric = random.chance(75);
  double step = 2 * size / static_cast<double>(codes.qmax - codes.qmin);
  for (int64_t i = 0; i < count; ++i) {
    double scale = step * random.real(0.25, 1);
    grid.scales.push_back(validScale(
        random.chance(30) ? std::exp2(std::round(std::log2(scale))) : scale));
    grid.zeroPoints.push_back(
        isSymmetric ? middle : random.between(codes.qmin, codes.qmax));
  }
  return grid;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

void fuzz::fillIntegers(Random &random, eval::Tensor &tensor) {
  int64_t low = eval::minValue(tensor.element);
  int64_t high = eval::maxValue(tensor.element);
  int64_t middle = 0;
  if (tensor.quant) {
    low = tensor.quant->qmin;
    high = tensor.quant->qmax;
    middle = tensor.quant->zeroPoint();
  }
  int64_t kind = random.below(10);
  for (int64_t i = 0, e = tensor.count(); i < e; ++i) {
    int64_t value = random.between(low, high);
    if (kind < 2)
      value = std::clamp(middle + random.between(-9, 9), low, high);
    else if (kind == 2)
      value = random.chance(50) ? low : high;
    eval::storeInt(tensor, i, value);
  }
}

static double wildNumber(Random &random) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return random.pick({infinity, -infinity, std::nan(""), -0.0, 1e-40, -3e38,
                      65504.0, 1e10, 2147483648.0});
}

void fuzz::fillReals(Random &random, eval::Tensor &tensor, bool isWild) {
  double size = std::exp2(static_cast<double>(random.between(-2, 5)));
  bool isWhole = random.chance(15);
  for (int64_t i = 0, e = tensor.count(); i < e; ++i) {
    double value = random.real(-size, size);
    if (isWhole)
      value = std::round(value);
    if (isWild && random.chance(20))
      value = wildNumber(random);
    eval::storeFloat(tensor, i, value);
  }
}
