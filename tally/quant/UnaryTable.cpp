//===- UnaryTable.cpp - exact tables of unary functions -------------------===//
//
// One entry per raw code. Each entry is the exact real x of its code, f(x)
// as a rational or with enough bits, one rounding, the zero point, saturation.
//
// Cost: about 2 us per entry: 1 ms for 8-bit inputs, 0.2 s for 16-bit ones.
//
//===----------------------------------------------------------------------===//

#include "tally/quant/UnaryTable.h"
#include "tally/quant/NativeMath.h"
#include "tally/quant/UnaryExact.h"

#include <algorithm>
#include <cmath>

using namespace tally;
using namespace tally::quant;

std::string_view quant::unaryName(UnaryKind kind) {
  static constexpr std::string_view names[] = {
      "Identity",    "Abs",       "Neg",
      "Sign",        "Relu",      "Clip",
      "LeakyRelu",   "PRelu",     "ThresholdedRelu",
      "HardSigmoid", "HardSwish", "Sigmoid",
      "Swish",       "Tanh",      "GeluErf",
      "GeluTanh",    "Elu",       "Selu",
      "Celu",        "Softplus",  "Softsign",
      "Mish",        "Exp",       "Log",
      "Sqrt",        "Rsqrt",     "Reciprocal",
      "Floor",       "Ceil",      "Round",
      "Erf",         "Sin",       "Cos",
      "Square",      "Pow"};
  static_assert(std::size(names) == size_t(UnaryKind::Pow) + 1);
  return names[size_t(kind)];
}

static Diagnostic broken(const UnaryFunction &function, std::string what,
                         const char *rule,
                         FailureKind kind = FailureKind::Model) {
  return {kind, std::string(unaryName(function.kind)) + ": " + std::move(what),
          rule, "",
          "",   ""};
}

static Status checkGrid(const UnaryFunction &function, const Grid &grid,
                        const char *role) {
  if (Status status = validate(grid); !status)
    return status;
  if (grid.isPerAxis())
    return broken(function,
                  std::string(role) + " grid is per axis, expected "
                                      "one scale",
                  "UN-GRID");
  if (grid.type.bits > 16)
    return broken(function,
                  std::string(role) + " type " + grid.type.name() +
                      " has more than 16 bits",
                  "UN-GRID");
  return Status::success();
}

static Status checkParameters(const UnaryFunction &function) {
  bool isClip = function.kind == UnaryKind::Clip;
  for (float parameter : {function.p, function.q})
    if (std::isnan(parameter) || (std::isinf(parameter) && !isClip))
      return broken(function,
                    "parameter is " + std::to_string(parameter) +
                        ", expected a finite number",
                    "UN-PARAM");
  if (function.kind == UnaryKind::Celu && function.p == 0)
    return broken(function, "alpha is 0, by which the formula divides",
                  "UN-PARAM");
  return Status::success();
}

static Status check(const UnaryFunction &function, const Grid &input,
                    const Grid &result) {
  if (Status status = checkGrid(function, input, "input"); !status)
    return status;
  if (Status status = checkGrid(function, result, "result"); !status)
    return status;
  return checkParameters(function);
}

namespace {

/// Codes of one function between two grids that have been checked.
class CodeMap {
public:
  CodeMap(const UnaryFunction &function, const Grid &input, const Grid &result)
      : function(function), inputScale(input.scale()),
        inputZero(input.zeroPoint()), type(result.type), scale(result.scale()),
        zero(result.zeroPoint()) {}

  Result<int32_t> at(int64_t code) const {
    mpq_class x = inputScale * mpq_class(long(code - inputZero));
    if (auto value = rationalValue(function, x)) {
      if (auto *none = std::get_if<NoValue>(&*value))
        return codeWithoutValue(*none);
      mpq_class steps = std::get<mpq_class>(*value) / scale;
      return saturate(roundHalfEven(steps.get_num(), steps.get_den()));
    }
    if (auto rounded = roundIrrational(function, x, scale))
      return saturate(mpz_class(long(*rounded)));
    return broken(function,
                  "code " + std::to_string(code) +
                      " is undecided with 65536 bits",
                  "UN-DECIDE", FailureKind::Internal);
  }

private:
  int32_t codeWithoutValue(NoValue none) const {
    switch (none) {
    case NoValue::Lowest:
      return int32_t(type.min());
    case NoValue::Highest:
      return int32_t(type.max());
    case NoValue::RealZero:
      return zero;
    }
    return zero;
  }

