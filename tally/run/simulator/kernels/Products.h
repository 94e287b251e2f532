//===- Products.h - sums of products of codes -------------------*- C++ -*-===//

#ifndef TALLY_RUN_SIMULATOR_KERNELS_PRODUCTS_H
#define TALLY_RUN_SIMULATOR_KERNELS_PRODUCTS_H

#include <cstdint>

namespace tally::simulator {

/// Rows of patches and weights are padded with zeros to a multiple of this.
inline constexpr int64_t kTermGroup = 32;

/// sums[p * columns + n] += sum over k < terms of x[p][k] w[n][k]. Rows of x
/// and w have `terms` values, a multiple of kTermGroup; sums of `run` products
/// fit in 32 bits, `run` a multiple of kTermGroup.
void addProducts(const int16_t *x, const int16_t *w, int64_t pixels,
                 int64_t columns, int64_t terms, int64_t run, int64_t *sums);

/// sums[n] += x[n] w[n] for n < columns.
void addPairs(const int16_t *x, const int16_t *w, int64_t columns,
              int64_t *sums);

} // namespace tally::simulator

#endif // TALLY_RUN_SIMULATOR_KERNELS_PRODUCTS_H
