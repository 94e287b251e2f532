//===- BoxesTest.cpp - tensors of any rank as boxes of four dimensions ----===//

#include "tally/schedule/Scheduler.h"

#include "gtest/gtest.h"

#include <random>

using namespace tally;
using namespace tally::schedule;

namespace {
using Places = std::vector<std::pair<int64_t, int64_t>>;

/// Where each element of the result lies in both tensors, by plain counting.
Places counted(const Tensor &from, const Tensor &to) {
  Places places;
  llvm::SmallVector<int64_t> at(to.shape.size());
  for (int64_t i = 0; i < to.count(); ++i) {
    int64_t rest = i, a = from.offset, b = to.offset;
    for (size_t d = to.shape.size(); d-- > 0; rest /= to.shape[d]) {
      int64_t index = rest % to.shape[d];
      a += from.shape[d] == 1 ? 0 : index * from.strides[d];
      b += index * to.strides[d];
    }
    places.push_back({a, b});
  }
  std::sort(places.begin(), places.end());
  return places;
}

/// The same from the boxes.
Places boxed(const Tensor &from, const Tensor &to, size_t *boxes = nullptr) {
  Places places;
  Status status = forBoxes(
      to.shape, {&from, &to}, [&](auto sizes, auto strides, auto offsets) {
        EXPECT_EQ(sizes.size(), 4u);
        if (boxes)
          ++*boxes;
        for (int64_t i = 0; i < sizes[0]; ++i)
          for (int64_t j = 0; j < sizes[1]; ++j)
            for (int64_t k = 0; k < sizes[2]; ++k)
              for (int64_t l = 0; l < sizes[3]; ++l) {
                auto at = [&](size_t t) {
                  return offsets[t] + i * strides[t][0] + j * strides[t][1] +
                         k * strides[t][2] + l * strides[t][3];
                };
                places.push_back({at(0), at(1)});
              }
        return Status::success();
      });
  EXPECT_TRUE(bool(status));
  std::sort(places.begin(), places.end());
  return places;
}

Tensor rowMajor(llvm::ArrayRef<int64_t> shape) {
  Tensor tensor;
  tensor.shape.assign(shape.begin(), shape.end());
  tensor.strides.resize(shape.size());
  int64_t stride = 1;
  for (size_t d = shape.size(); d-- > 0; stride *= shape[d])
    tensor.strides[d] = stride;
  return tensor;
}

/// Dimension d of the result is dimension order[d] of the tensor.
Tensor transposed(const Tensor &tensor, llvm::ArrayRef<int64_t> order) {
  Tensor view = tensor;
  for (auto [d, from] : llvm::enumerate(order)) {
    view.shape[d] = tensor.shape[from];
    view.strides[d] = tensor.strides[from];
  }
  return view;
}
} // namespace

TEST(Boxes, JoinWhatEveryTensorStepsThroughAsOne) {
  size_t boxes = 0;
  Tensor tensor = rowMajor({2, 3, 4, 5, 6, 7});
  EXPECT_EQ(boxed(tensor, tensor, &boxes), counted(tensor, tensor));
  EXPECT_EQ(boxes, 1u);
}

TEST(Boxes, WalkWhatFourDimensionsDoNotHold) {
  // No two neighbours of 5 dimensions in reverse order join: one box for each
  // of the 2 indices of the outermost that is left.
  size_t boxes = 0;
  Tensor to = rowMajor({2, 3, 4, 5, 6});
  Tensor from = transposed(rowMajor({6, 5, 4, 3, 2}), {4, 3, 2, 1, 0});
  EXPECT_EQ(boxed(from, to, &boxes), counted(from, to));
  EXPECT_EQ(boxes, 2u);
}

TEST(Boxes, CoverEveryElementOnce) {
  std::mt19937 random(7);
  for (int run = 0; run < 500; ++run) {
    size_t rank = random() % 7;
    llvm::SmallVector<int64_t> shape, order;
    for (size_t d = 0; d < rank; ++d) {
      shape.push_back(1 + random() % 4);
      order.push_back(int64_t(d));
    }
    std::shuffle(order.begin(), order.end(), random);
    Tensor to = transposed(rowMajor(shape), order);
    Tensor from = rowMajor(to.shape);
    for (size_t d = 0; d < rank; ++d)
      if (random() % 4 == 0) // broadcast
        from.shape[d] = 1;
    from.offset = random() % 100;
    ASSERT_EQ(boxed(from, to), counted(from, to)) << "run " << run;
  }
}
