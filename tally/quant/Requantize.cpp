//===- Requantize.cpp - accumulator to code, with a proof -----------------===//
//
// Idea: write y(acc) as (acc A + B) / D in whole numbers, list where it crosses
// the rounding ties (ExactAffine.h), and look for multiplier and offset that
// step at the same accumulators (FixedPointFit.h). What no such formula gets
// right is patched: a few accumulators by name, else a table of thresholds.
//
// A negative slope is solved for -acc and turned back at the end.
//
// Cost: a few microseconds for 8-bit results, about a millisecond for 16-bit
// results, whose staircase has up to 65535 steps.
//
//===----------------------------------------------------------------------===//

#include "tally/quant/Requantize.h"
#include "tally/quant/FixedPointFit.h"
#include "tally/quant/RequantizeProfiles.h"
#include "tally/quant/RequantizeStairs.h"
#include "tally/support/RealText.h"

#include <algorithm>
#include <cmath>

using namespace tally;
using namespace tally::quant;

std::string_view quant::profileName(Profile profile) {
  switch (profile) {
  case Profile::Ideal:
    return "ideal";
  case Profile::OnnxRuntime:
    return "onnxruntime";
  case Profile::TfliteDouble:
    return "tflite-double";
  case Profile::TfliteSingle:
    return "tflite-single";
  }
  return "";
}

std::optional<Profile> quant::profileFromName(std::string_view name) {
  for (Profile profile : {Profile::Ideal, Profile::OnnxRuntime,
                          Profile::TfliteDouble, Profile::TfliteSingle})
    if (profileName(profile) == name)
      return profile;
  return std::nullopt;
}

std::string_view quant::certificateName(Certificate certificate) {
  switch (certificate) {
  case Certificate::Exact:
    return "exact";
  case Certificate::ExactWithTieFix:
    return "exact with tie fix";
  case Certificate::ExactWithExceptions:
    return "exact with exceptions";
  case Certificate::ExactTable:
    return "exact table";
  case Certificate::Deviates:
    return "deviates";
  case Certificate::OtherProfile:
    return "other profile";
  }
  return "";
}

static Diagnostic broken(std::string message, const char *rule) {
  return {FailureKind::Model, std::move(message), rule, "", "", ""};
}

static Status checkScales(const RequantizeProblem &p) {
  for (float scale : {p.inputScale, p.weightScale, p.outputScale})
    if (!std::isfinite(scale) || scale <= 0)
      return broken("scale is " + shortest(scale) +
                        ", expected a finite number above 0",
                    "RQ-SCALE");
  if (!std::isfinite(p.factor))
    return broken("factor is " + shortest(p.factor) +
                      ", expected a finite number",
                  "RQ-SCALE");
  return Status::success();
}

static Status checkResult(const RequantizeProblem &p) {
  CodeType type = p.result;
  if (!type.isValid() || type.bits > 16)
    return broken("result type " + type.name() +
                      " is not an integer of 4, 8 or 16 bits",
                  "RQ-RESULT");
  int64_t lo = p.clampLo.value_or(int32_t(type.min()));
  int64_t hi = p.clampHi.value_or(int32_t(type.max()));
  for (int64_t code : {int64_t(p.zeroPoint), lo, hi})
    if (!type.contains(code))
      return broken("zero point or clamp bound " + std::to_string(code) +
                        " is no code of " + type.name(),
                    "RQ-RESULT");
  if (lo > hi)
    return broken("clamp bounds [" + std::to_string(lo) + ", " +
                      std::to_string(hi) + "] are empty",
                  "RQ-RESULT");
  return Status::success();
}

static Status check(const RequantizeProblem &p) {
  if (Status status = checkScales(p); !status)
    return status;
  if (p.divisor < 1)
    return broken("divisor is " + std::to_string(p.divisor) +
                      ", expected at least 1",
                  "RQ-DIVISOR");
  constexpr int64_t limit = int64_t(1) << 60;
  if (p.accumulatorLo > p.accumulatorHi || p.accumulatorLo <= -limit ||
      p.accumulatorHi >= limit)
    return broken("accumulator interval [" + std::to_string(p.accumulatorLo) +
                      ", " + std::to_string(p.accumulatorHi) +
                      "] is empty or wider than 2^60",
                  "RQ-RANGE");
  return checkResult(p);
}

int32_t quant::applyIdeal(const RequantizeProblem &problem, int64_t acc) {
  int64_t rounded = roundAffine(exactReal(problem), acc) + problem.zeroPoint;
  return int32_t(
      std::clamp<int64_t>(rounded, clampLoOf(problem), clampHiOf(problem)));
}

namespace {

/// Derivation of one IDEAL record.
class IdealDeriver {
public:
  IdealDeriver(const RequantizeProblem &problem, RequantizeRecord &record)
      : problem(problem), record(record), source(problem) {}

