//===- WindowSearch.cpp - multiples that fall into a window ---------------===//
//
// Idea, like Euclid's algorithm. The multiples of a climb until they pass m. If
// the first one at or above lo is within hi, it is the answer. Otherwise the
// window is narrower than a, and n has to go around k times: a n - m k in
// [lo, hi]. Modulo a this asks for the least k with (m k) mod a in
// [-hi mod a, -lo mod a], the same question about smaller numbers. When a is
// above m / 2 the steps are seen as going down by m - a.
//
// Example: a = 7, m = 10, window [1, 2]. Reflected: steps of 3, window [8, 9].
// The first multiple of 3 from 8 on is 9: n = 3, and 21 mod 10 = 1.
//
// Cost: one division per halving of a, so some 50 for 106-bit numbers.
//
//===----------------------------------------------------------------------===//

#include "tally/quant/WindowSearch.h"

#include <utility>

namespace tally::quant {

static __int128 ceilDiv(__int128 value, __int128 divisor) {
  return (value + divisor - 1) / divisor;
}

static __int128 negateModulo(__int128 value, __int128 m) {
  __int128 rest = value % m;
  return rest == 0 ? rest : m - rest;
}

std::optional<int64_t> firstInWindow(__int128 a, __int128 m, __int128 lo,
                                     __int128 hi, int64_t limit) {
  if (lo == 0)
    return 0;
  if (a > m - a) {
    a = m - a;
    std::swap(lo, hi);
    lo = m - lo;
    hi = m - hi;
  }
  if (a == 0)
    return std::nullopt;
  __int128 n = ceilDiv(lo, a);
  if (n * a > hi) {
    auto rounds = firstInWindow(m % a, a, negateModulo(hi, a),
                                negateModulo(lo, a), limit);
    if (!rounds)
      return std::nullopt;
    n = ceilDiv(lo + m * *rounds, a);
  }
  if (n > limit)
    return std::nullopt;
  return int64_t(n);
}

} // namespace tally::quant
