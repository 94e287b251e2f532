//===- Draws.h - random shapes, grids and elements --------------*- C++ -*-===//

#ifndef TALLY_FUZZ_DRAWS_H
#define TALLY_FUZZ_DRAWS_H

#include "tally/eval/Tensor.h"
#include "tally/fuzz/Random.h"

namespace tally::fuzz {

/// No tensor that is drawn has more elements.
inline constexpr int64_t kMaxElements = 256;

/// A shape of `rank` dimensions: often 1, odd or square, seldom empty (0).
eval::Shape drawShape(Random &random, int64_t rank);

/// [N, C, D1..] with 1 or 2 spatial dimensions, rarely 3; never empty.
eval::Shape drawImageShape(Random &random);

/// The range of one kind of codes.
struct Codes {
  int64_t qmin, qmax;
};
/// Of 2, 4, 8 or 16 bits, signed or not; mostly of 8.
Codes drawCodes(Random &random);

/// A grid whose codes hold about [low, high]: its scale fits exactly, or is a
/// power of two, or a third of something, or extreme; its zero point is where
/// 0 belongs, at an end, in the middle or anywhere.
eval::Quantization drawGrid(Random &random, Codes codes, double low,
                            double high);

/// One scale per index of `axis`, for weights of about [-size, size].
eval::Quantization drawAxisGrid(Random &random, Codes codes, int64_t axis,
                                int64_t count, double size);

/// Fills allocated codes, integers or booleans: the whole range, few values
/// around the middle, or the ends.
void fillIntegers(Random &random, eval::Tensor &tensor);

/// Fills allocated floats; `isWild` adds infinities, NaN, -0, denormals and
/// huge ones.
void fillReals(Random &random, eval::Tensor &tensor, bool isWild);

} // namespace tally::fuzz

#endif // TALLY_FUZZ_DRAWS_H
