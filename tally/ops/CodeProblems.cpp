//===- CodeProblems.cpp - operators on codes as exact problems ------------===//

#include "tally/ops/CodeProblems.h"

#include <algorithm>
#include <cmath>

using namespace tally;
using namespace tally::nn;

Interval tally::nn::stepRange(const eval::Quantization &grid, int64_t channel) {
  int64_t zeroPoint = grid.zeroPoint(channel);
  return {grid.qmin - zeroPoint, grid.qmax - zeroPoint};
}

Interval tally::nn::timesInterval(__int128 a, Interval b) {
  return a >= 0 ? Interval{a * b.lo, a * b.hi} : Interval{a * b.hi, a * b.lo};
}

Interval tally::nn::productSum(Interval a, Interval b, int64_t k) {
  Interval low = timesInterval(a.lo, b), high = timesInterval(a.hi, b);
  return {std::min(low.lo, high.lo) * k, std::max(low.hi, high.hi) * k};
}

BiasParts tally::nn::biasParts(const eval::Tensor &bias, int64_t element,
                               int64_t channel, float scaleA, float scaleB) {
  if (!bias.isQuantized())
    return {0, quant::Dyadic::of(eval::loadFloat(bias, element))};
  int64_t steps = eval::loadInt(bias, element) - bias.quant->zeroPoint(channel);
  float scale = bias.quant->scale(channel);
  if (scale == scaleA * scaleB)
    return {steps, {}};
  return {0, quant::Dyadic::ofInt(steps) * quant::Dyadic::of(scale)};
}

quant::CodeType tally::nn::codeType(const eval::Quantization &grid) {
  int64_t count = grid.qmax - grid.qmin + 1;
  int32_t bits = 1;
  while ((int64_t(1) << bits) < count)
    ++bits;
  return {bits, grid.qmin < 0};
}

quant::Grid tally::nn::quantGrid(const eval::Quantization &grid) {
  return quant::Grid::perTensor(codeType(grid), grid.scale(),
                                static_cast<int32_t>(grid.zeroPoint()));
}

void tally::nn::setResult(quant::RequantizeProblem &problem,
                          const eval::Quantization &grid) {
  problem.outputScale = grid.scale();
  problem.result = codeType(grid);
  problem.zeroPoint = static_cast<int32_t>(grid.zeroPoint());
  problem.clampLo = static_cast<int32_t>(grid.qmin);
  problem.clampHi = static_cast<int32_t>(grid.qmax);
}

int64_t tally::nn::codeOfReal(float value, const eval::Quantization &grid) {
  if (std::isnan(value))
    return grid.qmin;
  if (std::isinf(value))
    return value > 0 ? grid.qmax : grid.qmin;
  if (value == 0)
    return grid.zeroPoint();
  // The code of one step of size |value|, up or down.
  quant::RequantizeProblem problem;
  problem.inputScale = std::fabs(value);
  setResult(problem, grid);
  return quant::applyIdeal(problem, value > 0 ? 1 : -1);
}

static quant::LinearTerm linearTerm(const eval::Quantization &grid) {
  return {codeType(grid), grid.scale(), static_cast<int32_t>(grid.zeroPoint())};
}

quant::LinearProblem tally::nn::linearProblem(const eval::Quantization &a,
                                              const eval::Quantization &b,
                                              const eval::Quantization &result,
                                              bool subtract) {
  quant::LinearProblem problem;
  problem.a = linearTerm(a);
  problem.b = linearTerm(b);
  problem.subtract = subtract;
  problem.outputScale = result.scale();
  problem.result = codeType(result);
  problem.zeroPoint = static_cast<int32_t>(result.zeroPoint());
  problem.clampLo = static_cast<int32_t>(result.qmin);
  problem.clampHi = static_cast<int32_t>(result.qmax);
  return problem;
}

quant::RequantizeProblem
tally::nn::productProblem(const eval::Quantization &a,
                          const eval::Quantization &b,
                          const eval::Quantization &result) {
  Interval bound = productSum(stepRange(a), stepRange(b), 1);
  quant::RequantizeProblem problem;
  problem.inputScale = a.scale();
  problem.weightScale = b.scale();
  problem.accumulatorLo = static_cast<int64_t>(bound.lo);
  problem.accumulatorHi = static_cast<int64_t>(bound.hi);
  setResult(problem, result);
  return problem;
}
