//===- OracleForTests.h - IDEAL once more, in plain rationals --*- C++ -*-===//
//
// The tests' own statement of the arithmetic, in GMP rationals. It shares no
// code with the library that it judges.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_QUANT_ORACLEFORTESTS_H
#define TALLY_QUANT_ORACLEFORTESTS_H

#include <gmpxx.h>

#include <cstdint>
#include <vector>

namespace oracle {

/// Nearest integer, ties to even, from the two integers around the value.
inline mpz_class roundHalfEven(const mpq_class &value) {
  mpz_class below;
  mpz_fdiv_q(below.get_mpz_t(), value.get_num().get_mpz_t(),
             value.get_den().get_mpz_t());
  mpq_class fraction = value - below;
  if (fraction < mpq_class(1, 2))
    return below;
  if (fraction > mpq_class(1, 2))
    return below + 1;
  return below % 2 == 0 ? below : mpz_class(below + 1);
}

inline int64_t toCode(const mpq_class &real, int64_t zero, int64_t lo,
                      int64_t hi) {
  mpz_class code = roundHalfEven(real) + long(zero);
  if (code < long(lo))
    return lo;
  if (code > long(hi))
    return hi;
  return code.get_si();
}

/// A small deterministic generator (splitmix64).
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}
  uint64_t next() {
    uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  int64_t within(int64_t lo, int64_t hi) {            // inclusive
    uint64_t count = uint64_t(hi) - uint64_t(lo) + 1; // 0: all of int64
    return int64_t(uint64_t(lo) + (count ? next() % count : next()));
  }
  double unit() { return double(next() >> 11) * 0x1p-53; }
  template <class T> T pick(const std::vector<T> &from) {
    return from[size_t(within(0, int64_t(from.size()) - 1))];
  }

private:
  uint64_t state;
};

} // namespace oracle

#endif // TALLY_QUANT_ORACLEFORTESTS_H
