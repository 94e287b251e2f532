//===- Products.h - sums of products ----------------------------*- C++ -*-===//
//
// The inner loops of convolution and matrix product, on dense panels. Written
// so that the compiler vectorises them for the machine at hand; results do not
// depend on which version runs.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_EVAL_PRODUCTS_H
#define TALLY_EVAL_PRODUCTS_H

#include <cstdint>

namespace tally::eval {

/// c[m][n] = sum over k of a[m][k] * b[n][k], exact. The caller guarantees
/// that no sum of `run` neighbouring absolute products exceeds 2^31 - 1.
void productsI16(const int16_t *a, const int16_t *b, int64_t m, int64_t n,
                 int64_t k, int64_t run, int64_t *c);

/// The same for wide operands; no sum of absolute products exceeds 2^63 - 1.
void productsI64(const int64_t *a, const int64_t *b, int64_t m, int64_t n,
                 int64_t k, int64_t *c);

/// c[m][n] = fold from +0 over ascending k of fma(a[m][k], b[k][n], c[m][n]):
/// the normative order of float products (numerics decision 9).
void productsF32(const float *a, const float *b, int64_t m, int64_t n,
                 int64_t k, float *c);
void productsF64(const double *a, const double *b, int64_t m, int64_t n,
                 int64_t k, double *c);

} // namespace tally::eval

#endif // TALLY_EVAL_PRODUCTS_H
