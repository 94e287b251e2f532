//===- RequantizeExplain.cpp - why a code is what it is -------------------===//

#include "tally/quant/Requantize.h"

#include <cstdio>

using namespace tally::quant;

static std::string number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

static double exactValue(const RequantizeProblem &p, int64_t acc) {
  Dyadic real = Dyadic::ofInt(acc) * Dyadic::of(p.inputScale) *
                Dyadic::of(p.weightScale) * Dyadic::of(p.factor);
  if (p.divisor == 1)
    return (real + p.offset).approximate() / p.outputScale;
  return (real.approximate() / double(p.divisor) + p.offset.approximate()) /
         p.outputScale;
}

static std::string ruleOf(const RequantizeRecord &record) {
  switch (record.kind) {
  case RequantizeKind::FixedPoint:
    return "multiplier of " +
           std::to_string(64 - __builtin_clzll(
                                   uint64_t(std::abs(record.multiplier) | 1))) +
           " bits";
  case RequantizeKind::Thresholds:
    return "table of thresholds";
  case RequantizeKind::Float:
    return std::string("fp32 effective scale ") +
           number(record.effectiveScale) +
           (record.zeroPointBeforeRounding
                ? ", zero point added before rounding"
                : "");
  case RequantizeKind::TfliteDouble:
    return "31-bit multiplier, two roundings";
  case RequantizeKind::TfliteSingle:
    return "31-bit multiplier, one rounding half up";
  }
  return "";
}

std::string tally::quant::explain(const RequantizeProblem &problem,
                                  const RequantizeRecord &record, int64_t acc) {
  int32_t ideal = applyIdeal(problem, acc), got = apply(record, acc);
  std::string text = "accumulator " + std::to_string(acc) + " is exactly " +
                     number(exactValue(problem, acc)) +
                     " output steps: ideal code " + std::to_string(ideal);
  if (got == ideal)
    return text + ", and so by " + ruleOf(record);
  return text + ", but code " + std::to_string(got) + " by " + ruleOf(record) +
         " (" + std::string(profileName(problem.profile)) + ", " +
         std::string(certificateName(record.certificate)) + ")";
}
