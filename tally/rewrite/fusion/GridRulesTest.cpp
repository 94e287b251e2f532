//===- GridRulesTest.cpp - the laws, by trying every code -----------------===//
//
// The judge here is exact arithmetic on quarters of steps: a value x = h / 4
// steps of the first grid, rounded twice and once. Quarters hold all ties of
// the first grid and what lies beside them.
//
//===----------------------------------------------------------------------===//

#include "tally/rewrite/fusion/GridRules.h"

#include "mlir/Dialect/Quant/IR/Quant.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

using namespace mlir;
using namespace tally::nn;
using namespace tally::rewrite;

namespace {
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr ClampBounds kRelu = {0, kInfinity};

class GridRules : public ::testing::Test {
protected:
  GridRules() { context.loadDialect<quant::QuantDialect>(); }

  UniformQuantizedType grid(double scale, int64_t zero, int bits = 8,
                            bool isSigned = true) {
    auto min =
        UniformQuantizedType::getDefaultMinimumForInteger(isSigned, bits);
    auto max =
        UniformQuantizedType::getDefaultMaximumForInteger(isSigned, bits);
    return UniformQuantizedType::get(
        isSigned ? quant::QuantizationFlags::Signed : 0,
        IntegerType::get(&context, bits), Float32Type::get(&context), scale,
        zero, min, max);
  }

  MLIRContext context;
};

/// RHE(n / d) for d > 0.
int64_t roundHalfEven(int64_t n, int64_t d) {
  int64_t q = n / d - (n % d < 0), twice = 2 * (n - q * d);
  return twice > d || (twice == d && q % 2 != 0) ? q + 1 : q;
}

int64_t saturate(UniformQuantizedType type, int64_t code) {
  return std::clamp(code, type.getStorageTypeMin(), type.getStorageTypeMax());
}

/// The code of x = h / 4 first steps on a second grid of m steps, rounded
/// twice.
int64_t twice(int64_t h, int64_t m, UniformQuantizedType first,
              UniformQuantizedType second) {
  int64_t code = saturate(first, roundHalfEven(h, 4) + first.getZeroPoint());
  return saturate(second, roundHalfEven(code - first.getZeroPoint(), m) +
                              second.getZeroPoint());
}

int64_t once(int64_t h, int64_t m, UniformQuantizedType second) {
  return saturate(second, roundHalfEven(h, 4 * m) + second.getZeroPoint());
}
} // namespace

// Inside both ranges, two roundings equal one exactly for the ratios that the
// rule allows.
TEST_F(GridRules, ratioIsAllowedExactlyWhenNothingDiffers) {
  for (int64_t m = 1; m <= 40; ++m) {
    UniformQuantizedType first = grid(0.25, 0, 16), second = grid(0.25 * m, 0);
    int64_t different = 0;
    for (int64_t h = -100 * m; h <= 100 * m; ++h)
      different += twice(h, m, first, second) != once(h, m, second);
    EXPECT_EQ(ratioKeepsRounding(first, second), different == 0) << m;
    EXPECT_EQ(m % 4 == 1, different == 0) << m;
  }
}

// m = 3, v = 1.5: first 2, then 2/3 -> 1; at once 1.5 / 3 = 0.5 -> 0.
TEST_F(GridRules, threeTimesTheScaleDiffersOnTies) {
  UniformQuantizedType first = grid(1, 0), second = grid(3, 0);
  EXPECT_EQ(twice(6, 3, first, second), 1);
  EXPECT_EQ(once(6, 3, second), 0);
  EXPECT_FALSE(ratioKeepsRounding(first, second));
}

TEST_F(GridRules, ratioIsThatOfTheFp32Numbers) {
  EXPECT_TRUE(ratioKeepsRounding(grid(0.1, 3), grid(0.1, -7)));
  EXPECT_TRUE(ratioKeepsRounding(grid(0.1, 3), grid(0.1, 3, 16)));
  // 5 * 0.1f is not 0.5f.
  EXPECT_FALSE(ratioKeepsRounding(grid(0.1, 0), grid(0.5, 0)));
  // Finer, and no multiple.
  EXPECT_FALSE(ratioKeepsRounding(grid(0.625, 0), grid(0.125, 0)));
  EXPECT_FALSE(ratioKeepsRounding(grid(0.125, 0), grid(0.3, 0)));
  EXPECT_EQ(ratioText(grid(0.125, 0), grid(0.625, 0)), "5");
  EXPECT_EQ(ratioText(grid(0.75, 0), grid(0.5, 0)), "2/3");
  EXPECT_EQ(ratioText(grid(0.1, 0), grid(0.127, 0)), "1.27");
}

