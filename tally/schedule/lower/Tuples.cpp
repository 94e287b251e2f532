//===- Tuples.cpp - slices at tuples of indices ---------------------------===//

#include "tally/schedule/lower/Tuples.h"
#include "tally/eval/Movement.h"

using namespace mlir;
using namespace tally;
using namespace tally::schedule;

std::vector<int64_t> tally::schedule::tupleOffsets(const Tensor &data,
                                                   const eval::Tensor &tuples,
                                                   size_t batchDims) {
  auto length = size_t(tuples.shape.back());
  ArrayRef<int64_t> rows = ArrayRef(tuples.shape).drop_back();
  int64_t count = eval::elementCount(rows);
  std::vector<int64_t> offsets;
  for (int64_t row = 0; row < count; ++row) {
    int64_t offset = 0, rest = row;
    for (size_t d = rows.size(); d-- > 0; rest /= rows[d])
      offset += d < batchDims ? rest % rows[d] * data.strides[d] : 0;
    for (size_t k = 0; k < length; ++k) {
      int64_t index = eval::loadInt(tuples, row * int64_t(length) + int64_t(k));
      offset += eval::clampIndex(index, data.shape[batchDims + k]) *
                data.strides[batchDims + k];
    }
    offsets.push_back(offset);
  }
  return offsets;
}

Tensor tally::schedule::slicesAt(const Tensor &tensor, int64_t offset,
                                 int64_t count, int64_t step, size_t first) {
  Tensor view = tensor;
  view.offset += offset;
  view.shape.assign(tensor.shape.begin() + first, tensor.shape.end());
  view.strides.assign(tensor.strides.begin() + first, tensor.strides.end());
  view.shape.insert(view.shape.begin(), count);
  view.strides.insert(view.strides.begin(), count == 1 ? 0 : step);
  return view;
}

size_t tally::schedule::runFrom(ArrayRef<int64_t> offsets, size_t first) {
  size_t end = std::min(first + 2, offsets.size());
  while (end < offsets.size() &&
         offsets[end] - offsets[end - 1] == offsets[first + 1] - offsets[first])
    ++end;
  return end - first;
}
