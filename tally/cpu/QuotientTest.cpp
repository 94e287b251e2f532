//===- QuotientTest.cpp - three operations are a division -----------------===//
//
// The sequence of Quotient.h, on this machine's numbers. Powers of two scale
// all of its steps alike, so fractions between 1 and 2 are all that matters.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/Quotient.h"

#include "gtest/gtest.h"

#include <bit>
#include <cmath>
#include <random>

namespace {

float fraction(uint32_t bits) {
  return std::bit_cast<float>(0x3f800000 | bits);
}

float threeSteps(float x, float divisor, float reciprocal) {
  float q = x * reciprocal;
  float rest = std::fma(-q, divisor, x);
  return std::fma(rest, reciprocal, q);
}

/// How many of the 2^23 numbers from 1 to 2 have another quotient.
int64_t differences(float divisor) {
  float reciprocal = 1.0f / divisor;
  int64_t count = 0;
  for (uint32_t bits = 0; bits < (1u << 23); ++bits) {
    float x = fraction(bits);
    count += threeSteps(x, divisor, reciprocal) != x / divisor;
  }
  return count;
}

/// The smallest and largest fractions are where a reciprocal is off most.
TEST(Quotient, IsTheDivisionsForEveryNumerator) {
  for (uint32_t bits : {0u, 1u, 2u, 0x7ffffdu, 0x7ffffeu, 0x7fffffu})
    EXPECT_EQ(differences(fraction(bits)), 0) << bits;
  std::mt19937 random(1);
  for (int i = 0; i < 4; ++i) {
    uint32_t bits = random() & 0x7fffff;
    EXPECT_EQ(differences(fraction(bits)), 0) << bits;
  }
}

/// At the ends of what the header promises: a share of 2^-100, a sum of 2^20.
TEST(Quotient, HoldsForSmallShares) {
  std::mt19937 random(2);
  for (int i = 0; i < 1000000; ++i) {
    float x = std::ldexp(fraction(random() & 0x7fffff), -80);
    float divisor = std::ldexp(fraction(random() & 0x7fffff), 19);
    EXPECT_EQ(threeSteps(x, divisor, 1.0f / divisor), x / divisor);
  }
}

TEST(Quotient, NeedsAModerateDivisor) {
  EXPECT_TRUE(tally::cpu::isModerate(0.003f));
  EXPECT_FALSE(tally::cpu::isModerate(0x1p-61f));
  EXPECT_FALSE(tally::cpu::isModerate(0x1p61f));
}

} // namespace
