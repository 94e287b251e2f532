//===- Elementwise.cpp - one element at a time ----------------------------===//
//
// A quantized unary operator has at most 2^16 different inputs, so each code is
// decided once and remembered. A transcendental value is computed by MPFR with
// a relative error bound; when both ends of the error interval round to the
// same code, that is the code, else the precision is doubled (Ziv's strategy).
// A value still undecided at kLastPrecision bits is an exact tie, such as
// sigmoid(0) = 1/2 on a grid of scale 1/255, and is rounded as such.
//
//===----------------------------------------------------------------------===//

#include "tally/eval/Elementwise.h"

#include <unordered_map>

using namespace tally;
using namespace tally::eval;

static constexpr mpfr_prec_t kFirstPrecision = 96;
static constexpr mpfr_prec_t kLastPrecision = 1536;

Diagnostic tally::eval::noMeaning(const Tensor &tensor) {
  Diagnostic failure;
  failure.kind = FailureKind::Unsupported;
  failure.rule = "EVAL-1";
  failure.message = std::string("the operator has no meaning on ") +
                    (tensor.isQuantized() ? "quantized " : "") +
                    name(tensor.element) + " tensors";
  return failure;
}

mpq_class tally::eval::realOf(const Quantization &grid, int64_t code,
                              int64_t channel) {
  mpq_class real(static_cast<long>(code - grid.zeroPoint(channel)));
  return real * exact(grid.scale(channel));
}

namespace {
/// RAII for one MPFR number.
struct BigFloat {
  explicit BigFloat(mpfr_prec_t precision) { mpfr_init2(value, precision); }
  ~BigFloat() { mpfr_clear(value); }
  BigFloat(const BigFloat &) = delete;
  BigFloat &operator=(const BigFloat &) = delete;
  mpq_class rational() const {
    mpq_class result;
    mpfr_get_q(result.get_mpq_t(), value);
    return result;
  }
  mpfr_t value;
};
} // namespace

static int64_t roundAt(const RealFunction &function, const mpq_class &x,
                       const GridRounder &rounder, const Quantization &grid,
                       mpfr_prec_t precision, bool &decided) {
  BigFloat input(precision + 64), result(precision);
  mpfr_set_q(input.value, x.get_mpq_t(), MPFR_RNDN);
  function.approximate(result.value, input.value);
  decided = true;
  if (mpfr_nan_p(result.value))
    return rounder.code(0, 0);
  if (mpfr_inf_p(result.value))
    return mpfr_sgn(result.value) > 0 ? grid.qmax : grid.qmin;
  // Far beyond the type's range a rational would only be slow.
  if (!mpfr_zero_p(result.value) && mpfr_get_exp(result.value) > 400)
    return mpfr_sgn(result.value) > 0 ? grid.qmax : grid.qmin;
  if (!mpfr_zero_p(result.value) && mpfr_get_exp(result.value) < -2000)
    return rounder.code(0, 0);
  mpq_class middle = result.rational();
  mpq_class error = abs(middle);
  mpq_div_2exp(error.get_mpq_t(), error.get_mpq_t(), precision - 10);
  int64_t low = rounder.code(mpq_class(middle - error));
  decided = low == rounder.code(mpq_class(middle + error));
  return decided ? low : rounder.code(middle);
}

int64_t tally::eval::roundFunction(const RealFunction &function,
                                   const mpq_class &x,
                                   const Quantization &grid) {
  GridRounder rounder(grid);
  if (function.rational)
    return rounder.code(function.rational(x));
  bool decided = false;
  for (mpfr_prec_t precision = kFirstPrecision;; precision *= 2) {
    int64_t code = roundAt(function, x, rounder, grid, precision, decided);
    if (decided)
      return code;
    if (precision >= kLastPrecision) {
      // A tie: drop the noise bits of the last approximation.
      BigFloat input(precision + 64), result(precision);
      mpfr_set_q(input.value, x.get_mpq_t(), MPFR_RNDN);
      function.approximate(result.value, input.value);
      mpfr_prec_round(result.value, precision / 2, MPFR_RNDN);
      return rounder.code(result.rational());
    }
  }
}

static Status unaryCodes(Request &request, const RealFunction &function) {
  const Tensor &in = request.in(0);
  Tensor &out = request.out();
  if (!in.quant->perTensor() || !out.isQuantized() || !out.quant->perTensor() ||
      !(function.rational || function.approximate))
    return noMeaning(in);
  std::unordered_map<int64_t, int64_t> known;
  for (int64_t i = 0, e = in.count(); i < e; ++i) {
    int64_t code = loadInt(in, i);
    auto [entry, isNew] = known.try_emplace(code, 0);
    if (isNew)
      entry->second =
          roundFunction(function, realOf(*in.quant, code), *out.quant);
    storeInt(out, i, entry->second);
  }
  return Status::success();
}

