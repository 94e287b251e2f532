//===- RuntimeQuantization.cpp - scales known only when run ---------------===//

#include "tally/eval/RuntimeQuantization.h"

#include <algorithm>
#include <cmath>

using namespace tally;
using namespace tally::eval;

int64_t tally::eval::quantizeFloat(float x, float scale, int64_t zeroPoint,
                                   int64_t low, int64_t high) {
  return quantizeQuotient(x / scale, zeroPoint, low, high);
}

int64_t tally::eval::quantizeQuotient(float quotient, int64_t zeroPoint,
                                      int64_t low, int64_t high) {
  if (std::isnan(quotient))
    return low;
  double code = std::nearbyint(static_cast<double>(quotient)) +
                static_cast<double>(zeroPoint);
  return static_cast<int64_t>(
      std::clamp(code, static_cast<double>(low), static_cast<double>(high)));
}

ScaleIndex::ScaleIndex(std::span<const int64_t> shape, int64_t scales,
                       int64_t axis, int64_t blockSize)
    : scales(scales), inner(1), size(1), blockSize(blockSize) {
  if (scales == 1)
    return;
  inner = stridesOf(shape)[axis];
  size = shape[axis];
}

int64_t ScaleIndex::operator()(int64_t element) const {
  if (scales == 1)
    return 0;
  int64_t index = element / inner % size;
  if (blockSize == 0)
    return index;
  int64_t blocks = (size + blockSize - 1) / blockSize;
  int64_t outer = element / inner / size;
  return (outer * blocks + index / blockSize) * inner + element % inner;
}

/// Zero point i of operand 2; 0 when absent.
static int64_t zeroPointOf(const Request &request, int64_t i) {
  return request.has(2) ? loadInt(request.in(2), i) : 0;
}

Status tally::eval::evaluateQuantizeRuntime(Request &request, int64_t axis,
                                            int64_t blockSize, int64_t bits) {
  const Tensor &in = request.in(0), &scale = request.in(1);
  Tensor &out = request.out();
  int64_t low = minValue(out.element), high = maxValue(out.element);
  if (bits != 0) {
    int64_t levels = int64_t(1) << bits;
    low = low < 0 ? -levels / 2 : 0;
    high = low + levels - 1;
  }
  ScaleIndex scaleOf(in.shape, scale.count(), axis, blockSize);
  for (int64_t i = 0, e = in.count(); i < e; ++i) {
    int64_t s = scaleOf(i);
    storeInt(out, i,
             quantizeFloat(in.data<float>()[i], scale.data<float>()[s],
                           zeroPointOf(request, s), low, high));
  }
  return Status::success();
}

Status tally::eval::evaluateDequantizeRuntime(Request &request, int64_t axis,
                                              int64_t blockSize) {
  const Tensor &in = request.in(0), &scale = request.in(1);
  ScaleIndex scaleOf(in.shape, scale.count(), axis, blockSize);
  for (int64_t i = 0, e = in.count(); i < e; ++i) {
    int64_t s = scaleOf(i);
    auto steps = static_cast<float>(loadInt(in, i) - zeroPointOf(request, s));
    storeFloat(request.out(), i,
               steps * static_cast<float>(loadFloat(scale, s)));
  }
  return Status::success();
}

Status tally::eval::evaluateDynamicQuantize(Request &request) {
  const Tensor &in = request.in(0);
  float low = 0, high = 0;
  for (float x : in.values<float>()) {
    low = x < low ? x : low; // false for NaN, which so takes no part
    high = x > high ? x : high;
  }
  float scale = high == low ? 1.0f : (high - low) / 255.0f;
  float start = std::clamp(0.0f - low / scale, 0.0f, 255.0f);
  // -inf / inf, from an infinite element, has no code but 0.
  int64_t zeroPoint =
      std::isnan(start) ? 0 : static_cast<int64_t>(std::nearbyint(start));
  for (int64_t i = 0, e = in.count(); i < e; ++i)
    storeInt(request.out(0), i,
             quantizeFloat(in.data<float>()[i], scale, zeroPoint, 0, 255));
  request.out(1).data<float>()[0] = scale;
  storeInt(request.out(2), 0, zeroPoint);
  return Status::success();
}
