//===- DotProduct.h - products of bytes, four terms at a time ---*- C++ -*-===//
//
// The register-blocked product of unsigned bytes with signed ones, four terms
// added to a 32-bit lane at a time: vpdpbusd, or two products of 16 bits. The
// unsigned side is read a word (four terms of one row) at a time and spread
// over a vector; the signed side is read as vectors of lanes.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_CPU_KERNELS_DOTPRODUCT_H
#define TALLY_CPU_KERNELS_DOTPRODUCT_H

#include "tally/cpu/KernelBuilder.h"

namespace tally::cpu {

/// 32-bit sums in a vector, which is one register, two or four.
inline constexpr int64_t kDotLanes = 16;
inline constexpr int64_t kDotTerms = 4; ///< terms in a word

/// Whether the instructions exist. Elsewhere products are plain loops
/// (ProductKernels.h).
bool hasDotProducts(Tier tier);

/// Words that hold `terms` terms of one row, and vectors that hold `lanes`.
inline int64_t quadsOf(int64_t terms) {
  return (terms + kDotTerms - 1) / kDotTerms;
}
inline int64_t vectorsOf(int64_t lanes) {
  return (lanes + kDotLanes - 1) / kDotLanes;
}

/// `rows` x `lanes` results, each a sum of 4 * `quads` terms.
struct DotShape {
  int64_t rows, lanes, quads;
};

/// Rows of bytes that lie `pitch` bytes apart: word (row, quad) is the four
/// bytes at base + row * pitch + offsets[quad]. No offsets are 4 * quad.
struct DotRows {
  Value bytes; ///< flat memref of i8
  Value base;
  int64_t pitch;
  Value offsets;   ///< flat memref of i32
  int64_t run = 1; ///< words that follow one another, from a multiple of it on
};

/// Where the operands are.
struct DotOperands {
  DotRows rows; ///< of unsigned bytes
  /// Of signed bytes. Words of lanes [lane, lane + 16) start at
  /// laneWords[place(quad, lane)], a flat memref of i32, where `lane` is a
  /// multiple of 16. All sixteen are read, also where the product has fewer
  /// lanes.
  Value laneWords;
  llvm::function_ref<Value(Value quad, Value lane)> place;
};

/// Sums that are ready: sums[i][j] is that of row `row` + i and lane
/// `lane` + j, for i < rows and j < lanes.
struct DotSums {
  Value sums, row, lane;
  int64_t rows, lanes;
};

/// Emits all sums. Each starts from `start(row, lane)`, a vector of sixteen
/// i32, and wraps: it is exact when the whole sum fits 32 bits, whatever the
/// partial sums do. `finish` is called in loops when a tile of sums is
/// complete. Lanes, the weights, are walked in the outer loop, once, so that
/// each part of them is read from far memory once.
void emitDotProduct(KernelBuilder &k, const DotShape &shape,
                    const DotOperands &operands,
                    const ProductSchedule &schedule,
                    llvm::function_ref<Value(Value row, Value lane)> start,
                    llvm::function_ref<void(const DotSums &)> finish);

/// The vector of sums plus the products of four unsigned bytes with four signed
/// ones in each lane. All are vectors of sixteen i32.
Value addDots(KernelBuilder &k, Value sums, Value unsignedWords,
              Value signedWords);

/// Four terms, 0 ... 255 or -128 ... 127, as a word.
int32_t dotWord(llvm::function_ref<int64_t(int64_t byte)> term);

/// The low 32 bits of a number, as an i32 has them.
int32_t wrapTo32(int64_t value);

} // namespace tally::cpu

#endif // TALLY_CPU_KERNELS_DOTPRODUCT_H
