//===- LinearCombine.cpp - sums and differences of codes ------------------===//
//
// Checks, the parts that both derivations share, and the meaning of a record.
//
//===----------------------------------------------------------------------===//

#include "tally/quant/LinearCombine.h"
#include "tally/quant/FixedPointFit.h"
#include "tally/quant/LinearDerive.h"
#include "tally/quant/RequantizeProfiles.h"
#include "tally/support/RealText.h"

#include <algorithm>
#include <cmath>

using namespace tally;
using namespace tally::quant;

ExactPair quant::exactPair(const LinearProblem &p) {
  ExactAffine<mpz_class> both = makeAffine(
      Dyadic::of(p.a.scale), Dyadic::of(p.b.scale), p.outputScale, 1);
  mpz_class slopeB = p.subtract ? mpz_class(-both.addend) : both.addend;
  return {both.slope, slopeB, both.denominator};
}

Interval quant::operandRange(const LinearTerm &term) {
  return {term.type.min() - term.zeroPoint, term.type.max() - term.zeroPoint};
}

static int64_t scaledSlope(const mpz_class &slope, const ExactPair &exact,
                           int32_t shift) {
  return roundHalfEven(mpz_class(slope << shift), exact.denominator).get_si();
}

PairMultipliers quant::chooseMultipliers(const LinearProblem &problem,
                                         const ExactPair &exact) {
  mpz_class span = abs(exact.slopeA) * long(operandRange(problem.a).largest()) +
                   abs(exact.slopeB) * long(operandRange(problem.b).largest());
  int32_t reach = bitWidth(span) - bitWidth(exact.denominator) + 1;
  int32_t shift = std::min(60 - reach, 60 - problem.result.bits - 2);
  mpz_class steepest =
      std::max(mpz_class(abs(exact.slopeA)), mpz_class(abs(exact.slopeB)));
  // Below 2^bits whatever the rounding to an integer adds.
  shift = std::min(shift, problem.multiplierBits - 1 - bitWidth(steepest) +
                              bitWidth(exact.denominator));
  if (shift < 0)
    return {};
  return {scaledSlope(exact.slopeA, exact, shift),
          scaledSlope(exact.slopeB, exact, shift), shift};
}

void quant::setFormula(const LinearProblem &problem, LinearRecord &record,
                       const PairMultipliers &m, int64_t offset,
                       int64_t tieWindow, Certificate certificate) {
  record.kind = LinearKind::FixedPoint;
  record.certificate = certificate;
  record.multiplierA = m.a;
  record.multiplierB = m.b;
  record.offset =
      offset - problem.a.zeroPoint * m.a - problem.b.zeroPoint * m.b;
  record.shift = m.shift;
  record.tieWindow = tieWindow;
}

int32_t quant::codeOf(const LinearRecord &record, int64_t rounded) {
  return int32_t(std::clamp<int64_t>(rounded + record.zeroPoint, record.clampLo,
                                     record.clampHi));
}

int32_t quant::applyFormula(const LinearRecord &record, int32_t a, int32_t b) {
  int64_t v = a * record.multiplierA + b * record.multiplierB + record.offset;
  FixedPoint rest{1, 0, record.shift, record.tieWindow};
  return codeOf(record, rest.round(v));
}

static int32_t clampLoOf(const LinearProblem &p) {
  return p.clampLo.value_or(int32_t(p.result.min()));
}
static int32_t clampHiOf(const LinearProblem &p) {
  return p.clampHi.value_or(int32_t(p.result.max()));
}

int32_t quant::applyIdeal(const LinearProblem &p, int32_t a, int32_t b) {
  auto affine = exactPair(p).fixA(int64_t(a) - p.a.zeroPoint);
  int64_t rounded = roundAffine(affine, int64_t(b) - p.b.zeroPoint);
  return int32_t(
      std::clamp<int64_t>(rounded + p.zeroPoint, clampLoOf(p), clampHiOf(p)));
}

static Diagnostic broken(std::string message, const char *rule,
                         FailureKind kind = FailureKind::Model) {
  return {kind, std::move(message), rule, "", "", ""};
}

static Status checkOperand(const LinearTerm &term) {
  if (!term.type.isValid() || term.type.bits > 16 ||
      !term.type.contains(term.zeroPoint))
    return broken("operand of type " + term.type.name() + " with zero point " +
                      std::to_string(term.zeroPoint) +
                      ", expected at most 16 bits and a code",
                  "RQ-OPERAND");
  return Status::success();
}

