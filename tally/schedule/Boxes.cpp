//===- Boxes.cpp - tensors of any rank as boxes of four dimensions --------===//
//
// Dimensions of one element vanish. Neighbours join where every tensor steps
// through both as through one: stride of the outer = stride * size of the
// inner. What is left beyond four dimensions is walked by the compiler, a box
// for each of its indices.
//
// Example: 2x3x4x5x6 row-major against the same is one dimension of 720; with
// the last two exchanged on one side it is 24 x 5 x 6.
//
//===----------------------------------------------------------------------===//

#include "tally/schedule/Scheduler.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tally;
using namespace tally::schedule;

namespace {
struct Dimension {
  int64_t size = 1;
  SmallVector<int64_t, 3> strides; ///< one for each tensor
};
} // namespace

/// A tensor's stride along a dimension of the result; 0 where it has one
/// element for many.
static int64_t strideAt(const Tensor &tensor, ArrayRef<int64_t> shape,
                        size_t d) {
  size_t lead = shape.size() - tensor.shape.size();
  if (d < lead || tensor.shape[d - lead] != shape[d])
    return 0;
  return tensor.strides[d - lead];
}

static SmallVector<Dimension> dimensionsOf(ArrayRef<int64_t> shape,
                                           ArrayRef<const Tensor *> tensors) {
  SmallVector<Dimension> dimensions;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 1)
      continue;
    Dimension dimension{shape[d], {}};
    for (const Tensor *tensor : tensors)
      dimension.strides.push_back(strideAt(*tensor, shape, d));
    dimensions.push_back(std::move(dimension));
  }
  // Order of the last tensor, the result: its innermost dimension last.
  llvm::stable_sort(dimensions, [](const Dimension &a, const Dimension &b) {
    return a.strides.back() > b.strides.back();
  });
  return dimensions;
}

static bool joins(const Dimension &outer, const Dimension &inner) {
  for (auto [a, b] : llvm::zip(outer.strides, inner.strides))
    if (a != b * inner.size)
      return false;
  return true;
}

static SmallVector<Dimension> joined(ArrayRef<Dimension> dimensions) {
  SmallVector<Dimension> result;
  for (const Dimension &dimension : dimensions) {
    if (!result.empty() && joins(result.back(), dimension)) {
      int64_t size = result.back().size * dimension.size;
      result.back() = dimension;
      result.back().size = size;
      continue;
    }
    result.push_back(dimension);
  }
  return result;
}

Status
schedule::forBoxes(ArrayRef<int64_t> shape, ArrayRef<const Tensor *> tensors,
                   llvm::function_ref<Status(ArrayRef<int64_t>,
                                             ArrayRef<SmallVector<int64_t, 4>>,
                                             ArrayRef<int64_t>)>
                       body) {
  SmallVector<Dimension> dimensions = joined(dimensionsOf(shape, tensors));
  while (dimensions.size() < 4)
    dimensions.insert(dimensions.begin(),
                      Dimension{1, SmallVector<int64_t, 3>(tensors.size())});
  size_t walked = dimensions.size() - 4;
  SmallVector<int64_t> sizes;
  SmallVector<SmallVector<int64_t, 4>> strides(tensors.size());
  for (size_t d = walked; d < dimensions.size(); ++d) {
    sizes.push_back(dimensions[d].size);
    for (size_t t = 0; t < tensors.size(); ++t)
      strides[t].push_back(dimensions[d].strides[t]);
  }
  SmallVector<int64_t> index(walked);
  while (true) {
    SmallVector<int64_t> offsets;
    for (size_t t = 0; t < tensors.size(); ++t) {
      offsets.push_back(tensors[t]->offset);
      for (size_t d = 0; d < walked; ++d)
        offsets.back() += index[d] * dimensions[d].strides[t];
    }
    if (Status status = body(sizes, strides, offsets); !status)
      return status;
    size_t d = walked;
    while (d > 0 && ++index[d - 1] == dimensions[d - 1].size)
      index[--d] = 0;
    if (d == 0)
      return Status::success();
  }
}