  int32_t saturate(const mpz_class &rounded) const {
    mpz_class code = rounded + zero;
    if (code < long(type.min()))
      return int32_t(type.min());
    if (code > long(type.max()))
      return int32_t(type.max());
    return int32_t(code.get_si());
  }

  UnaryFunction function;
  mpq_class inputScale;
  int32_t inputZero;
  CodeType type;
  mpq_class scale;
  int32_t zero;
};

} // namespace

Result<int32_t> quant::applyUnaryIdeal(const UnaryFunction &function,
                                       const Grid &input, const Grid &result,
                                       int64_t code) {
  if (Status status = check(function, input, result); !status)
    return status.takeError();
  return CodeMap(function, input, result).at(code);
}

bool quant::hasOnnxRuntimeTable(UnaryKind kind) {
  return kind == UnaryKind::Identity || kind == UnaryKind::LeakyRelu ||
         kind == UnaryKind::Sigmoid;
}

/// fp32 from code to code as onnxruntime's table builder does it.
static int32_t onnxRuntimeCode(const UnaryFunction &function, const Grid &input,
                               const Grid &result, int64_t code) {
  if (function.kind == UnaryKind::Identity && input == result)
    return static_cast<int32_t>(code); // copied, with whatever reals
  float x = float(code - input.zeroPoint()) * input.scale();
  float y = x;
  if (function.kind == UnaryKind::Sigmoid)
    y = pinned::sigmoid(x);
  else if (function.kind == UnaryKind::LeakyRelu && x < 0)
    y = function.p * x;
  float lo = float(result.type.min() - result.zeroPoint());
  float hi = float(result.type.max() - result.zeroPoint());
  // A NaN (slope 0 times infinity) loses both comparisons and becomes lo.
  float steps = std::min(std::max(lo, y / result.scale()), hi);
  return int32_t(std::nearbyint(steps)) + result.zeroPoint();
}

static Result<UnaryTable> buildOnnxRuntime(const UnaryFunction &function,
                                           const Grid &input,
                                           const Grid &result) {
  if (!hasOnnxRuntimeTable(function.kind))
    return broken(function, "has no table in the onnxruntime profile",
                  "UN-PROFILE", FailureKind::Unsupported);
  UnaryTable table{input.type, result.type, {}};
  for (uint32_t raw = 0; raw < input.type.count(); ++raw)
    table.codes.push_back(
        onnxRuntimeCode(function, input, result, input.type.fromRawBits(raw)));
  return table;
}

static Result<UnaryTable> buildIdeal(const UnaryFunction &function,
                                     const Grid &input, const Grid &result) {
  CodeMap map(function, input, result);
  UnaryTable table{input.type, result.type, {}};
  table.codes.reserve(size_t(input.type.count()));
  for (uint32_t raw = 0; raw < input.type.count(); ++raw) {
    Result<int32_t> code = map.at(input.type.fromRawBits(raw));
    if (!code)
      return code.takeError();
    table.codes.push_back(*code);
  }
  return table;
}

Result<UnaryTable> quant::buildUnaryTable(const UnaryFunction &function,
                                          const Grid &input, const Grid &result,
                                          Profile profile) {
  if (Status status = check(function, input, result); !status)
    return status.takeError();
  switch (profile) {
  case Profile::Ideal:
    return buildIdeal(function, input, result);
  case Profile::OnnxRuntime:
    return buildOnnxRuntime(function, input, result);
  case Profile::TfliteDouble:
  case Profile::TfliteSingle:
    break;
  }
  return broken(function, "has no table in the tflite profiles", "UN-PROFILE",
                FailureKind::Unsupported);
}
