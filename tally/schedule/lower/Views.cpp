//===- Views.cpp - other tensors of the same storage ----------------------===//

#include "tally/schedule/lower/Views.h"

using namespace tally::schedule;

Tensor tally::schedule::indicesOf(Tensor tensor, size_t d, int64_t first,
                                  int64_t count, int64_t step) {
  tensor.offset += first * tensor.strides[d];
  tensor.strides[d] *= step;
  tensor.shape[d] = count;
  return tensor;
}

Layout tally::schedule::layoutLike(const Tensor &like) {
  bool isLast =
      like.rank() >= 3 && like.strides[1] == like.bytes() && like.shape[1] != 1;
  return isLast ? Layout::ChannelsLast : Layout::RowMajor;
}
