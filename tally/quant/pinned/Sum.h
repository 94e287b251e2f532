//===- Sum.h - the one order in which floats are added ---------*- C++ -*-===//
//
// Float addition is not associative, so a reduction needs an order. This one
// suits vectors of 4, 8 or 16 lanes alike:
//
//   p[j] = +0                                  j = 0..15
//   p[i mod 16] = p[i mod 16] + term(i)        i = 0..n-1, ascending
//   p[j] = p[j] + p[j + 8]                     j = 0..7
//   p[j] = p[j] + p[j + 4]                     j = 0..3
//   p[j] = p[j] + p[j + 2]                     j = 0..1
//   sum  = p[0] + p[1]
//
// term(i) is the i-th element in row-major order over the reduced dimensions.
// A sum of squares or of products uses p = fma(u, v, p) as its step. Since
// +0 + x = x except for x = -0, an empty or all-(-0) sum is +0. A maximum or
// minimum needs no order.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_QUANT_PINNED_SUM_H
#define TALLY_QUANT_PINNED_SUM_H

#include <array>
#include <cstddef>

namespace tally::quant::pinned {

inline constexpr size_t sumLanes = 16;

/// The tree that ends a pinned sum. V is any type with operator+.
template <class V> V sumTree(std::array<V, sumLanes> p) {
  for (size_t half = sumLanes / 2; half > 0; half /= 2)
    for (size_t j = 0; j < half; ++j)
      p[j] = p[j] + p[j + half];
  return p[0];
}

/// The pinned reduction over step(partial, i), i ascending in [0, n).
template <class V, class Step> V reducePinned(size_t n, V zero, Step step) {
  std::array<V, sumLanes> p;
  p.fill(zero);
  for (size_t i = 0; i < n; ++i)
    p[i % sumLanes] = step(p[i % sumLanes], i);
  return sumTree(p);
}

/// The pinned sum of term(i), i in [0, n).
template <class Term> float sumPinned(size_t n, Term term) {
  return reducePinned(
      n, 0.0f, [&](float partial, size_t i) { return partial + term(i); });
}

} // namespace tally::quant::pinned

#endif // TALLY_QUANT_PINNED_SUM_H
