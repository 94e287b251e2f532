//===- Products.cpp - sums of products ------------------------------------===//
//
// Integer sums are free of order, so the inner loop runs along k and becomes
// widening multiply-adds. Float sums have one order per output, so the inner
// loop runs across outputs, eight rows at a time, and every output still sees
// its terms in ascending k.
//
//===----------------------------------------------------------------------===//

#include "tally/eval/Products.h"

#include <algorithm>
#include <cmath>

#if defined(__x86_64__) && defined(__ELF__)
#define TALLY_MACHINE_VERSIONS                                                 \
  __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define TALLY_MACHINE_VERSIONS
#endif

TALLY_MACHINE_VERSIONS
void tally::eval::productsI16(const int16_t *__restrict a,
                              const int16_t *__restrict b, int64_t m, int64_t n,
                              int64_t k, int32_t *__restrict c) {
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      const int16_t *__restrict row = a + i * k;
      const int16_t *__restrict column = b + j * k;
      int32_t sum = 0;
      for (int64_t l = 0; l < k; ++l)
        sum += static_cast<int32_t>(row[l]) * column[l];
      c[i * n + j] = sum;
    }
}

TALLY_MACHINE_VERSIONS
void tally::eval::productsI64(const int64_t *__restrict a,
                              const int64_t *__restrict b, int64_t m, int64_t n,
                              int64_t k, int64_t *__restrict c) {
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      int64_t sum = 0;
      for (int64_t l = 0; l < k; ++l)
        sum += a[i * k + l] * b[j * k + l];
      c[i * n + j] = sum;
    }
}

// A width of outputs whose running sums stay in registers.
static constexpr int64_t kWidth = 64;

template <typename T>
static inline __attribute__((always_inline)) void
productsFloat(const T *__restrict a, const T *__restrict b, int64_t m,
              int64_t n, int64_t k, T *__restrict c) {
  for (int64_t i = 0; i < m; ++i)
    for (int64_t start = 0; start < n; start += kWidth) {
      T sums[kWidth] = {};
      int64_t width = std::min(kWidth, n - start);
      for (int64_t l = 0; l < k; ++l) {
        T factor = a[i * k + l];
        const T *__restrict row = b + l * n + start;
        if (width == kWidth) {
          for (int64_t j = 0; j < kWidth; ++j)
            sums[j] = std::fma(factor, row[j], sums[j]);
        } else {
          for (int64_t j = 0; j < width; ++j)
            sums[j] = std::fma(factor, row[j], sums[j]);
        }
      }
      std::copy(sums, sums + width, c + i * n + start);
    }
}

TALLY_MACHINE_VERSIONS
void tally::eval::productsF32(const float *a, const float *b, int64_t m,
                              int64_t n, int64_t k, float *c) {
  productsFloat(a, b, m, n, k, c);
}

TALLY_MACHINE_VERSIONS
void tally::eval::productsF64(const double *a, const double *b, int64_t m,
                              int64_t n, int64_t k, double *c) {
  productsFloat(a, b, m, n, k, c);
}
