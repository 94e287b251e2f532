//===- Normalization.cpp - the meaning of normalizing operators -----------===//

#include "tally/eval/Normalization.h"
#include "tally/eval/Elementwise.h"
#include "tally/eval/Extreme.h"
#include "tally/eval/Reduction.h"

#include "tally/quant/NativeMath.h"
#include "tally/quant/pinned/Sum.h"

#include <limits>

using namespace tally;
using namespace tally::eval;
using quant::pinned::reducePinned;

/// Runs fn<T> for the type that a float tensor is computed in.
template <typename Fn> static Status inFloat(const Tensor &tensor, Fn &&fn) {
  if (!isFloat(tensor.element) || tensor.isQuantized())
    return noMeaning(tensor);
  if (tensor.element == Element::F64)
    fn(double());
  else
    fn(float());
  return Status::success();
}

/// Calls fn(first element, offsets) for each line along `axis`.
template <typename Fn>
static void forEachLine(const Tensor &tensor, int64_t axis, Fn &&fn) {
  int64_t axes[] = {axis};
  ReductionOffsets lines(tensor.shape, axes);
  for (int64_t base : lines.outputs)
    fn(base, lines.terms);
}

//===----------------------------------------------------------------------===//
// Along an axis
//===----------------------------------------------------------------------===//

Status tally::eval::evaluateSoftmax(Request &request, int64_t axis,
                                    bool logarithm) {
  const Tensor &in = request.in(0);
  if (!isFloat(in.element) || in.isQuantized() || in.element == Element::F64)
    return noMeaning(in);
  std::vector<float> x = toFloats<float>(in), shifted, exponential;
  forEachLine(in, axis, [&](int64_t base, const auto &offsets) {
    size_t n = offsets.size();
    float largest = -std::numeric_limits<float>::infinity();
    for (int64_t offset : offsets)
      largest = maximum(largest, x[base + offset]);
    shifted.resize(n);
    exponential.resize(n);
    for (size_t i = 0; i < n; ++i) {
      shifted[i] = x[base + offsets[i]] - largest;
      exponential[i] = quant::pinned::exp(shifted[i]);
    }
    float sum = quant::pinned::sum(exponential.data(), n);
    float rest = logarithm ? quant::pinned::log(sum) : sum;
    for (size_t i = 0; i < n; ++i)
      storeFloat(request.out(), base + offsets[i],
                 logarithm ? shifted[i] - rest : exponential[i] / rest);
  });
  return Status::success();
}

Status tally::eval::evaluateLpNormalization(Request &request, int64_t axis,
                                            int64_t p) {
  const Tensor &in = request.in(0);
  return inFloat(in, [&](auto zero) {
    using T = decltype(zero);
    std::vector<T> x = toFloats<T>(in);
    forEachLine(in, axis, [&](int64_t base, const auto &offsets) {
      T norm = reducePinned(offsets.size(), T(0), [&](T partial, size_t i) {
        T value = x[base + offsets[i]];
        return p == 1 ? partial + std::fabs(value)
                      : std::fma(value, value, partial);
      });
      if (p == 2)
        norm = std::sqrt(norm);
      for (int64_t offset : offsets)
        storeFloat(request.out(), base + offset,
                   norm == 0 ? T(0) : x[base + offset] / norm);
    });
  });
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

namespace {
template <typename T> struct RowStatistics {
  T mean, inverse;
};
} // namespace

template <typename T>
static RowStatistics<T> statistics(const T *row, size_t n,
                                   const RowNormalization &meaning) {
  T count = static_cast<T>(n), mean = 0;
  if (meaning.centered)
    mean = reducePinned(n, T(0),
                        [&](T partial, size_t i) { return partial + row[i]; }) /
           count;
  T squares = reducePinned(n, T(0), [&](T partial, size_t i) {
    T distance = meaning.centered ? row[i] - mean : row[i];
    return std::fma(distance, distance, partial);
  });
  return {mean, T(1) / std::sqrt(squares / count + T(meaning.epsilon))};
}

template <typename T>
static void normalizeRows(Request &request, const RowNormalization &meaning) {
  std::vector<T> x = toFloats<T>(request.in(0)), scale, bias;
  if (request.has(1))
    scale = toFloats<T>(request.in(1));
  if (request.has(2))
    bias = toFloats<T>(request.in(2));
  int64_t n = meaning.rowLength, rows = n == 0 ? 0 : request.in(0).count() / n;
  for (int64_t r = 0; r < rows; ++r) {
    auto [mean, inverse] = statistics(&x[r * n], n, meaning);
    for (int64_t i = r * n; i < (r + 1) * n; ++i) {
      T y = (meaning.centered ? x[i] - mean : x[i]) * inverse;
      if (!scale.empty())
        y = y * scale[meaning.parameter(i)];
      if (!bias.empty())
        y = y + bias[meaning.parameter(i)];
      storeFloat(request.out(), i, y);
    }
    if (request.results.size() < 3)
      continue;
    storeFloat(request.out(1), r, mean);
    storeFloat(request.out(2), r, inverse);
  }
}

Status tally::eval::evaluateRowNormalization(Request &request,
                                             const RowNormalization &rows) {
  return inFloat(request.in(0), [&](auto zero) {
    normalizeRows<decltype(zero)>(request, rows);
  });
}

//===----------------------------------------------------------------------===//
// Channels
//===----------------------------------------------------------------------===//

Status tally::eval::evaluateBatchNormalization(Request &request,
                                               float epsilon) {
  const Tensor &in = request.in(0);
  return inFloat(in, [&](auto zero) {
    using T = decltype(zero);
    std::vector<T> x = toFloats<T>(in), scale = toFloats<T>(request.in(1)),
                   bias = toFloats<T>(request.in(2)),
                   mean = toFloats<T>(request.in(3)),
                   variance = toFloats<T>(request.in(4));
    for (size_t c = 0; c < scale.size(); ++c)
      scale[c] = scale[c] / std::sqrt(variance[c] + T(epsilon));
    AxisIndex channel(in.shape, in.rank() > 1 ? 1 : -1);
    for (int64_t i = 0, e = in.count(); i < e; ++i) {
      int64_t c = channel(i);
      T scaled = (x[i] - mean[c]) * scale[c];
      storeFloat(request.out(), i, scaled + bias[c]);
    }
  });
}

Status tally::eval::evaluateLrn(Request &request, const LrnMeaning &meaning) {
  const Tensor &in = request.in(0);
  if (!isFloat(in.element) || in.isQuantized() || in.element == Element::F64)
    return noMeaning(in);
  std::vector<float> x = toFloats<float>(in);
  int64_t channels = in.shape[1], inner = stridesOf(in.shape)[1];
  int64_t before = (meaning.size - 1) / 2, after = meaning.size - 1 - before;
  float ratio = meaning.alpha / static_cast<float>(meaning.size);
  for (int64_t i = 0, e = in.count(); i < e; ++i) {
    int64_t c = i / inner % channels;
    float sum = 0;
    for (int64_t k = std::max<int64_t>(c - before, 0);
         k <= std::min(c + after, channels - 1); ++k) {
      float value = x[i + (k - c) * inner];
      sum = std::fma(value, value, sum);
    }
    float scaled = ratio * sum;
    float base = scaled + meaning.bias;
    storeFloat(request.out(), i, x[i] / quant::pinned::pow(base, meaning.beta));
  }
  return Status::success();
}
