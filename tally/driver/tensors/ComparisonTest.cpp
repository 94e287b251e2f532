//===- ComparisonTest.cpp - two tensors, bit for bit ----------------------===//

#include "tally/driver/tensors/Comparison.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace tally;

namespace {
eval::Tensor floats(eval::Shape shape, std::vector<float> values) {
  eval::Tensor tensor;
  tensor.shape = std::move(shape);
  tensor.allocate();
  std::copy(values.begin(), values.end(), tensor.data<float>());
  return tensor;
}

eval::Tensor codes(eval::Shape shape, std::vector<int8_t> values) {
  eval::Tensor tensor;
  tensor.shape = std::move(shape);
  tensor.element = eval::Element::I8;
  tensor.allocate();
  std::copy(values.begin(), values.end(), tensor.data<int8_t>());
  return tensor;
}
} // namespace

TEST(Comparison, EqualBitsAreEqual) {
  EXPECT_FALSE(compareBits(codes({2}, {1, -1}), codes({2}, {1, -1})));
}

TEST(Comparison, AllNaNsAreEqual) {
  EXPECT_FALSE(compareBits(floats({2}, {NAN, 1}), floats({2}, {-NAN, 1})));
}

TEST(Comparison, ZerosOfBothSignsDiffer) {
  auto difference = compareBits(floats({1}, {0.0f}), floats({1}, {-0.0f}));
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->count, 1);
  EXPECT_EQ(difference->largest, 0);
}

TEST(Comparison, TheFirstDifferenceHasItsIndex) {
  eval::Tensor found = codes({2, 3}, {1, 2, 3, 4, 5, 6});
  eval::Tensor expected = codes({2, 3}, {1, 2, 3, 4, 7, -2});
  auto difference = compareBits(found, expected);
  ASSERT_TRUE(difference);
  // Position 4 of [2, 3] is row 1, column 1; |6 - -2| = 8.
  EXPECT_EQ(difference->firstIndex, (eval::Shape{1, 1}));
  EXPECT_EQ(describe(*difference, found, expected),
            "element [1,1] is 5, expected 7; 2 of 6 differ, by up to 8");
}

TEST(Comparison, ANaNOnOneSideIsFarAway) {
  auto difference = compareBits(floats({2}, {NAN, 1}), floats({2}, {0, 9}));
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->count, 2);
  EXPECT_TRUE(std::isnan(difference->largest));
}

TEST(Comparison, FloatsShowTheirBits) {
  EXPECT_EQ(elementText(floats({1}, {1.5f}), 0), "1.5 (0x3fc00000)");
}
