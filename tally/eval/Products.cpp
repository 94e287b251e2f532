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

// Four columns at a time share each load of the row.
static constexpr int64_t kColumns = 4;

static inline __attribute__((always_inline)) void
addRun(const int16_t *__restrict row, const int16_t *__restrict columns,
       int64_t k, int64_t length, int64_t *__restrict sums) {
  int32_t s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  for (int64_t l = 0; l < length; ++l) {
    int32_t x = row[l];
    s0 += x * columns[l];
    s1 += x * columns[k + l];
    s2 += x * columns[2 * k + l];
    s3 += x * columns[3 * k + l];
  }
  sums[0] += s0;
  sums[1] += s1;
  sums[2] += s2;
  sums[3] += s3;
}

static inline __attribute__((always_inline)) int64_t
dotRuns(const int16_t *__restrict row, const int16_t *__restrict column,
        int64_t k, int64_t run) {
  int64_t total = 0;
  for (int64_t start = 0; start < k; start += run) {
    int32_t sum = 0;
    for (int64_t l = start, e = std::min(k, start + run); l < e; ++l)
      sum += static_cast<int32_t>(row[l]) * column[l];
    total += sum;
  }
  return total;
}

TALLY_MACHINE_VERSIONS
void tally::eval::productsI16(const int16_t *__restrict a,
                              const int16_t *__restrict b, int64_t m, int64_t n,
                              int64_t k, int64_t run, int64_t *__restrict c) {
  for (int64_t i = 0; i < m; ++i) {
    const int16_t *row = a + i * k;
    int64_t j = 0;
    for (; j + kColumns <= n; j += kColumns) {
      int64_t *sums = c + i * n + j;
      std::fill(sums, sums + kColumns, 0);
      for (int64_t start = 0; start < k; start += run)
        addRun(row + start, b + j * k + start, k, std::min(run, k - start),
               sums);
    }
    for (; j < n; ++j)
      c[i * n + j] = dotRuns(row, b + j * k, k, run);
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
