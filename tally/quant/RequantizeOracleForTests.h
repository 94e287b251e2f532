//===- RequantizeOracleForTests.h - problems in rationals ------*- C++ -*-===//
//
// What a RequantizeProblem asks for, in the tests' own rationals, and problems
// to ask.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_QUANT_REQUANTIZEORACLEFORTESTS_H
#define TALLY_QUANT_REQUANTIZEORACLEFORTESTS_H

#include "tally/quant/OracleForTests.h"
#include "tally/quant/Requantize.h"

namespace oracle {

using tally::quant::CodeType;
using tally::quant::RequantizeProblem;

inline mpq_class exact(const RequantizeProblem &p, int64_t acc) {
  mpq_class offset = mpq_class(p.offset.mantissa());
  if (p.offset.exponent() >= 0)
    offset <<= p.offset.exponent();
  else
    offset >>= -p.offset.exponent();
  mpq_class product = mpq_class(long(acc)) * mpq_class(p.inputScale) *
                      mpq_class(p.weightScale) * mpq_class(p.factor);
  return (product / mpq_class(long(p.divisor)) + offset) /
         mpq_class(p.outputScale);
}

inline int64_t oracleCode(const RequantizeProblem &p, int64_t acc) {
  int64_t lo = p.clampLo.value_or(int32_t(p.result.min()));
  int64_t hi = p.clampHi.value_or(int32_t(p.result.max()));
  return toCode(exact(p, acc), p.zeroPoint, lo, hi);
}

/// The accumulators next to each step of the oracle's staircase: floor and
/// ceiling of the solution of y(acc) = k - 1/2, one more on each side.
inline std::vector<int64_t> accumulatorsAtSteps(const RequantizeProblem &p) {
  std::vector<int64_t> places = {p.accumulatorLo, p.accumulatorHi};
  mpq_class origin = exact(p, 0), slope = exact(p, 1) - origin;
  if (slope == 0)
    return places;
  for (int64_t code = p.result.min(); code <= p.result.max() + 1; ++code) {
    if (p.result.bits == 16 && code % 17 != 0)
      continue;
    mpq_class tie = mpq_class(long(2 * (code - p.zeroPoint) - 1), 2);
    mpq_class where = (tie - origin) / slope;
    mpz_class at;
    mpz_fdiv_q(at.get_mpz_t(), where.get_num().get_mpz_t(),
               where.get_den().get_mpz_t());
    for (long delta : {-1, 0, 1, 2}) {
      mpz_class x = at + delta;
      if (x >= mpz_class(long(p.accumulatorLo)) &&
          x <= mpz_class(long(p.accumulatorHi)))
        places.push_back(x.get_si());
    }
  }
  return places;
}

inline RequantizeProblem conv(float sx, float sw, float sy, CodeType type,
                              int32_t zero, int64_t bound) {
  RequantizeProblem p;
  p.inputScale = sx;
  p.weightScale = sw;
  p.outputScale = sy;
  p.result = type;
  p.zeroPoint = zero;
  p.accumulatorLo = -bound;
  p.accumulatorHi = bound;
  return p;
}

inline std::vector<float> awkwardScales() {
  return {1.0f, 0.5f,   0x1p-7f, 0x1p-20f,  1.0f / 3,  0.1f, 1.0f / 255,
          3.0f, 1e-30f, 1e8f,    0x1p-126f, 0x1.8p-4f, 7.0f, 0.003921569f};
}

inline std::vector<int32_t> zeroPoints(CodeType type) {
  std::vector<int32_t> zeros;
  for (int64_t z : {type.min(), int64_t(-1), int64_t(0), int64_t(1),
                    int64_t(13), type.max()})
    if (type.contains(z))
      zeros.push_back(int32_t(z));
  return zeros;
}

} // namespace oracle

#endif // TALLY_QUANT_REQUANTIZEORACLEFORTESTS_H
