//===- DyadicTest.cpp -----------------------------------------------------===//

#include "tally/quant/Dyadic.h"
#include "tally/quant/OracleForTests.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace tally::quant;

TEST(Dyadic, keepsOddMantissas) {
  Dyadic x = Dyadic::of(0.75); // 3 * 2^-2
  EXPECT_EQ(x.mantissa(), 3);
  EXPECT_EQ(x.exponent(), -2);
  EXPECT_EQ(Dyadic::of(0x1p-149f).exponent(), -149);
  EXPECT_TRUE(Dyadic::of(-0.0).isZero());
  EXPECT_EQ(Dyadic::ofInt(-48), Dyadic::of(-48.0));
}

TEST(Dyadic, productsAndSumsAreExact) {
  // 1 + 2^-200 keeps both bits.
  Dyadic tiny = Dyadic::of(0x1p-100) * Dyadic::of(0x1p-100);
  Dyadic sum = Dyadic::of(1) + tiny;
  EXPECT_EQ(sum.mantissa(), (mpz_class(1) << 200) + 1);
  EXPECT_EQ(sum + -Dyadic::of(1), tiny);
  EXPECT_TRUE((sum + -sum).isZero());
  EXPECT_EQ(Dyadic::of(0.5f).approximate(), 0.5);
}

TEST(Dyadic, decomposeIsExact) {
  for (float x : {1.0f, 0.1f, 3e38f, 1e-45f, 7.0f}) {
    SmallDyadic d = decompose(x);
    EXPECT_EQ(double(d.mantissa) * std::exp2(d.exponent), double(x));
    EXPECT_EQ(d.mantissa % 2, 1);
  }
}

TEST(Rounding, halfEvenEqualsTheOracle) {
  for (int d = 1; d <= 12; ++d)
    for (int n = -60; n <= 60; ++n)
      ASSERT_EQ(roundHalfEven(n, d), oracle::roundHalfEven(mpq_class(n) / d))
          << n << "/" << d;
}

TEST(Rounding, floorDivRoundsDown) {
  EXPECT_EQ(int64_t(floorDiv(-7, 2)), -4);
  EXPECT_EQ(int64_t(floorDiv(7, 2)), 3);
  EXPECT_EQ(int64_t(floorDiv(-8, 2)), -4);
}
