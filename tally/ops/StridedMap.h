//===- StridedMap.h - where a movement's elements come from -----*- C++ -*-===//
//
// Most movements read, for result index (i0, i1, ..), the input element at
// position
//
//   base + f0(i0) + f1(i1) + ..
//
// with each f affine in its index, or affine piece by piece. One strided copy
// then serves them all. Example, transpose [2, 0, 1] of 2x3x4 (strides 12, 4,
// 1) to 4x2x3: f0 = 1*i0, f1 = 12*i1, f2 = 4*i2. A slice or a repetition only
// changes base and strides; picking indices makes pieces.
//
// All numbers count elements of the input in row-major order.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_OPS_STRIDEDMAP_H
#define TALLY_OPS_STRIDEDMAP_H

#include "mlir/IR/Operation.h"

#include <optional>

namespace tally::nn {

/// The k-th of `count` >= 1 consecutive result indices reads `offset +
/// k * stride`.
struct StridedPiece {
  int64_t count = 0, offset = 0, stride = 0;
  bool operator==(const StridedPiece &) const = default;
};

/// Pieces in the order of result indices; none for a dimension of size 0.
using StridedDimension = llvm::SmallVector<StridedPiece, 1>;

/// A loop nest whose row-major order is that of the result. Its dimensions
/// need not be the result's: a reshape is one loop over all elements.
struct StridedMap {
  int64_t base = 0;
  llvm::SmallVector<StridedDimension, 4> dims;

  int64_t size(size_t dim) const;
  /// Number of result elements.
  int64_t count() const;
  /// Whether each dimension is one piece.
  bool isAffine() const;
  /// The input position behind a result index.
  int64_t source(llvm::ArrayRef<int64_t> index) const;
};

/// The map of an operator with the Movement interface and one operand, or
/// nothing when its dimensions cannot be told apart (nn.reverse_sequence).
std::optional<StridedMap> stridedMap(mlir::Operation *movement);

/// The same map with as few loops as possible: affine dimensions of size 1
/// move into the base, and neighbours that advance as one become one.
StridedMap coalesced(const StridedMap &map);

} // namespace tally::nn

#endif // TALLY_OPS_STRIDEDMAP_H
