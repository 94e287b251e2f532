//===- Pieces.h - boxes of a tensor's indices -------------------*- C++ -*-===//

#ifndef TALLY_SCHEDULE_PIECES_H
#define TALLY_SCHEDULE_PIECES_H

#include "tally/schedule/Scheduler.h"

namespace tally::schedule {

/// All indices of a shape.
Piece wholeOf(llvm::ArrayRef<int64_t> shape);
llvm::SmallVector<int64_t> shapeOf(const Piece &piece);
int64_t countOf(const Piece &piece);

/// A view of the piece alone.
Tensor sliceOf(const Tensor &tensor, const Piece &piece);

/// What a tensor of `shape` that broadcasts to a result gives to a piece of it.
Piece broadcastPiece(llvm::ArrayRef<int64_t> shape, const Piece &result);

/// Dimensions by falling stride: the outermost in memory first.
llvm::SmallVector<int64_t> memoryOrder(const Tensor &tensor);

/// Sizes of pieces that cover `shape`: the dimensions of `order` are cut, the
/// first first, until `bytes` of a piece is at most `budget`. Sizes are as even
/// as they can be; where even single indices are too large, those it is.
llvm::SmallVector<int64_t>
pieceSizes(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> order,
           int64_t budget, llvm::function_ref<int64_t(const Piece &)> bytes);

/// Calls body for pieces of at most `sizes` that cover `shape` once, the
/// dimensions of `order` outermost first.
Status forPieces(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> sizes,
                 llvm::ArrayRef<int64_t> order,
                 llvm::function_ref<Status(const Piece &)> body);

} // namespace tally::schedule

#endif // TALLY_SCHEDULE_PIECES_H
