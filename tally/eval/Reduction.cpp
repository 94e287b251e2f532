//===- Reduction.cpp - the exact meaning of reductions --------------------===//
//
// An output's terms are the same offsets from its first element everywhere, so
// both lists are made once and each kind of reduction is a function of n terms.
//
//===----------------------------------------------------------------------===//

#include "tally/eval/Reduction.h"
#include "tally/eval/Elementwise.h"
#include "tally/eval/Extreme.h"
#include "tally/eval/Requantizer.h"

#include "tally/quant/NativeMath.h"
#include "tally/quant/pinned/Sum.h"

#include <algorithm>
#include <limits>

using namespace tally;
using namespace tally::eval;
using quant::pinned::reducePinned;

/// Row-major offsets over the dimensions of `shape` that are listed.
static std::vector<int64_t> offsetsOver(std::span<const int64_t> shape,
                                        const std::vector<size_t> &dims) {
  Shape strides = stridesOf(shape);
  std::vector<int64_t> offsets = {0};
  for (size_t d : dims) {
    std::vector<int64_t> next;
    next.reserve(offsets.size() * shape[d]);
    for (int64_t offset : offsets)
      for (int64_t i = 0; i < shape[d]; ++i)
        next.push_back(offset + i * strides[d]);
    offsets = std::move(next);
  }
  return offsets;
}