static Status check(const LinearProblem &p) {
  for (float scale : {p.a.scale, p.b.scale, p.outputScale})
    if (!std::isfinite(scale) || scale <= 0)
      return broken("scale is " + shortest(scale) +
                        ", expected a finite number above 0",
                    "RQ-SCALE");
  for (const LinearTerm *term : {&p.a, &p.b})
    if (Status status = checkOperand(*term); !status)
      return status;
  bool isResult =
      p.result.isValid() && p.result.bits <= 16 &&
      p.result.contains(p.zeroPoint) && p.result.contains(clampLoOf(p)) &&
      p.result.contains(clampHiOf(p)) && clampLoOf(p) <= clampHiOf(p);
  if (!isResult)
    return broken("result type " + p.result.name() + " with zero point " +
                      std::to_string(p.zeroPoint) + " and clamp [" +
                      std::to_string(clampLoOf(p)) + ", " +
                      std::to_string(clampHiOf(p)) +
                      "], expected at most 16 bits and codes of the type",
                  "RQ-RESULT");
  return Status::success();
}

static Status deriveFloat(const LinearProblem &p, LinearRecord &record) {
  if (p.profile != Profile::OnnxRuntime || p.subtract)
    return broken("a " + std::string(p.subtract ? "difference" : "sum") +
                      " of codes has no form in the " +
                      std::string(profileName(p.profile)) + " profile",
                  "RQ-PROFILE", FailureKind::Unsupported);
  record.kind = LinearKind::Float;
  record.certificate = Certificate::OtherProfile;
  record.ratioA = p.a.scale / p.outputScale;
  record.ratioB = p.b.scale / p.outputScale;
  float zeroA = float(p.a.zeroPoint), zeroB = float(p.b.zeroPoint);
  float zeros = p.scalarA
                    ? std::fma(record.ratioB, zeroB, record.ratioA * zeroA)
                    : std::fma(record.ratioA, zeroA, record.ratioB * zeroB);
  record.constant = float(p.zeroPoint) - zeros;
  record.scalarA = p.scalarA;
  return Status::success();
}

Result<LinearRecord> quant::deriveLinear(const LinearProblem &problem) {
  if (Status status = check(problem); !status)
    return status.takeError();
  LinearRecord record;
  record.zeroPoint = problem.zeroPoint;
  record.clampLo = clampLoOf(problem);
  record.clampHi = clampHiOf(problem);
  record.typeA = problem.a.type;
  record.typeB = problem.b.type;
  bool isWide = problem.a.type.bits > 8 || problem.b.type.bits > 8;
  Status status;
  if (problem.profile != Profile::Ideal)
    status = deriveFloat(problem, record);
  else if (isWide)
    status = deriveWide(problem, record);
  else
    deriveNarrow(problem, record);
  if (!status)
    return status.takeError();
  return record;
}

static int32_t applyFloat(const LinearRecord &record, int32_t a, int32_t b) {
  auto addA = [&](float sum) { return std::fma(float(a), record.ratioA, sum); };
  auto addB = [&](float sum) { return std::fma(float(b), record.ratioB, sum); };
  float sum = record.scalarA ? addB(addA(record.constant))
                             : addA(addB(record.constant));
  return std::clamp(convertLikeX86(sum), record.clampLo, record.clampHi);
}

static int32_t applyFixedPoint(const LinearRecord &record, int32_t a,
                               int32_t b) {
  auto isBefore = [](const CodePair &e, std::pair<int32_t, int32_t> key) {
    return std::pair(e.a, e.b) < key;
  };
  auto named =
      std::lower_bound(record.exceptions.begin(), record.exceptions.end(),
                       std::pair(a, b), isBefore);
  if (named != record.exceptions.end() && named->a == a && named->b == b)
    return named->code;
  return applyFormula(record, a, b);
}

int32_t quant::apply(const LinearRecord &record, int32_t a, int32_t b) {
  switch (record.kind) {
  case LinearKind::FixedPoint:
    return applyFixedPoint(record, a, b);
  case LinearKind::Table:
    return record.table[record.typeA.rawBits(a) * size_t(record.typeB.count()) +
                        record.typeB.rawBits(b)];
  case LinearKind::Float:
    return applyFloat(record, a, b);
  }
  return record.clampLo;
}
