//===- SummaryTest.cpp - a tensor in a few lines --------------------------===//

#include "tally/driver/tensors/Summary.h"
#include "tally/driver/tensors/Comparison.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace tally;

static eval::Tensor floats(eval::Shape shape, std::vector<float> values) {
  eval::Tensor tensor;
  tensor.shape = std::move(shape);
  tensor.allocate();
  std::copy(values.begin(), values.end(), tensor.data<float>());
  return tensor;
}

TEST(Summary, AVectorShowsItsGreatest) {
  TensorSummary summary = summarize(floats({1, 7}, {1, 5, NAN, 5, -2, 0, 3}));
  EXPECT_EQ(summary.min, -2);
  EXPECT_EQ(summary.max, 5);
  EXPECT_EQ(summary.nans, 1);
  EXPECT_EQ(summary.top, (std::vector<int64_t>{1, 3, 6, 0, 5}));
}

TEST(Summary, AMatrixHasNoGreatest) {
  TensorSummary summary = summarize(floats({2, 6}, std::vector<float>(12, 1)));
  EXPECT_TRUE(summary.top.empty());
  EXPECT_EQ(summary.first.size(), 8u);
}

TEST(Summary, NothingAndNaNsHaveNoExtremes) {
  EXPECT_EQ(summarize(floats({0}, {})).max, 0);
  TensorSummary summary = summarize(floats({2}, {NAN, NAN}));
  EXPECT_EQ(summary.nans, 2);
  EXPECT_EQ(summary.min, 0);
}

TEST(Summary, AnUnsignedNumberStaysPositive) {
  eval::Tensor tensor;
  tensor.shape = {2};
  tensor.element = eval::Element::U64;
  tensor.allocate();
  tensor.data<uint64_t>()[0] = UINT64_MAX;
  tensor.data<uint64_t>()[1] = 1;
  TensorSummary summary = summarize(tensor);
  EXPECT_EQ(summary.min, 1);
  EXPECT_EQ(summary.max, 0x1p64);
  EXPECT_EQ(elementText(tensor, 0), "18446744073709551615");
}

TEST(Summary, TypesReadWell) {
  using runtime::TensorInterface;
  EXPECT_EQ(typeText({"x", eval::Element::F32, {1, 10}, std::nullopt}),
            "float32 1x10");
  eval::Quantization grid{-128, 127, {0.5f}, {-3}, -1};
  EXPECT_EQ(typeText({"x", eval::Element::I8, {}, grid}),
            "int8 scalar codes, scale 0.5, zero point -3");
  eval::Quantization axis{-128, 127, {1, 2}, {0, 0}, 1};
  EXPECT_EQ(typeText({"x", eval::Element::I8, {4, 2}, axis}),
            "int8 4x2 codes, 2 scales along axis 1");
}