void tally::eval::requantize(const Tensor &input, Tensor &result) {
  GridRounder rounder(*result.quant);
  Dyadic scale = dyadic(input.quant->scale());
  int64_t zeroPoint = input.quant->zeroPoint();
  for (int64_t i = 0, e = input.count(); i < e; ++i) {
    __int128 steps = loadInt(input, i) - zeroPoint;
    storeInt(result, i, rounder.code(steps * scale.mantissa, scale.exponent));
  }
}

Status tally::eval::evaluateUnary(Request &request,
                                  const UnaryMeaning &meaning) {
  const Tensor &in = request.in(0);
  Tensor &out = request.out();
  int64_t count = in.count();
  if (in.isQuantized())
    return unaryCodes(request, meaning.real);
  if (in.element == Element::F64) {
    if (!meaning.f64)
      return noMeaning(in);
    for (int64_t i = 0; i < count; ++i)
      out.data<double>()[i] = meaning.f64(in.data<double>()[i]);
  } else if (isFloat(in.element)) {
    if (!meaning.f32)
      return noMeaning(in);
    for (int64_t i = 0; i < count; ++i)
      storeFloat(out, i, meaning.f32(static_cast<float>(loadFloat(in, i))));
  } else {
    if (!meaning.integer)
      return noMeaning(in);
    for (int64_t i = 0; i < count; ++i)
      storeInt(out, i, meaning.integer(loadInt(in, i)));
  }
  return Status::success();
}

/// Strides of `operand` seen through the result's dimensions; 0 where it
/// repeats.
static Shape broadcastStrides(const Shape &operand, size_t rank) {
  Shape own = stridesOf(operand), strides(rank, 0);
  size_t lead = rank - operand.size();
  for (size_t i = 0; i < operand.size(); ++i)
    strides[lead + i] = operand[i] == 1 ? 0 : own[i];
  return strides;
}

void tally::eval::forEachBroadcast(
    const Shape &result, const Shape &a, const Shape &b,
    const std::function<void(int64_t, int64_t, int64_t)> &fn) {
  size_t rank = result.size();
  Shape sa = broadcastStrides(a, rank), sb = broadcastStrides(b, rank);
  Shape index(rank, 0);
  int64_t ia = 0, ib = 0;
  for (int64_t i = 0, e = elementCount(result); i < e; ++i) {
    fn(i, ia, ib);
    for (size_t d = rank; d-- > 0;) {
      ia += sa[d];
      ib += sb[d];
      if (++index[d] < result[d])
        break;
      ia -= sa[d] * result[d];
      ib -= sb[d] * result[d];
      index[d] = 0;
    }
  }
}

static Status binaryCodes(Request &request, const BinaryMeaning &meaning) {
  const Tensor &a = request.in(0), &b = request.in(1);
  Tensor &out = request.out();
  if (!meaning.rational || !a.isQuantized() || !b.isQuantized() ||
      !out.isQuantized() || !a.quant->perTensor() || !b.quant->perTensor() ||
      !out.quant->perTensor())
    return noMeaning(a);
  GridRounder rounder(*out.quant);
  std::unordered_map<uint64_t, int64_t> known;
  forEachBroadcast(
      out.shape, a.shape, b.shape, [&](int64_t i, int64_t ia, int64_t ib) {
        int64_t x = loadInt(a, ia), y = loadInt(b, ib);
        uint64_t key =
            static_cast<uint64_t>(x) << 32 | static_cast<uint32_t>(y);
        auto [entry, isNew] = known.try_emplace(key, 0);
        if (isNew)
          entry->second = rounder.code(
              meaning.rational(realOf(*a.quant, x), realOf(*b.quant, y)));
        storeInt(out, i, entry->second);
      });
  return Status::success();
}

Status tally::eval::evaluateBinary(Request &request,
                                   const BinaryMeaning &meaning) {
  const Tensor &a = request.in(0), &b = request.in(1);
  Tensor &out = request.out();
  if (a.isQuantized() || b.isQuantized())
    return binaryCodes(request, meaning);
  auto apply = [&](auto &&element) {
    forEachBroadcast(out.shape, a.shape, b.shape, element);
    return Status::success();
  };
  if (a.element == Element::F64 && meaning.f64)
    return apply([&](int64_t i, int64_t ia, int64_t ib) {
      out.data<double>()[i] =
          meaning.f64(a.data<double>()[ia], b.data<double>()[ib]);
    });
  if (isFloat(a.element) && a.element != Element::F64 && meaning.f32)
    return apply([&](int64_t i, int64_t ia, int64_t ib) {
      storeFloat(out, i,
                 meaning.f32(static_cast<float>(loadFloat(a, ia)),
                             static_cast<float>(loadFloat(b, ib))));
    });
  if (!isFloat(a.element) && meaning.integer)
    return apply([&](int64_t i, int64_t ia, int64_t ib) {
      storeInt(out, i, meaning.integer(loadInt(a, ia), loadInt(b, ib)));
    });
  return noMeaning(a);
}
