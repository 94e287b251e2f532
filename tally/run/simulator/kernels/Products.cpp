//===- Products.cpp - sums of products of codes ---------------------------===//
//
// Both operands have the terms of a sum side by side, so that the inner loop is
// the multiply-and-add-pairs instruction of 16-bit integers that every vector
// unit has. Runs of terms are summed in 32 bits and runs in 64. Four columns at
// a time share each load of a patch.
//
//===----------------------------------------------------------------------===//

#include "tally/run/simulator/kernels/Products.h"

#include <algorithm>

#if defined(__x86_64__) && defined(__ELF__)
#define TALLY_FOR_EACH_CPU                                                     \
  __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define TALLY_FOR_EACH_CPU
#endif

template <int Columns>
static inline __attribute__((always_inline)) void
addRun(const int16_t *__restrict x, const int16_t *__restrict w, int64_t terms,
       int64_t begin, int64_t end, int64_t *__restrict sums) {
  int32_t partial[Columns] = {};
  for (int64_t k = begin; k < end; ++k)
    for (int n = 0; n < Columns; ++n)
      partial[n] += int32_t(x[k]) * w[n * terms + k];
  for (int n = 0; n < Columns; ++n)
    sums[n] += partial[n];
}

TALLY_FOR_EACH_CPU
void tally::simulator::addProducts(const int16_t *x, const int16_t *w,
                                   int64_t pixels, int64_t columns,
                                   int64_t terms, int64_t run, int64_t *sums) {
  for (int64_t begin = 0; begin < terms; begin += run) {
    int64_t end = std::min(terms, begin + run);
    for (int64_t p = 0; p < pixels; ++p) {
      const int16_t *row = x + p * terms;
      int64_t *to = sums + p * columns;
      int64_t n = 0;
      for (; n + 4 <= columns; n += 4)
        addRun<4>(row, w + n * terms, terms, begin, end, to + n);
      for (; n < columns; ++n)
        addRun<1>(row, w + n * terms, terms, begin, end, to + n);
    }
  }
}

TALLY_FOR_EACH_CPU
void tally::simulator::addPairs(const int16_t *__restrict x,
                                const int16_t *__restrict w, int64_t columns,
                                int64_t *__restrict sums) {
  for (int64_t n = 0; n < columns; ++n)
    sums[n] += int32_t(x[n]) * w[n];
}
