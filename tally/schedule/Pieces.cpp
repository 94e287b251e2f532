//===- Pieces.cpp - boxes of a tensor's indices ---------------------------===//
//
// The outermost dimension in memory is cut first, so that pieces are long runs
// of bytes; where a single index of it is too large, the next one is cut too.
//
// Example: 4x100x64 bytes in pieces of at most 2,000: one index of the first
// dimension has 6,400 bytes, so the second is cut to 31 and, evenly, to 25:
// 16 pieces of 1x25x64.
//
//===----------------------------------------------------------------------===//

#include "tally/schedule/Pieces.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tally;
using namespace tally::schedule;

Piece schedule::wholeOf(ArrayRef<int64_t> shape) {
  Piece piece;
  for (int64_t size : shape)
    piece.push_back({0, size});
  return piece;
}

SmallVector<int64_t> schedule::shapeOf(const Piece &piece) {
  return llvm::map_to_vector(piece, [](const Span &span) { return span.size; });
}

int64_t schedule::countOf(const Piece &piece) {
  int64_t count = 1;
  for (const Span &span : piece)
    count *= span.size;
  return count;
}

Tensor schedule::sliceOf(const Tensor &tensor, const Piece &piece) {
  Tensor slice = tensor;
  slice.shape = shapeOf(piece);
  for (auto [span, stride] : llvm::zip_equal(piece, tensor.strides))
    slice.offset += span.begin * stride;
  return slice;
}

Piece schedule::broadcastPiece(ArrayRef<int64_t> shape, const Piece &result) {
  Piece piece(result.end() - ptrdiff_t(shape.size()), result.end());
  for (auto [span, size] : llvm::zip_equal(piece, shape))
    if (size == 1)
      span = {0, 1};
  return piece;
}

SmallVector<int64_t> schedule::memoryOrder(const Tensor &tensor) {
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, tensor.rank()));
  llvm::stable_sort(order, [&](int64_t a, int64_t b) {
    return tensor.strides[a] > tensor.strides[b];
  });
  return order;
}

/// The largest size of `sizes[d]` with which a piece fits, or 1.
static int64_t
largestThatFits(SmallVector<int64_t> sizes, int64_t d, int64_t budget,
                llvm::function_ref<int64_t(const Piece &)> bytes) {
  int64_t low = 1, high = sizes[d];
  while (low < high) {
    sizes[d] = (low + high + 1) / 2;
    if (bytes(wholeOf(sizes)) <= budget)
      low = sizes[d];
    else
      high = sizes[d] - 1;
  }
  return low;
}

SmallVector<int64_t>
schedule::pieceSizes(ArrayRef<int64_t> shape, ArrayRef<int64_t> order,
                     int64_t budget,
                     llvm::function_ref<int64_t(const Piece &)> bytes) {
  SmallVector<int64_t> sizes(shape);
  for (int64_t d : order) {
    if (bytes(wholeOf(sizes)) <= budget)
      break;
    int64_t most = largestThatFits(sizes, d, budget, bytes);
    int64_t parts = llvm::divideCeil(shape[d], most);
    sizes[d] = llvm::divideCeil(shape[d], parts);
  }
  return sizes;
}

Status schedule::forPieces(ArrayRef<int64_t> shape, ArrayRef<int64_t> sizes,
                           ArrayRef<int64_t> order,
                           llvm::function_ref<Status(const Piece &)> body) {
  Piece piece = wholeOf(sizes);
  while (true) {
    if (Status status = body(piece); !status)
      return status;
    size_t i = order.size();
    for (; i > 0; --i) {
      int64_t d = order[i - 1], next = piece[d].begin + sizes[d];
      piece[d].begin = next < shape[d] ? next : 0;
      piece[d].size = std::min(sizes[d], shape[d] - piece[d].begin);
      if (next < shape[d])
        break;
    }
    if (i == 0)
      return Status::success();
  }
}
