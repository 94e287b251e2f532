//===- HalfWords.h - words of four bytes as products of 16 bits -*- C++ -*-===//
//
// Where there is no product of bytes, a word of four terms is taken apart into
// terms 0 and 2 (half 0) and terms 1 and 3 (half 1), each two numbers of 16
// bits, of which pmaddwd multiplies and adds two in each lane.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_CPU_KERNELS_HALFWORDS_H
#define TALLY_CPU_KERNELS_HALFWORDS_H

#include "tally/cpu/KernelBuilder.h"

namespace tally::cpu {

/// Half of words of bytes: a vector of i32 as twice as many i16, each a byte by
/// its sign or without one.
Value halfOf(KernelBuilder &k, Value words, int64_t half, bool isSigned);
/// The same of half 0 or 1, an index, in one operation more: for a loop over
/// the halves, whose body is long.
Value halfOf(KernelBuilder &k, Value words, Value half, bool isSigned);

/// A vector of sums plus the two products of each lane. `a` and `b` are
/// registers of i16, twice as many as sums.
Value multiplyAddHalves(KernelBuilder &k, Value sums, Value a, Value b);

} // namespace tally::cpu

#endif // TALLY_CPU_KERNELS_HALFWORDS_H
