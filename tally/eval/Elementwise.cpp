//===- Elementwise.cpp - one element at a time ----------------------------===//
//
// A quantized unary operator has at most 2^16 different inputs, so each code is
// decided once and remembered; likewise each pair of codes that occurs in a
// binary one.
//
//===----------------------------------------------------------------------===//

#include "tally/eval/Elementwise.h"

#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

using namespace tally;
using namespace tally::eval;

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

static bool isPerTensor(const Tensor &tensor) {
  return tensor.isQuantized() && tensor.quant->perTensor();
}

static Status unaryCodes(Request &request, const UnaryMeaning &meaning) {
  const Tensor &in = request.in(0);
  Tensor &out = request.out();
  bool asRuntime =
      request.profile == Profile::OnnxRuntime && meaning.onnxruntime;
  if (!isPerTensor(in) || !isPerTensor(out) || !meaning.real)
    return noMeaning(in);
  auto decide = [&](int64_t code) {
    if (asRuntime)
      return onnxruntimeTableCode(meaning.onnxruntime, code, *in.quant,
                                  *out.quant);
    return roundFunction(meaning.real, realOf(*in.quant, code), *out.quant);
  };
  std::unordered_map<int64_t, int64_t> known;
  for (int64_t i = 0, e = in.count(); i < e; ++i) {
    int64_t code = loadInt(in, i);
    auto [entry, isNew] = known.try_emplace(code, 0);
    if (isNew)
      entry->second = decide(code);
    storeInt(out, i, entry->second);
  }
  return Status::success();
}

void tally::eval::requantize(const Tensor &input, Tensor &result,
                             Profile profile) {
  if (profile == Profile::OnnxRuntime) {
    for (int64_t i = 0, e = input.count(); i < e; ++i)
      storeInt(result, i,
               onnxruntimeGridChange(loadInt(input, i), *input.quant,
                                     *result.quant));
    return;
  }
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
    return unaryCodes(request, meaning);
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
  } else if (in.element == Element::U64 && meaning.unsignedInteger) {
    for (int64_t i = 0; i < count; ++i)
      out.data<uint64_t>()[i] = meaning.unsignedInteger(in.data<uint64_t>()[i]);
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

/// Whether `operand` has one element along the innermost dimension of the
/// result that is not 1 (or there is no such dimension).
static bool isInnermostScalar(const Shape &operand, const Shape &result) {
  size_t lead = result.size() - operand.size();
  for (size_t d = result.size(); d-- > 0;)
    if (result[d] != 1)
      return d < lead || operand[d - lead] == 1;
  return true;
}

namespace {
/// The real numbers of codes that occurred.
class KnownReals {
public:
  explicit KnownReals(const Quantization &grid) : grid(grid) {}

  const mpq_class &of(int64_t code) {
    auto [entry, isNew] = known.try_emplace(code);
    if (isNew)
      entry->second = realOf(grid, code);
    return entry->second;
  }

private:
  const Quantization &grid;
  std::unordered_map<int64_t, mpq_class> known;
};
} // namespace

/// What two codes become, under the request's profile.
static CodeFunction pairFunction(Request &request,
                                 const BinaryMeaning &meaning) {
  const Tensor &a = request.in(0), &b = request.in(1);
  const Tensor &out = request.out();
  if (request.profile == Profile::OnnxRuntime && meaning.onnxruntime)
    return meaning.onnxruntime({*a.quant, *b.quant, *out.quant,
                                isInnermostScalar(a.shape, out.shape)});
  GridRounder rounder(*out.quant);
  auto realA = std::make_shared<KnownReals>(*a.quant);
  auto realB = std::make_shared<KnownReals>(*b.quant);
  return [=, rational = meaning.rational](int64_t x, int64_t y) {
    return rounder.code(rational(realA->of(x), realB->of(y)));
  };
}

namespace {
/// The codes of pairs that occurred: of bytes in a table of all pairs, whose
/// megabyte is made where there are many.
class KnownPairs {
public:
  KnownPairs(const Tensor &a, const Tensor &b, int64_t count)
      : hasTable(byteSize(a.element) == 1 && byteSize(b.element) == 1 &&
                 count >= kManyPairs) {
    if (hasTable)
      table.resize(size_t(1) << 16);
  }

  int64_t codeOf(int64_t x, int64_t y, const CodeFunction &decide) {
    std::optional<int64_t> &code = at(x, y);
    if (!code)
      code = decide(x, y);
    return *code;
  }

private:
  std::optional<int64_t> &at(int64_t x, int64_t y) {
    if (hasTable)
      return table[static_cast<size_t>(static_cast<uint8_t>(x)) << 8 |
                   static_cast<uint8_t>(y)];
    return map[static_cast<uint64_t>(x) << 32 | static_cast<uint32_t>(y)];
  }

  static constexpr int64_t kManyPairs = 4096;
  bool hasTable;
  std::vector<std::optional<int64_t>> table;
  std::unordered_map<uint64_t, std::optional<int64_t>> map;
};
} // namespace

static Status binaryCodes(Request &request, const BinaryMeaning &meaning) {
  const Tensor &a = request.in(0), &b = request.in(1);
  Tensor &out = request.out();
  if (!meaning.rational || !isPerTensor(a) || !isPerTensor(b) ||
      !isPerTensor(out))
    return noMeaning(a.isQuantized() ? a : b);
  CodeFunction decide = pairFunction(request, meaning);
  KnownPairs known(a, b, out.count());
  forEachBroadcast(out.shape, a.shape, b.shape,
                   [&](int64_t i, int64_t ia, int64_t ib) {
                     int64_t x = loadInt(a, ia), y = loadInt(b, ib);
                     storeInt(out, i, known.codeOf(x, y, decide));
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
  if (a.element == Element::U64 && meaning.unsignedInteger)
    return apply([&](int64_t i, int64_t ia, int64_t ib) {
      out.data<uint64_t>()[i] = meaning.unsignedInteger(a.data<uint64_t>()[ia],
                                                        b.data<uint64_t>()[ib]);
    });
  if (!isFloat(a.element) && meaning.integer)
    return apply([&](int64_t i, int64_t ia, int64_t ib) {
      storeInt(out, i, meaning.integer(loadInt(a, ia), loadInt(b, ib)));
    });
  return noMeaning(a);
}

Status tally::eval::evaluatePReluCodes(Request &request) {
  const Tensor &in = request.in(0), &slope = request.in(1);
  Tensor &out = request.out();
  if (!isPerTensor(in) || !isPerTensor(out))
    return noMeaning(in);
  GridRounder rounder(*out.quant);
  Dyadic unit = dyadic(in.quant->scale());
  AxisIndex channel(slope.shape, slope.isQuantized() ? slope.quant->axis : -1);
  auto slopeAt = [&](int64_t i) {
    if (!slope.isQuantized())
      return dyadic(loadFloat(slope, i));
    Dyadic scale = dyadic(slope.quant->scale(channel(i)));
    int64_t steps = loadInt(slope, i) - slope.quant->zeroPoint(channel(i));
    return Dyadic{steps * scale.mantissa, scale.exponent};
  };
  forEachBroadcast(
      out.shape, in.shape, slope.shape, [&](int64_t i, int64_t ix, int64_t is) {
        int64_t steps = loadInt(in, ix) - in.quant->zeroPoint();
        Dyadic factor = steps < 0 ? slopeAt(is) : Dyadic{1, 0};
        __int128 real = (__int128)steps * unit.mantissa * factor.mantissa;
        storeInt(out, i, rounder.code(real, unit.exponent + factor.exponent));
      });
  return Status::success();
}
