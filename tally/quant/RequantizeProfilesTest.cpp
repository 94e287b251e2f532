//===- RequantizeProfilesTest.cpp -----------------------------------------===//

#include "tally/quant/RequantizeProfiles.h"
#include "tally/quant/OracleForTests.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace tally::quant;
using oracle::Random;

TEST(TfliteMultiplier, keepsThirtyOneBits) {
  EXPECT_EQ(quantizeMultiplier(1.0), (TfliteMultiplier{1 << 30, 1}));
  EXPECT_EQ(quantizeMultiplier(0.25), (TfliteMultiplier{1 << 30, -1}));
  EXPECT_EQ(quantizeMultiplier(-0.25), (TfliteMultiplier{-(1 << 30), -1}));
  // 1 - 2^-40 rounds up to one, which takes one more shift.
  EXPECT_EQ(quantizeMultiplier(1 - 0x1p-40), (TfliteMultiplier{1 << 30, 1}));
  EXPECT_EQ(quantizeMultiplier(0x1p-32), (TfliteMultiplier{1 << 30, -31}));
  EXPECT_EQ(quantizeMultiplier(0x1p-33), (TfliteMultiplier{0, 0}));
  EXPECT_EQ(quantizeMultiplier(0x1p40), (TfliteMultiplier{INT32_MAX, 30}));
}

// A 33-bit intermediate kept in 32 bits would flip the signs of these.
TEST(TfliteMultiplier, oneRoundingKeepsSixtyFourBits) {
  EXPECT_EQ(scaleWithOneRounding(INT32_MAX, {INT32_MAX, 0}), 2147483646);
  EXPECT_EQ(scaleWithOneRounding((1 << 30) + 5, {1 << 30, 1}), 1073741829);
}

// r = 1/4 as M = 2^30, right shift 1.
TEST(TfliteMultiplier, twoRoundingsMakeTies) {
  TfliteMultiplier quarter{1 << 30, -1};
  EXPECT_EQ(scaleWithTwoRoundings(1, quarter), 1);
  EXPECT_EQ(scaleWithTwoRoundings(-1, quarter), 0);
  EXPECT_EQ(scaleWithOneRounding(1, quarter), 0);
  EXPECT_EQ(scaleWithOneRounding(-1, quarter), 0);
  EXPECT_EQ(scaleWithTwoRoundings(INT32_MIN, {INT32_MIN, 0}), INT32_MAX);
}

// Two roundings written with rationals: half up, then half away from zero.
TEST(TfliteMultiplier, twoRoundingsEqualTheirDefinition) {
  Random random(11);
  for (int i = 0; i < 20000; ++i) {
    TfliteMultiplier m{int32_t(random.within(1 << 30, INT32_MAX)),
                       int32_t(random.within(-12, 0))};
    int32_t x = int32_t(random.within(-100000, 100000));
    mpq_class first = mpq_class(x) * mpq_class(m.multiplier) / (1u << 31);
    mpz_class up;
    mpq_class raised = first + mpq_class(1, 2);
    mpz_fdiv_q(up.get_mpz_t(), raised.get_num().get_mpz_t(),
               raised.get_den().get_mpz_t());
    mpq_class second = mpq_class(up) / (1 << -m.leftShift);
    mpq_class away = abs(second) + mpq_class(1, 2);
    mpz_class magnitude;
    mpz_fdiv_q(magnitude.get_mpz_t(), away.get_num().get_mpz_t(),
               away.get_den().get_mpz_t());
    ASSERT_EQ(scaleWithTwoRoundings(x, m), magnitude.get_si() * sgn(second));
  }
}

// Published rate: 2^-(k+1) of accumulators differ by one at right shift k.
TEST(TfliteMultiplier, twoRoundingsDifferAtTheKnownRate) {
  Random random(12);
  for (int k = 1; k <= 4; ++k) {
    int64_t differing = 0, count = 200000;
    TfliteMultiplier m{int32_t((1 << 30) + 123456789), -k};
    for (int64_t i = 0; i < count; ++i) {
      int32_t x = int32_t(random.within(-1 << 20, 1 << 20));
      mpq_class y = mpq_class(x) * m.multiplier / (mpz_class(1) << (31 + k));
      differing +=
          scaleWithTwoRoundings(x, m) != oracle::roundHalfEven(y).get_si();
    }
    EXPECT_NEAR(double(differing) / double(count), std::exp2(-k - 1), 0.01);
  }
}

TEST(X86Conversion, outOfRangeIsTheSmallestInteger) {
  EXPECT_EQ(convertLikeX86(2.5f), 2);
  EXPECT_EQ(convertLikeX86(-3.5f), -4);
  EXPECT_EQ(convertLikeX86(0x1p31f), INT32_MIN);
  EXPECT_EQ(convertLikeX86(-0x1p31f), INT32_MIN);
  EXPECT_EQ(convertLikeX86(NAN), INT32_MIN);
  EXPECT_EQ(convertLikeX86(2147483520.0f), 2147483520);
}

// Zero point 1 and a product of 0.5: RHE(0.5) + 1 = 1, RHE(0.5 + 1) = 2.
TEST(OnnxRuntimeProfile, codeProductsRoundAfterTheZeroPoint) {
  RequantizeProblem p;
  p.inputScale = 0.5f;
  p.result = i8;
  p.zeroPoint = 1;
  p.profile = Profile::OnnxRuntime;
  EXPECT_EQ(apply(*deriveRequantize(p), 1), 1);
  p.isCodeProduct = true;
  EXPECT_EQ(apply(*deriveRequantize(p), 1), 2);
}

TEST(OnnxRuntimeProfile, scaleIsFormedFromLeftToRight) {
  RequantizeProblem p;
  p.inputScale = 0.1f;
  p.weightScale = 0.3f;
  p.outputScale = 0.7f;
  p.result = i8;
  p.profile = Profile::OnnxRuntime;
  volatile float product = 0.1f * 0.3f;
  EXPECT_EQ(deriveRequantize(p)->effectiveScale, product / 0.7f);
}

// The mean of two codes: fl32(0.1 / fl32(0.04 * 2)) is 1.25, so that the sum 2
// gives 2.5, to even; the exact quotient of the fp32 scales is just above.
TEST(OnnxRuntimeProfile, meansDivideTheScale) {
  RequantizeProblem problem;
  problem.inputScale = 0.1f;
  problem.outputScale = 0.04f;
  problem.divisor = 2;
  problem.accumulatorLo = -256;
  problem.accumulatorHi = 254;
  problem.result = i8;
  problem.profile = Profile::OnnxRuntime;
  auto record = deriveRequantize(problem);
  ASSERT_TRUE(record);
  EXPECT_EQ(record->effectiveScale, 1.25f);
  EXPECT_EQ(apply(*record, 2), 2);
  EXPECT_EQ(applyIdeal(problem, 2), 3);
}
