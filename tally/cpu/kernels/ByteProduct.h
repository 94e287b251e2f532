//===- ByteProduct.h - products of rows and columns of bytes ----*- C++ -*-===//
//
// The one contract behind which products of 8-bit codes with 8-bit steps are
// made, whatever the instruction set: rows x columns sums of bytes times bytes
// in 32 bits, handed over as vectors of sixteen columns of one row.
//
// A row is one row of a matrix or one output pixel of a convolution. Its terms
// are chunks of contiguous bytes: chunk c of row r is
//
//     bytes[base + r * pitch + chunks[c] ...  + chunkBytes)
//
// A matrix has one chunk; a convolution on channels-last codes has one for each
// tap (the channels of a pixel) or one for each row of the kernel. A column is
// one column of a matrix or one output channel; its steps are packed in the
// order in which they are read, which is the same for all instruction sets.
//
// Chunks are read in equal pieces of up to 64 bytes, whole words of four; the
// last piece of a chunk ends where the chunk ends and overlaps the one before,
// where its steps are 0:
//
//     chunkBytes = 70:  pieces [0, 36) and [34, 70), bytes 34 and 35 of the
//                       second with steps of 0
//
// Only a chunk of one piece can end within a word: then up to three bytes
// behind it are read and meet steps of 0 (bytesBehind).
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_CPU_KERNELS_BYTEPRODUCT_H
#define TALLY_CPU_KERNELS_BYTEPRODUCT_H

#include "tally/cpu/ProductSchedule.h"
#include "tally/cpu/kernels/DotProduct.h"

namespace tally::cpu {

/// Whether a tier has instructions for products of bytes. Elsewhere they are
/// plain loops (ProductKernels.h).
bool hasByteProducts(Tier tier);

/// Whether signed codes are read as they are. Where not, rows must be unsigned:
/// signed codes plus 128 (the sign bit flipped), and their zero point moved
/// alike.
bool readsSignedRows(Tier tier);

/// The sizes of a product, all at least 1.
struct ByteShape {
  int64_t rows, columns;
  std::vector<int64_t> chunks; ///< where each chunk of a row begins, in bytes
  int64_t chunkBytes;
  /// Of a convolution that can be made by squares (Winograd.h), how many, and
  /// of how many channels.
  int64_t squares = 0, channels = 0;

  /// Pieces of a chunk and bytes of a piece.
  int64_t pieces() const;
  int64_t pieceBytes() const;
  /// Words of a row.
  int64_t quads() const;
  /// Where word `quad` begins, from the start of its row.
  int64_t quadOffset(int64_t quad) const;
  /// Bytes behind a chunk that are read: they must be readable.
  int64_t bytesBehind() const;
  /// Columns rounded up to whole vectors.
  int64_t paddedColumns() const { return vectorsOf(columns) * kDotLanes; }
};

/// What the schedule of a product in vectors depends on; the bytes from a row
/// to the next are `pitch`.
ProductTask dotTask(Tier tier, const ByteShape &shape, int64_t pitch);

/// Where the rows are.
struct ByteRows {
  Value bytes;    ///< flat memref of i8
  Value base;     ///< where row 0 begins; none is 0
  int64_t pitch;  ///< bytes from a row to the next
  bool areSigned; ///< only where readsSignedRows
};

/// The packed columns of one or more products of one shape.
struct ByteColumns {
  Value packed;          ///< flat memref of i8, as packColumns makes it
  Value starts;          ///< flat memref of i32, as packStarts makes it
  Value product = {};    ///< which of the packed products; none is the first
  bool areSigned = true; ///< unsigned ones only where readsSignedRows

  /// Where the start of a column stands; its first word is at quads() times
  /// that place, counted in words.
  Value startOf(KernelBuilder &k, const ByteShape &shape, Value column) const;
  /// `packed` as a flat memref of i32, and where word `quad` of sixteen columns
  /// from `column` on begins in it; `column` is a multiple of 16.
  Value words(KernelBuilder &k) const;
  Value wordOf(KernelBuilder &k, const ByteShape &shape, Value quad,
               Value column) const;
};

/// One row of sums that is ready: that of row `row` and column `column` + j is
/// sums[held][j], for j < columns, with the column's start or without. The
/// memory is as wide as whole vectors.
struct ByteSums {
  Value sums, held, row, column;
  int64_t columns;
  bool areStarted;
};

/// A step of column `column` of all products that meets byte `byte` of chunk
/// `chunk`.
using ByteStep =
    llvm::function_ref<int64_t(int64_t column, int64_t chunk, int64_t byte)>;

/// The steps of `products` products, whose columns are counted through
/// (product * columns + column).
eval::Tensor packColumns(const ByteShape &shape, int64_t products,
                         ByteStep step);

/// The same as a constant of the kernel, made once for all tiers: `step` must
/// depend on the operation and `shape` alone.
Value packedColumns(KernelBuilder &k, const ByteShape &shape, int64_t products,
                    ByteStep step);

/// What the sums of each column start from: starts[product * columns + column]
/// for products of any number, in place for the vectors of `shape`. No starts
/// are zeros.
eval::Tensor packStarts(const ByteShape &shape, int64_t products,
                        llvm::ArrayRef<int32_t> starts);

/// Takes the sums of columns [column, column + count) of `row` as a vector of
/// 16, 32, 48 or 64 i32, whose lanes from `count` on mean nothing. `column` is
/// a multiple of 16. Called inside of loops, at as many places of the code as
/// finish sums.
using FinishLanes = llvm::function_ref<void(Value row, Value column,
                                            int64_t count, Value sums)>;

/// Calls finish(first, count) in loops, for so many columns at a time as an
/// instruction set has registers for; `first` is a multiple of 16.
void finishColumns(KernelBuilder &k, int64_t count,
                   llvm::function_ref<void(Value first, int64_t count)> finish);

/// Emits all sums, each handed over once. They wrap in 32 bits: a sum is exact
/// when it fits as a whole, whatever its parts do. The part of the columns that
/// is in work at a time is walked in the outer loop, so that each step is read
/// from far memory once.
void emitByteProduct(KernelBuilder &k, const ByteShape &shape,
                     const ByteRows &rows, const ByteColumns &columns,
                     FinishLanes finish);

} // namespace tally::cpu

#endif // TALLY_CPU_KERNELS_BYTEPRODUCT_H
