//===- ExponentialsTest.cpp -----------------------------------------------===//

#include "tally/quant/Exponentials.h"

#include <gtest/gtest.h>

#include <cfloat>
#include <cmath>

using namespace tally::quant;

TEST(Exponentials, KnownValues) {
  // exp(0) = 1, exp(-0.5) = 0.60653065971263342, times 2^30 = 651257336.7...
  auto half = exponentials30(0.5f, 3);
  ASSERT_EQ(half.size(), 3u);
  EXPECT_EQ(half[0], 1 << 30);
  EXPECT_EQ(half[1], 651257337);
  // exp(-1) = 0.36787944117144233, times 2^30 = 395007542.13...
  EXPECT_EQ(half[2], 395007542);
}

// Long double has 64 bits, 34 more than an entry: it decides every entry that
// is not within 2^-30 of a tie.
TEST(Exponentials, NearLongDouble) {
  for (float scale : {1.0f / 256, 0.0123f, 0.1f, 3.7f}) {
    auto table = exponentials30(scale, 256);
    for (int d = 0; d < 256; ++d) {
      long double exact = std::ldexp(std::exp(-(long double)scale * d), 30);
      EXPECT_LE(std::fabs(table[d] - exact), 0.5L + 1e-6L) << scale << " " << d;
    }
  }
}

// Far codes contribute nothing: exp(-100) * 2^30 is below 1e-34.
TEST(Exponentials, Vanish) { EXPECT_EQ(exponentials30(100.0f, 2)[1], 0); }

// log(FLT_MAX / 4) = 87.34 is 87.336 in fp32; less 5, e^82.336 is the entry of
// the largest code, and every step of 0.5 divides by e^0.5.
TEST(Exponentials, OnnxRuntimeLeavesRoomForTheSum) {
  auto table = onnxRuntimeExponentials(0.5f, 4);
  ASSERT_EQ(table.size(), 256u);
  EXPECT_NEAR(std::log(double(table[0])), std::log(FLT_MAX / 4.0) - 5, 1e-5);
  for (int d = 1; d < 256; ++d)
    EXPECT_NEAR(table[d] / table[d - 1], std::exp(-0.5f), 1e-6) << d;
}

// A scale so large that the next code vanishes: e^-1000.
TEST(Exponentials, OnnxRuntimeVanishes) {
  EXPECT_EQ(onnxRuntimeExponentials(1000.0f, 4)[1], 0);
}
