//===- TensorDistanceTest.cpp - counts, histograms, ratios ----------------===//

#include "tally/driver/diff/TensorDistance.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>

using namespace tally;
using eval::Element;
using eval::Tensor;

static Tensor floats(eval::Shape shape, std::vector<float> values) {
  Tensor tensor;
  tensor.shape = std::move(shape);
  tensor.allocate();
  for (size_t i = 0; i < values.size(); ++i)
    tensor.data<float>()[i] = values[i];
  return tensor;
}

static Tensor codes(std::vector<int8_t> values, float scale,
                    int64_t zeroPoint) {
  Tensor tensor;
  tensor.shape = {static_cast<int64_t>(values.size())};
  tensor.element = Element::I8;
  tensor.quant = eval::Quantization{-128, 127, {scale}, {zeroPoint}, -1};
  tensor.allocate();
  for (size_t i = 0; i < values.size(); ++i)
    eval::storeInt(tensor, i, values[i]);
  return tensor;
}

// Reals of the reference: 0.5 * {0, 4, 8} = 0, 2, 4, energy 20. Ours is one
// step, 0.5, away in one element: 10 log10(20 / 0.25) = 19.03.
TEST(TensorDistance, Codes) {
  auto result =
      distance(codes({3, 8, 11}, 0.5f, 3), codes({3, 7, 11}, 0.5f, 3));
  EXPECT_TRUE(result.isCodes);
  EXPECT_FALSE(result.isFloat);
  EXPECT_EQ(result.type, "int8 codes");
  EXPECT_EQ(result.count, 3);
  EXPECT_EQ(result.different, 1);
  EXPECT_EQ(result.largest, 1);
  EXPECT_EQ(result.histogram, (std::map<int64_t, int64_t>{{0, 2}, {1, 1}}));
  ASSERT_TRUE(result.sqnr);
  EXPECT_NEAR(*result.sqnr, 10 * std::log10(20 / 0.25), 1e-12);
}

TEST(TensorDistance, EqualTensorsHaveNoRatio) {
  Tensor tensor = codes({1, 2}, 1, 0);
  auto result = distance(tensor, tensor);
  EXPECT_EQ(result.different, 0);
  EXPECT_FALSE(result.sqnr);
}

// Two NaNs are equal, and no ratio comes of them.
TEST(TensorDistance, Floats) {
  float nan = std::numeric_limits<float>::quiet_NaN();
  auto result = distance(floats({3}, {1, nan, 2}), floats({3}, {1, nan, 2.5f}));
  EXPECT_TRUE(result.isFloat);
  EXPECT_TRUE(result.histogram.empty());
  EXPECT_EQ(result.different, 1);
  EXPECT_EQ(result.largest, 0.5);
  EXPECT_FALSE(result.sqnr);
}

// Rows {1, 3, 2} and {5, 5, 0} decide for 1 and, the first of equals, for 0.
TEST(TensorDistance, Decisions) {
  Tensor ours = floats({2, 3}, {1, 3, 2, 5, 5, 0});
  auto same = decisionAgreement(ours, ours);
  EXPECT_EQ(same.agree, 2);
  EXPECT_EQ(same.count, 2);
  auto other = decisionAgreement(ours, floats({2, 3}, {1, 3, 2, 5, 6, 0}));
  EXPECT_EQ(other.agree, 1);
}
