//===- TestPrograms.h - hand-written programs that are right ----*- C++ -*-===//

#ifndef TALLY_RUN_CHECKER_TESTPROGRAMS_H
#define TALLY_RUN_CHECKER_TESTPROGRAMS_H

#include "tally/run/checker/TestBuilder.h"

namespace tally::checker {

/// A loop: load 4 bytes into the next of `buffers`, let a vector engine copy
/// them into the next of as many result buffers, store these. Relative waits on
/// counters, or absolute ones whose thresholds grow in a scalar (`relative`
/// false).
Subject ringProgram(int64_t buffers, int64_t trips, bool relative = true);

/// The same with two buffers, but its results go over what it has loaded: a
/// state whose new value takes the place of the old one, tile by tile.
Subject overwrittenState(int64_t trips);

/// The same unrolled, with tokens: for each pair of queues one register forth
/// and one back.
Subject tokenRing(int64_t buffers, int64_t trips);

/// The same unrolled, with flags: for each buffer and pair of queues one flag
/// forth and one back.
Subject flagRing(int64_t buffers, int64_t trips);

/// A 2 x 2 by 2 x 2 matrix product in tiles along K: two operand buffers for
/// each of the operands, sums in accumulators, copied out and stored at the end
/// of each of `products`.
Subject doubleBufferedMatmul(int64_t products, int64_t tiles);

/// Rows of a 1 x 3 convolution: load a row into one of three line buffers,
/// convolve into one of two accumulator rows, copy out, store.
Subject convolutionPipeline(int64_t rows);

} // namespace tally::checker

#endif // TALLY_RUN_CHECKER_TESTPROGRAMS_H
