//===- Movement.cpp - elements copied to another place --------------------===//
//
// An odometer over the result's indices; the operator says where each element
// comes from. Nothing here knows about strides of the result, so this is slow
// and plain: it judges the strided copies that other executors make.
//
//===----------------------------------------------------------------------===//

#include "tally/eval/Movement.h"
#include "tally/eval/Elementwise.h"

#include <algorithm>

using namespace tally;
using namespace tally::eval;

void tally::eval::forEachIndex(const Shape &shape,
                               const std::function<void(int64_t, Index)> &fn) {
  Shape index(shape.size(), 0);
  for (int64_t i = 0, e = elementCount(shape); i < e; ++i) {
    fn(i, index);
    for (size_t d = shape.size(); d-- > 0;) {
      if (++index[d] < shape[d])
        break;
      index[d] = 0;
    }
  }
}

void tally::eval::copyElement(const Tensor &in, int64_t from, Tensor &out,
                              int64_t to) {
  int64_t bytes = byteSize(out.element);
  std::memcpy(out.storage.get() + to * bytes, in.storage.get() + from * bytes,
              bytes);
}

void tally::eval::copyElements(const Tensor &in, Tensor &out,
                               const std::function<int64_t(Index)> &source) {
  forEachIndex(out.shape, [&](int64_t i, Index index) {
    copyElement(in, source(index), out, i);
  });
}

Tensor tally::eval::onGridOf(const Tensor &tensor, const Tensor &like,
                             Profile profile) {
  if (!like.quant || !tensor.quant || *tensor.quant == *like.quant)
    return tensor;
  Tensor moved = like;
  moved.shape = tensor.shape;
  moved.allocate();
  requantize(tensor, moved, profile);
  return moved;
}

int64_t tally::eval::positionOf(Index index, const Shape &strides) {
  int64_t position = 0;
  for (size_t d = 0; d < index.size(); ++d)
    position += index[d] * strides[d];
  return position;
}

int64_t tally::eval::clampIndex(int64_t index, int64_t size) {
  if (index < 0)
    index = std::max<int64_t>(index, -size) + size;
  return std::min(index, size - 1);
}
