//===- Evidence.cpp - what is known of elements that differ ---------------===//
//
// Cost: where our own rule gives all of the reference's codes, one more
// evaluation of the step, for exact values; else up to five.
//
//===----------------------------------------------------------------------===//

#include "tally/driver/diff/Evidence.h"
#include "tally/driver/diff/FusedKernel.h"
#include "tally/driver/tensors/Comparison.h"

#include <algorithm>
#include <cmath>

using namespace tally;
using eval::Element;
using eval::Tensor;
using report::CodeEvidence;
using report::Rule;
using report::RuleSet;

/// Rules that a reference may follow. Its fraction can be lost only where
/// codes are interpolated. onnxruntime either computes in floats, with a
/// Quantize behind, or on codes by an fp32 scale.
static RuleSet possibleRules(const EvidenceRequest &request) {
  RuleSet set = RuleSet().set();
  if (request.isOnnxRuntime && request.maker == "QuantizeLinear")
    set = report::rules({Rule::InputDiffers, Rule::FloatIsland});
  else if (request.isOnnxRuntime)
    set = report::rules({Rule::InputDiffers, Rule::TieFp32, Rule::IntegerKernel,
                         Rule::Truncation});
  if (!request.step.isInterpolation())
    set &= ~report::rules({Rule::Truncation});
  return set;
}

static std::optional<Tensor> ifAny(Result<Tensor> result) {
  return result ? std::optional(std::move(*result)) : std::nullopt;
}

/// Reals over the scale, times 2^kFineBits.
static Tensor inFineSteps(const Tensor &reals, const eval::Quantization &grid) {
  Tensor result = reals;
  result.element = Element::I64;
  result.allocate();
  eval::AxisIndex channel(result.shape, grid.axis);
  for (int64_t i = 0, e = reals.count(); i < e; ++i) {
    double steps = std::ldexp(static_cast<double>(reals.data<float>()[i]) /
                                  grid.scale(channel(i)),
                              report::kFineBits);
    result.data<int64_t>()[i] =
        std::isnan(steps)
            ? 0
            : static_cast<int64_t>(std::clamp(steps, -0x1p62, 0x1p62));
  }
  return result;
}

Evidence::Evidence(const EvidenceRequest &request)
    : ours(request.ours), expected(request.expected), local(request.local),
      channel(ours.shape, ours.quant ? ours.quant->axis : -1),
      operandsDiffer(request.operandsDiffer),
      isUnsigned(static_cast<bool>(request.isUnsigned)),
      possible(possibleRules(request)) {
  exact = ifAny(request.step.exact());
  if (compareBits(local, expected))
    computeAgain(request);
}

void Evidence::computeAgain(const EvidenceRequest &request) {
  const LocalStep &step = request.step;
  auto mayFollow = [&](Rule rule) {
    return possible[static_cast<size_t>(rule)];
  };
  if (mayFollow(Rule::FloatIsland))
    inFloat = ifAny(step.inFloat());
  if (mayFollow(Rule::FloatIsland) || mayFollow(Rule::Truncation))
    floatBound = ifAny(step.floatBound());
  if (mayFollow(Rule::TieFp32) && ours.quant)
    fp32Scale =
        ifAny(isUnsigned ? step.unsignedCodes(eval::Profile::OnnxRuntime,
                                              request.isUnsigned)
                         : step.codes(eval::Profile::OnnxRuntime));
  if (mayFollow(Rule::IntegerKernel) && ours.quant)
    integerKernel = fusedKernel(request.maker, request.value, request.tensorOf);
  if (mayFollow(Rule::DoubleRounding) && ours.quant)
    doubleRounding = ifAny(step.codes(eval::Profile::TfLite));
  bool isShown = request.shown && request.shown->element == Element::F32 &&
                 ours.quant && mayFollow(Rule::FloatIsland);
  if (isShown) {
    shown = inFineSteps(*request.shown, *ours.quant);
    shownCode = quantizedInFloat(*request.shown, ours);
  }
}

static std::optional<int64_t> at(const std::optional<Tensor> &tensor,
                                 int64_t i) {
  return tensor ? std::optional(eval::loadInt(*tensor, i)) : std::nullopt;
}

report::CodeGrid Evidence::gridAt(int64_t i) const {
  report::CodeGrid grid{0, eval::minValue(ours.element),
                        eval::maxValue(ours.element)};
  if (ours.quant)
    grid = {ours.quant->zeroPoint(channel(i)), ours.quant->qmin,
            ours.quant->qmax};
  grid.storedHigher = isUnsigned ? 128 : 0;
  return grid;
}

/// Operators that hand codes on take no grid but their own: what they give on a
/// finer one is no real. An exact value rounds to a code next to it.
static bool isExactOf(int64_t exact, int64_t local,
                      const report::CodeGrid &grid) {
  int64_t below = (exact >> report::kFineBits) + grid.zeroPoint;
  return std::clamp(below, grid.qmin, grid.qmax) <= local &&
         local <= std::clamp(below + 1, grid.qmin, grid.qmax);
}

CodeEvidence Evidence::at(int64_t i) const {
  CodeEvidence evidence;
  evidence.ours = eval::loadInt(ours, i);
  evidence.reference = eval::loadInt(expected, i);
  evidence.possible = possible;
  evidence.local = eval::loadInt(local, i);
  evidence.operandsDiffer = operandsDiffer;
  evidence.exact = ::at(exact, i);
  if (evidence.exact && !isExactOf(*evidence.exact, evidence.local, gridAt(i)))
    evidence.exact.reset();
  evidence.inFloat = ::at(inFloat, i);
  evidence.floatBound = ::at(floatBound, i);
  evidence.fp32Scale = ::at(fp32Scale, i);
  evidence.integerKernel = ::at(integerKernel, i);
  evidence.doubleRounding = ::at(doubleRounding, i);
  evidence.shown = ::at(shown, i);
  evidence.shownCode = ::at(shownCode, i);
  return evidence;
}
