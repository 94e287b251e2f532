//===- ChannelParameters.cpp - what products need by channel --------------===//
//
// The exact interval of a channel's sum says which record is proved: weights
// above and below zero are added up apart, each times the input's interval.
//
// Example: weights 3, -2, 4 and inputs in [-1, 10] give 7 [-1, 10] - 2 [-1, 10]
// = [-27, 72].
//
// Cost: once for every weight, and a proof for each channel.
//
//===----------------------------------------------------------------------===//

#include "tally/schedule/lower/Product.h"

using namespace mlir;
using namespace tally;
using namespace tally::schedule;

/// The exact interval of a channel's sum.
static nn::Interval sumOf(const Product &p, int64_t channel,
                          nn::Interval steps) {
  int64_t group = channel / p.columns, column = channel % p.columns;
  if (p.right)
    return nn::productSum(nn::stepRange(*p.weight.quant), steps, p.terms());
  int64_t zero = p.weight.quant->zeroPoint(p.weightChannel(channel));
  int64_t above = 0, below = 0;
  for (int64_t term = 0; term < p.terms(); ++term) {
    int64_t factor =
        eval::loadInt(p.weight, p.weightElement(group, term, column)) - zero;
    (factor > 0 ? above : below) += factor;
  }
  nn::Interval positive = nn::timesInterval(above, steps),
               negative = nn::timesInterval(below, steps);
  return {positive.lo + negative.lo, positive.hi + negative.hi};
}

/// Bias and record of each channel.
static Result<ChannelParameters> deriveParameters(
    Scheduler &s, const Product &p, const eval::Quantization &input,
    const eval::Quantization &result,
    llvm::function_ref<nn::BiasParts(int64_t)> biasOf, float factor) {
  nn::Interval steps = nn::stepRange(input);
  ChannelParameters parameters;
  for (int64_t channel = 0; channel < p.groups * p.columns; ++channel) {
    nn::BiasParts bias = biasOf(channel);
    nn::Interval sum = sumOf(p, channel, steps);
    nn::Interval total = sum + bias.units;
    if (std::min(sum.lo, total.lo) < INT32_MIN ||
        std::max(sum.hi, total.hi) > INT32_MAX || bias.units < INT32_MIN ||
        bias.units > INT32_MAX)
      return s.unsupported("sums beyond 32 bits");
    tally::quant::RequantizeProblem problem;
    problem.inputScale = input.scale();
    problem.weightScale = p.weight.quant->scale(p.weightChannel(channel));
    problem.factor = factor;
    problem.offset = bias.real;
    problem.accumulatorLo = int64_t(total.lo);
    problem.accumulatorHi = int64_t(total.hi);
    nn::setResult(problem, result);
    auto record = unitRecord(s, problem);
    if (!record)
      return record.takeError();
    parameters.bias.push_back(int32_t(bias.units));
    parameters.records.push_back(std::move(*record));
  }
  return parameters;
}

Status
tally::schedule::fillRecords(Scheduler &s, const Product &p,
                             const eval::Quantization &input,
                             const eval::Quantization &result,
                             llvm::function_ref<nn::BiasParts(int64_t)> biasOf,
                             float factor, Epilogue &epilogue) {
  KnownParameters mine;
  KnownParameters &known = s.known ? *s.known : mine;
  auto [entry, isNew] = known.try_emplace({p.anchor, p.number});
  if (isNew) {
    auto derived = deriveParameters(s, p, input, result, biasOf, factor);
    if (!derived) {
      known.erase(entry);
      return derived.takeError();
    }
    entry->second = std::move(*derived);
  }
  epilogue.lowest = int32_t(result.qmin);
  epilogue.bias = entry->second.bias;
  epilogue.records = entry->second.records;
  return Status::success();
}
