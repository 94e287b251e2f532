//===- GridTest.cpp -------------------------------------------------------===//

#include "tally/quant/Grid.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace tally;
using namespace tally::quant;

TEST(CodeType, rangesAndNames) {
  EXPECT_EQ(i4.min(), -8);
  EXPECT_EQ(i4.max(), 7);
  EXPECT_EQ(u16.max(), 65535);
  EXPECT_EQ(i32.min(), INT32_MIN);
  EXPECT_EQ(u32.max(), UINT32_MAX);
  for (CodeType type : {i4, u4, i8, u8, i16, u16, i32, u32})
    EXPECT_EQ(CodeType::fromName(type.name()), type);
  EXPECT_EQ(CodeType::fromName("i7"), std::nullopt);
}

TEST(CodeType, rawBitsAreTwosComplement) {
  EXPECT_EQ(i8.rawBits(-128), 128u);
  EXPECT_EQ(i8.rawBits(-1), 255u);
  EXPECT_EQ(i4.rawBits(-1), 15u);
  EXPECT_EQ(u8.rawBits(255), 255u);
  for (int64_t code = -128; code < 128; ++code)
    EXPECT_EQ(i8.fromRawBits(i8.rawBits(code)), code);
}

static std::string ruleOf(const Grid &grid) {
  Status status = validate(grid);
  return status ? "none" : status.error().rule;
}

TEST(Grid, refusesWithTheRule) {
  EXPECT_EQ(ruleOf(Grid::perTensor(i8, 0.1f, -128)), "none");
  EXPECT_EQ(ruleOf(Grid::perTensor({7, true}, 0.1f, 0)), "QNT-TYPE");
  EXPECT_EQ(ruleOf({i8, {}, {0}, -1}), "QNT-COUNT");
  EXPECT_EQ(ruleOf({i8, {1, 2}, {0}, -1}), "QNT-COUNT");
  EXPECT_EQ(ruleOf({i8, {1, 2}, {0, 0, 0}, 0}), "QNT-COUNT");
  for (float scale : {0.0f, -1.0f, INFINITY, NAN})
    EXPECT_EQ(ruleOf(Grid::perTensor(i8, scale, 0)), "QNT-SCALE");
  EXPECT_EQ(ruleOf({i8, {1, 0}, {0}, 0}), "QNT-SCALE");
  EXPECT_EQ(ruleOf(Grid::perTensor(i8, 1, 128)), "QNT-ZERO");
  EXPECT_EQ(ruleOf(Grid::perTensor(u4, 1, -1)), "QNT-ZERO");
}

TEST(Grid, tinyScalesKeepTheirDigits) {
  Status status = validate(Grid::perTensor(i8, -1e-12f, 0));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message,
            "scale 0 is -1e-12, expected a finite number above 0");
}

TEST(Grid, perAxisNeedsOneScalePerElement) {
  Grid grid{i8, {1, 2, 3}, {0}, 1};
  EXPECT_TRUE(validate(grid, 3));
  Status status = validate(grid, 4);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().str(),
            "axis 1 has 4 elements but 3 scales [QNT-CHANNELS]; give one scale "
            "per element of that axis");
}
