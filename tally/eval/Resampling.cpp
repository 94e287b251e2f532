//===- Resampling.cpp - weighted sums along dimensions --------------------===//
//
// The tensor becomes an array of floats, doubles or 128-bit integers; each
// axis makes a new array from the last one. Integers stay exact: 33 bits
// of a number, 26 bits of weights per axis, 24 bits of a scale for codes of at
// most 17 bits, so never more than 119 bits.
//
//===----------------------------------------------------------------------===//

#include "tally/eval/Resampling.h"
#include "tally/eval/Elementwise.h"

#include <cmath>

using namespace tally;
using namespace tally::eval;

static constexpr int kWeightBits = 23;

static float addTap(float sum, int64_t weight, float value) {
  return std::fmaf(std::ldexp(static_cast<float>(weight), -kWeightBits), value,
                   sum);
}
static double addTap(double sum, int64_t weight, double value) {
  return std::fma(std::ldexp(static_cast<double>(weight), -kWeightBits), value,
                  sum);
}
static __int128 addTap(__int128 sum, int64_t weight, __int128 value) {
  return sum + weight * value;
}

/// Sums along one axis; `shape` becomes the shape of the result.
template <typename T>
static std::vector<T> sumAlong(const std::vector<T> &in, Shape &shape,
                               const ResampledAxis &axis) {
  int64_t inner = stridesOf(shape)[axis.axis], length = shape[axis.axis];
  shape[axis.axis] = axis.size;
  std::vector<T> out(elementCount(shape));
  if (out.empty())
    return out;
  int64_t taps = static_cast<int64_t>(axis.sources.size()) / axis.size;
  for (int64_t i = 0, e = static_cast<int64_t>(out.size()); i < e; ++i) {
    int64_t index = i / inner % axis.size, line = i / inner / axis.size;
    T sum = 0;
    for (int64_t t = index * taps; t < (index + 1) * taps; ++t)
      if (axis.weights[t] != 0)
        sum = addTap(sum, axis.weights[t],
                     in[(line * length + axis.sources[t]) * inner + i % inner]);
    out[i] = sum;
  }
  return out;
}

template <typename T, typename Load>
static std::vector<T>
sumAll(const Tensor &in, const std::vector<ResampledAxis> &axes, Load load) {
  std::vector<T> values(in.count());
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = load(static_cast<int64_t>(i));
  Shape shape = in.shape;
  for (const ResampledAxis &axis : axes)
    values = sumAlong(values, shape, axis);
  return values;
}

/// Exact sums of (code - zero point), in units of the input's scale times
/// 2^-23 per axis; a plain integer is a code of scale 1 and zero point 0.
static void sumIntegers(Request &request,
                        const std::vector<ResampledAxis> &axes) {
  const Tensor &in = request.in(0);
  Tensor &out = request.out();
  Quantization plain{minValue(out.element), maxValue(out.element), {1}, {0}};
  const Quantization &from = in.quant ? *in.quant : plain;
  GridRounder rounder(out.quant ? *out.quant : plain);
  Dyadic scale = dyadic(from.scale());
  int exponent = scale.exponent - kWeightBits * static_cast<int>(axes.size());
  auto sums = sumAll<__int128>(
      in, axes, [&](int64_t i) { return loadInt(in, i) - from.zeroPoint(); });
  for (size_t i = 0; i < sums.size(); ++i)
    storeInt(out, static_cast<int64_t>(i),
             rounder.code(sums[i] * scale.mantissa, exponent));
}

Status tally::eval::evaluateResampling(Request &request,
                                       const std::vector<ResampledAxis> &axes) {
  const Tensor &in = request.in(0);
  Tensor &out = request.out();
  auto store = [&](const auto &values) {
    for (size_t i = 0; i < values.size(); ++i)
      storeFloat(out, static_cast<int64_t>(i), values[i]);
  };
  if (!isFloat(in.element))
    sumIntegers(request, axes);
  else if (in.element == Element::F64)
    store(
        sumAll<double>(in, axes, [&](int64_t i) { return loadFloat(in, i); }));
  else
    store(sumAll<float>(in, axes, [&](int64_t i) {
      return static_cast<float>(loadFloat(in, i));
    }));
  return Status::success();
}