ReductionOffsets::ReductionOffsets(std::span<const int64_t> shape,
                                   std::span<const int64_t> axes) {
  std::vector<size_t> kept, reduced;
  for (size_t d = 0; d < shape.size(); ++d) {
    bool isReduced = std::find(axes.begin(), axes.end(),
                               static_cast<int64_t>(d)) != axes.end();
    (isReduced ? reduced : kept).push_back(d);
  }
  outputs = offsetsOver(shape, kept);
  terms = offsetsOver(shape, reduced);
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

namespace {
/// The terms of one output: term(i), i in [0, n).
template <typename T> struct Terms {
  const std::vector<T> &values;
  const std::vector<int64_t> &offsets;
  int64_t base;

  size_t n() const { return offsets.size(); }
  T operator()(size_t i) const { return values[base + offsets[i]]; }

  template <typename Map> T sum(Map map) const {
    return reducePinned(n(), T(0), [&](T partial, size_t i) {
      return partial + map((*this)(i));
    });
  }
  T sum() const {
    return sum([](T x) { return x; });
  }
  T sumOfSquares() const {
    return reducePinned(n(), T(0), [&](T partial, size_t i) {
      return std::fma((*this)(i), (*this)(i), partial);
    });
  }
  template <typename Fn> T fold(T first, Fn fn) const {
    for (size_t i = 0; i < n(); ++i)
      first = fn(first, (*this)(i));
    return first;
  }
};
} // namespace

/// The kinds that need no transcendental function.
template <typename T>
static T reduceArithmetic(Reduction kind, const Terms<T> &terms) {
  constexpr T infinity = std::numeric_limits<T>::infinity();
  switch (kind) {
  case Reduction::Mean:
    return terms.sum() / static_cast<T>(terms.n());
  case Reduction::Max:
    return terms.fold(-infinity, maximum<T>);
  case Reduction::Min:
    return terms.fold(infinity, minimum<T>);
  case Reduction::Prod:
    return terms.fold(1, [](T a, T b) { return a * b; });
  case Reduction::L1:
    return terms.sum([](T x) { return std::fabs(x); });
  case Reduction::L2:
    return std::sqrt(terms.sumOfSquares());
  case Reduction::SumSquare:
    return terms.sumOfSquares();
  default:
    return terms.sum();
  }
}

static float reduceF32(Reduction kind, const Terms<float> &terms) {
  using namespace quant::pinned;
  if (kind == Reduction::LogSum)
    return log(terms.sum());
  if (kind != Reduction::LogSumExp)
    return reduceArithmetic(kind, terms);
  float largest = reduceArithmetic(Reduction::Max, terms);
  float shift = std::isfinite(largest) ? largest : 0.0f;
  float sum = terms.sum([&](float x) { return exp(x - shift); });
  return log(sum) + shift;
}

template <typename T, typename Fn>
static Status reduceFloats(Request &request, const ReductionOffsets &offsets,
                           Fn &&reduce) {
  std::vector<T> values = toFloats<T>(request.in(0));
  for (size_t i = 0; i < offsets.outputs.size(); ++i)
    storeFloat(request.out(), static_cast<int64_t>(i),
               reduce(Terms<T>{values, offsets.terms, offsets.outputs[i]}));
  return Status::success();
}

//===----------------------------------------------------------------------===//
// Integers and codes
//===----------------------------------------------------------------------===//

static bool isExtreme(Reduction kind) {
  return kind == Reduction::Max || kind == Reduction::Min;
}

/// One step of an integer reduction that wraps; extremes are of ordered
/// numbers.
static int64_t integerStep(Reduction kind, bool isSigned, int64_t a,
                           int64_t x) {
  auto wrap = [](uint64_t value) { return static_cast<int64_t>(value); };
  auto ux = static_cast<uint64_t>(x), ua = static_cast<uint64_t>(a);
  switch (kind) {
  case Reduction::Max:
    return std::max(a, x);
  case Reduction::Min:
    return std::min(a, x);
  case Reduction::Prod:
    return wrap(ua * ux);
  case Reduction::L1:
    return wrap(ua + (isSigned && x < 0 ? -ux : ux));
  case Reduction::SumSquare:
    return wrap(ua + ux * ux);
  default:
    return wrap(ua + ux);
  }
}

static int64_t integerStart(Reduction kind, Element element) {
  if (kind == Reduction::Max)
    return minOrdered(element);
  if (kind == Reduction::Min)
    return maxOrdered(element);
  return kind == Reduction::Prod ? 1 : 0;
}

static Status reduceIntegers(Request &request, Reduction kind,
                             const ReductionOffsets &offsets) {
  const Tensor &in = request.in(0);
  bool isMean = kind == Reduction::Mean;
  if (kind == Reduction::L2 || kind == Reduction::LogSum ||
      kind == Reduction::LogSumExp || (isMean && offsets.terms.empty()))
    return noMeaning(in);
  for (size_t i = 0; i < offsets.outputs.size(); ++i) {
    int64_t value = integerStart(kind, in.element);
    __int128 sum = 0;
    for (int64_t offset : offsets.terms) {
      int64_t at = offsets.outputs[i] + offset;
      int64_t x = isExtreme(kind) ? loadOrdered(in, at) : loadInt(in, at);
      value = integerStep(kind, isSigned(in.element), value, x);
      sum += isSigned(in.element) ? x : __int128(static_cast<uint64_t>(x));
    }
    if (isMean)
      value = static_cast<int64_t>(sum /
                                   static_cast<__int128>(offsets.terms.size()));
    auto to = static_cast<int64_t>(i);
    if (isExtreme(kind))
      storeOrdered(request.out(), to, value);
    else
      storeInt(request.out(), to, value);
  }
  return Status::success();
}

/// The order of codes is the order of reals.
static Status codeExtremes(Request &request, Reduction kind,
                           const ReductionOffsets &offsets) {
  const Tensor &in = request.in(0);
  Tensor codes = in;
  codes.shape = request.out().shape;
  codes.allocate();
  for (size_t i = 0; i < offsets.outputs.size(); ++i) {
    int64_t value = kind == Reduction::Max ? in.quant->qmin : in.quant->qmax;
    for (int64_t offset : offsets.terms)
      value = integerStep(kind, /*isSigned=*/true, value,
                          loadInt(in, offsets.outputs[i] + offset));
    storeInt(codes, static_cast<int64_t>(i), value);
  }
  requantize(codes, request.out(), request.profile);
  return Status::success();
}

static Status reduceCodes(Request &request, Reduction kind,
                          const ReductionOffsets &offsets) {
  const Tensor &in = request.in(0);
  Tensor &out = request.out();
  bool isLinear = kind == Reduction::Sum || kind == Reduction::Mean;
  if (!in.quant->perTensor() || !out.isQuantized() || !out.quant->perTensor() ||
      !(isExtreme(kind) || isLinear))
    return noMeaning(in);
  if (isExtreme(kind))
    return codeExtremes(request, kind, offsets);
  auto terms = static_cast<int64_t>(offsets.terms.size());
  bool isMean = kind == Reduction::Mean;
  int64_t divisor = isMean ? std::max<int64_t>(terms, 1) : 1;
  // No profile has a form of a sum: it is exact everywhere.
  Profile profile =
      isMean ? meanProfile(request.profile, *in.quant, terms) : Profile::Ideal;
  Requantizer requantizer(
      profile, AccumulatorMeaning{in.quant->scale(), 1, 1, divisor, {}},
      *out.quant);
  for (size_t i = 0; i < offsets.outputs.size(); ++i) {
    int64_t sum = -terms * in.quant->zeroPoint();
    for (int64_t offset : offsets.terms)
      sum += loadInt(in, offsets.outputs[i] + offset);
    storeInt(out, static_cast<int64_t>(i), requantizer.code(sum));
  }
  return Status::success();
}

Status tally::eval::evaluateReduction(Request &request, Reduction kind,
                                      std::span<const int64_t> axes) {
  const Tensor &in = request.in(0);
  ReductionOffsets offsets(in.shape, axes);
  if (in.isQuantized())
    return reduceCodes(request, kind, offsets);
  if (in.element == Element::F64) {
    if (kind == Reduction::LogSum || kind == Reduction::LogSumExp)
      return noMeaning(in);
    return reduceFloats<double>(request, offsets, [&](const auto &terms) {
      return reduceArithmetic(kind, terms);
    });
  }
  if (isFloat(in.element))
    return reduceFloats<float>(request, offsets, [&](const auto &terms) {
      return reduceF32(kind, terms);
    });
  return reduceIntegers(request, kind, offsets);
}