/// Two roundings with saturation equal one and a clamp to the codes of
/// `saturationBounds`, far beyond both ranges, too.
static void expectSaturation(int64_t m, UniformQuantizedType first,
                             UniformQuantizedType second) {
  ASSERT_TRUE(ratioKeepsRounding(first, second));
  auto bounds = saturationBounds(first, second);
  ASSERT_TRUE(bounds.has_value());
  auto codeOf = [&](float bound) {
    return saturate(second, std::llrint(bound / second.getScale()) +
                                second.getZeroPoint());
  };
  int64_t lo = codeOf(bounds->low), hi = codeOf(bounds->high);
  EXPECT_EQ(saturatesAlike(first, second),
            lo == second.getStorageTypeMin() &&
                hi == second.getStorageTypeMax());
  int64_t bits = first.getStorageTypeIntegralWidth();
  int64_t range = int64_t(5) << bits, step = bits > 8 ? 37 : 1;
  for (int64_t h = -range; h <= range; h += step)
    ASSERT_EQ(twice(h, m, first, second),
              std::clamp(once(h, m, second), lo, hi))
        << h;
}

TEST_F(GridRules, saturationOfTheFirstGridIsAClampOnTheSecond) {
  for (int64_t m : {1, 5, 101})
    for (int64_t z1 : {-128, -1, 127})
      for (int64_t z2 : {-128, 0, 127}) {
        expectSaturation(m, grid(0.5, z1), grid(0.5 * m, z2));
        expectSaturation(m, grid(0.5, z1, 16), grid(0.5 * m, z2));
        expectSaturation(m, grid(0.5, z1), grid(0.5 * m, z2, 16));
        expectSaturation(m, grid(0.5, z1 + 128, 8, false), grid(0.5 * m, z2));
      }
}

TEST_F(GridRules, boundsBeyondFp32AreNone) {
  EXPECT_FALSE(saturationBounds(grid(3e38, 0), grid(3e38, 1)).has_value());
  EXPECT_TRUE(saturationBounds(grid(1e36, 0), grid(1e36, 1)).has_value());
}

//===----------------------------------------------------------------------===//
// Clamps
//===----------------------------------------------------------------------===//

TEST_F(GridRules, reluIsIdentityOnlyWithTheZeroAtTheTypesMinimum) {
  for (int bits : {8, 16})
    for (bool isSigned : {true, false}) {
      UniformQuantizedType any = grid(0.5, 0, bits, isSigned);
      int64_t min = any.getStorageTypeMin();
      for (int64_t above : {0, 1, 2, 10, 128}) {
        UniformQuantizedType type = grid(0.5, min + above, bits, isSigned);
        EXPECT_EQ(clampIsIdentity(kRelu, type, type), above == 0)
            << bits << isSigned << above;
      }
    }
  // The minimum of i8 says nothing about i16.
  UniformQuantizedType wide = grid(0.5, -128, 16);
  EXPECT_FALSE(clampIsIdentity(kRelu, wide, wide));
}

// A narrow grid names -127 as its minimum, but its storage can hold -128.
TEST_F(GridRules, narrowGridsKeepTheirClamps) {
  UniformQuantizedType narrow = UniformQuantizedType::get(
      quant::QuantizationFlags::Signed, IntegerType::get(&context, 8),
      Float32Type::get(&context), 0.5, -127, -127, 127);
  EXPECT_FALSE(clampIsIdentity(kRelu, narrow, narrow));
}

// clip(0, 6) on s = 6/255, z = 0 of u8: 6 / s is 255 or a little more or less,
// and rounds to 255 = qmax. On s = 6/254 it rounds to 254, and code 255 falls.
TEST_F(GridRules, clipIsIdentityWhenBothBoundsRoundToTheRange) {
  UniformQuantizedType type = grid(6.0 / 255, 0, 8, false);
  EXPECT_TRUE(clampIsIdentity({0, 6}, type, type));
  UniformQuantizedType finer = grid(6.0 / 254, 0, 8, false);
  EXPECT_FALSE(clampIsIdentity({0, 6}, finer, finer));
  // To another grid the real of code 255 itself must not be beyond 6.
  UniformQuantizedType coarse = grid(0.125, 0, 8, false);
  EXPECT_TRUE(clampIsIdentity({0, 31.875}, coarse, type));
  EXPECT_FALSE(clampIsIdentity({0, 31.84}, coarse, type));
  EXPECT_TRUE(clampIsIdentity({0, 31.84}, coarse, coarse));
}

TEST_F(GridRules, composedClampsAreTheirComposition) {
  auto apply = [](ClampBounds c, float x) {
    float raised = x < c.low ? c.low : x;
    return c.high < raised ? c.high : raised;
  };
  float values[] = {-kInfinity, -3, -1, 0, 2, 5, kInfinity};
  for (float a : values)
    for (float b : values)
      for (float c : values)
        for (float d : values) {
          ClampBounds one = composed({a, b}, {c, d});
          for (float x = -4; x <= 6; x += 0.5f)
            EXPECT_EQ(apply(one, x), apply({c, d}, apply({a, b}, x)))
                << a << b << c << d << x;
        }
}
