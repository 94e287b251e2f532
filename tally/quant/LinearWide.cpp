//===- LinearWide.cpp - sums of 16-bit codes ------------------------------===//
//
// Idea: 2^32 pairs are too many to compare. The formula is off by at most E in
// units of 2^-shift, so it can only be wrong where 2 (u A + w B) + D comes
// within that distance of a multiple of 2D. Such residues are multiples of
// g = gcd(2A, 2B, 2D) plus a constant. When the nearest nonzero one is farther
// away, nothing is wrong (the gap bound). Otherwise the pairs near a multiple
// are found for each u by firstInWindow and checked one by one.
//
// Example: scales 1, 1 and output 2 (A = B = 1, D = 2): residues of
// 2 (u + w) + 2 mod 4 are 0 (ties) or 2, which is half a step away, far more
// than E 2^-shift = 2^-28: ties get a window of 2E, all else is right.
//
// Cost: nothing for the gap bound; else 65536 searches, some 0.1 s.
//
//===----------------------------------------------------------------------===//

#include "tally/quant/LinearDerive.h"
#include "tally/quant/WindowSearch.h"
#include "tally/support/RealText.h"

using namespace tally;
using namespace tally::quant;

namespace {

class WideDeriver {
public:
  WideDeriver(const LinearProblem &problem, LinearRecord &record)
      : problem(problem), record(record), exact(exactPair(problem)),
        multipliers(chooseMultipliers(problem, exact)),
        rangeA(operandRange(problem.a)), rangeB(operandRange(problem.b)) {
    error = (rangeA.largest() + rangeB.largest()) / 2 + 1;
    modulus = exact.denominator * 2;
  }

  Status derive() {
    int32_t shift = multipliers.shift;
    if (shift < 0 || 4 * error >= int64_t(1) << shift)
      return tooSpread();
    if (proveByGap())
      return Status::success();
    return searchNearTies();
  }

private:
  bool proveByGap() {
    mpz_class gcd;
    mpz_gcd(gcd.get_mpz_t(), exact.slopeA.get_mpz_t(),
            exact.slopeB.get_mpz_t());
    gcd *= 2;
    mpz_gcd(gcd.get_mpz_t(), gcd.get_mpz_t(), modulus.get_mpz_t());
    mpz_class residue = exact.denominator % gcd;
    mpz_class other = gcd - residue;
    mpz_class nearest = residue == 0 || other < residue ? other : residue;
    bool hasTies = residue == 0;
    // A tie window of 2 E needs the others to be farther away than 2 E.
    mpz_class needed = modulus * long(hasTies ? 2 * error : error);
    if ((nearest << multipliers.shift) <= needed)
      return false;
    set(hasTies, hasTies ? Certificate::ExactWithTieFix : Certificate::Exact);
    return true;
  }

  void set(bool hasTies, Certificate certificate) {
    int64_t lift = hasTies ? error : 0;
    setFormula(problem, record, multipliers, multipliers.half() + lift,
               hasTies ? 2 * error : -1, certificate);
  }

  /// Checks every pair whose y is within 2 E of a tie.
  Status searchNearTies() {
    if (bitWidth(modulus) > 105)
      return tooSpread();
    reach = ((modulus * 2 * long(error)) >> multipliers.shift) + 1;
    for (int64_t u = rangeA.lo; u <= rangeA.hi; ++u)
      if (!searchRow(u))
        return tooSpread();
    set(hasTies, Certificate::ExactWithExceptions);
    for (auto [u, w] : nearTies)
      nameIfWrong(u, w);
    if (record.exceptions.size() > maxPairExceptions)
      return tooSpread();
    if (record.exceptions.empty())
      record.certificate =
          hasTies ? Certificate::ExactWithTieFix : Certificate::Exact;
    return Status::success();
  }

  /// Appends the pairs of row u whose residue is within `reach` of 0; false
  /// when there are too many.
  bool searchRow(int64_t u) {
    constexpr size_t mostCandidates = size_t(1) << 16;
    __int128 m = toInt128(modulus), width = toInt128(reach) * 2;
    __int128 step = toInt128(floorModulo(exact.slopeB * 2));
    for (int64_t w = rangeB.lo; w <= rangeB.hi; ++w) {
      mpz_class here = (exact.slopeA * long(u) + exact.slopeB * long(w)) * 2 +
                       exact.denominator;
      // (here + step n) mod m in [-reach, reach], shifted to start at `here`.
      __int128 from = toInt128(floorModulo(-reach - here));
      __int128 to = from + width;
      std::optional<int64_t> n = 0;
      if (to < m)
        n = firstInWindow(step, m, from, to, rangeB.hi - w);
      if (!n)
        return true;
      w += *n;
      if (w > rangeB.hi)
        return true;
      nearTies.push_back({u, w});
      hasTies |= isTie(u, w);
      if (nearTies.size() > mostCandidates)
        return false;
    }
    return true;
  }

  bool isTie(int64_t u, int64_t w) const {
    mpz_class residue = (exact.slopeA * long(u) + exact.slopeB * long(w)) * 2 +
                        exact.denominator;
    return mpz_divisible_p(residue.get_mpz_t(), modulus.get_mpz_t());
  }

  void nameIfWrong(int64_t u, int64_t w) {
    int32_t a = int32_t(u + problem.a.zeroPoint);
    int32_t b = int32_t(w + problem.b.zeroPoint);
    int32_t code = codeOf(record, roundAffine(exact.fixA(u), w));
    if (applyFormula(record, a, b) != code)
      record.exceptions.push_back({a, b, code});
  }

  mpz_class floorModulo(const mpz_class &value) const {
    mpz_class rest;
    mpz_fdiv_r(rest.get_mpz_t(), value.get_mpz_t(), modulus.get_mpz_t());
    return rest;
  }

  Diagnostic tooSpread() const {
    return {FailureKind::Unsupported,
            "scales " + shortest(problem.a.scale) + ", " +
                shortest(problem.b.scale) + " and " +
                shortest(problem.outputScale) +
                " are too far apart for an exact sum of 16-bit codes",
            "RQ-SPREAD",
            "",
            "",
            "quantize the operands and the result on closer grids"};
  }

  const LinearProblem &problem;
  LinearRecord &record;
  ExactPair exact;
  PairMultipliers multipliers;
  Interval rangeA, rangeB;
  int64_t error;     ///< E above, in units of 2^-shift
  mpz_class modulus; ///< 2 D
  mpz_class reach;
  bool hasTies = false;
  std::vector<std::pair<int64_t, int64_t>> nearTies; ///< sorted (u, w)
};

} // namespace

Status tally::quant::deriveWide(const LinearProblem &problem,
                                LinearRecord &record) {
  return WideDeriver(problem, record).derive();
}