  void derive() {
    if (source.affine.slope == 0)
      return setConstant();
    stairs = source.build();
    if (auto fit = fitExactly(source.affine, stairs, problem.multiplierBits)) {
      setFormula(*fit);
      record.certificate = fit->tieWindow < 0 ? Certificate::Exact
                                              : Certificate::ExactWithTieFix;
      return;
    }
    FixedPoint fit = fitNearly(source.affine, stairs, problem.multiplierBits);
    setFormula(fit);
    patch(fit);
  }

private:
  void setConstant() {
    record.certificate = Certificate::Exact;
    record.offset = source.codeAt(0) - record.zeroPoint;
  }

  void setFormula(const FixedPoint &fit) {
    record.multiplier = source.isFlipped ? -fit.multiplier : fit.multiplier;
    record.offset = fit.offset;
    record.shift = fit.shift;
    record.tieWindow = fit.tieWindow;
  }

  void patch(const FixedPoint &fit) {
    std::vector<Range> ranges = differences(fit, stairs);
    int64_t count = countElements(ranges);
    if (!problem.canPatch) {
      record.certificate = Certificate::Deviates;
      record.deviations = listCodes(ranges, maxListedDeviations);
      record.deviationCount = count;
    } else if (count <= int64_t(maxExceptions)) {
      record.certificate = Certificate::ExactWithExceptions;
      record.exceptions = listCodes(ranges, maxExceptions);
    } else {
      setTable();
    }
  }

  /// IDEAL's codes of the first `limit` elements, sorted by accumulator.
  std::vector<AccumulatorCode> listCodes(const std::vector<Range> &ranges,
                                         size_t limit) const {
    std::vector<AccumulatorCode> codes;
    for (Range range : ranges)
      for (int64_t x = range.begin; x < range.end && codes.size() < limit; ++x)
        codes.push_back({source.isFlipped ? -x : x, source.codeAt(x)});
    if (source.isFlipped)
      std::reverse(codes.begin(), codes.end());
    return codes;
  }

  void setTable() {
    record.kind = RequantizeKind::Thresholds;
    record.certificate = Certificate::ExactTable;
    record.descending = source.isFlipped;
    record.multiplier = record.offset = record.shift = 0;
    record.tieWindow = -1;
    int64_t step = record.clampLo - record.zeroPoint + 1;
    for (; step < stairs.firstStep; ++step)
      record.thresholds.push_back(source.lo);
    for (const Crossing &crossing : stairs.crossings)
      record.thresholds.push_back(crossing.threshold(step++));
    size_t entries = size_t(record.clampHi - record.clampLo);
    record.thresholds.resize(entries, source.hi + 1);
  }

  const RequantizeProblem &problem;
  RequantizeRecord &record;
  RequantizeStairs source;
  Staircase stairs{};
};

} // namespace

Result<RequantizeRecord>
quant::deriveRequantize(const RequantizeProblem &problem) {
  if (Status status = check(problem); !status)
    return status.takeError();
  RequantizeRecord record;
  record.zeroPoint = problem.zeroPoint;
  record.clampLo = clampLoOf(problem);
  record.clampHi = clampHiOf(problem);
  if (problem.profile == Profile::Ideal) {
    IdealDeriver(problem, record).derive();
    return record;
  }
  if (Status status = deriveProfile(problem, record); !status)
    return status.takeError();
  return record;
}

static int32_t applyThresholds(const RequantizeRecord &record, int64_t acc) {
  int64_t x = record.descending ? -acc : acc;
  const auto &entries = record.thresholds;
  auto above = std::upper_bound(entries.begin(), entries.end(), x);
  return record.clampLo + int32_t(above - entries.begin());
}

static int32_t applyFixedPoint(const RequantizeRecord &record, int64_t acc) {
  auto named = std::lower_bound(
      record.exceptions.begin(), record.exceptions.end(), acc,
      [](const AccumulatorCode &e, int64_t x) { return e.accumulator < x; });
  if (named != record.exceptions.end() && named->accumulator == acc)
    return named->code;
  FixedPoint formula{record.multiplier, record.offset, record.shift,
                     record.tieWindow};
  return int32_t(std::clamp<int64_t>(formula.round(acc) + record.zeroPoint,
                                     record.clampLo, record.clampHi));
}

int32_t quant::apply(const RequantizeRecord &record, int64_t acc) {
  switch (record.kind) {
  case RequantizeKind::FixedPoint:
    return applyFixedPoint(record, acc);
  case RequantizeKind::Thresholds:
    return applyThresholds(record, acc);
  case RequantizeKind::Float:
  case RequantizeKind::TfliteDouble:
  case RequantizeKind::TfliteSingle:
    return applyProfile(record, acc);
  }
  return record.clampLo;
}
