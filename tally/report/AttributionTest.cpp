//===- AttributionTest.cpp - every rule, and what no rule explains --------===//

#include "tally/report/Attribution.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace tally::report;

/// Steps as a fine value.
static int64_t fine(double steps) {
  return static_cast<int64_t>(std::ldexp(steps, kFineBits));
}

/// Ours is `ours`, and so is what our rule gives from the same operands.
static CodeEvidence evidence(double exact, int64_t ours, int64_t reference) {
  CodeEvidence e;
  e.ours = e.local = ours;
  e.reference = reference;
  e.exact = fine(exact);
  return e;
}

// Ours 5, the reference's 6; from its operands our rule gives 6 as well.
TEST(Attribution, InputDiffers) {
  CodeEvidence e = evidence(6.2, 5, 6);
  e.local = 6;
  e.operandsDiffer = true;
  EXPECT_EQ(attribute(e, {}), Rule::InputDiffers);
}

// The same without a different operand: our executor broke our own rule. That
// is explained by nothing, whatever else would fit.
TEST(Attribution, OwnFaultIsNotExplained) {
  CodeEvidence e = evidence(6.2, 5, 6);
  e.local = 6;
  e.fp32Scale = 6;
  EXPECT_EQ(attribute(e, {}), std::nullopt);
}

// 585 * s with s = (0.05296.. * 0.02409..) / 0.11484.. is 6.50000047, so 7; s
// in fp32 makes it 6.5, a tie, so 6.
TEST(Attribution, TieFp32) {
  CodeEvidence e = evidence(6.50000047, 7, 6);
  EXPECT_EQ(attribute(e, {}), std::nullopt);
  e.fp32Scale = 6;
  EXPECT_EQ(attribute(e, {}), Rule::TieFp32);
  e.fp32Scale = 7; // recomputed and not so: claimed by nobody
  EXPECT_EQ(attribute(e, {}), std::nullopt);
}

TEST(Attribution, IntegerKernel) {
  CodeEvidence e = evidence(13.7, 14, 13);
  EXPECT_EQ(attribute(e, {}), std::nullopt);
  e.integerKernel = 13;
  EXPECT_EQ(attribute(e, {}), Rule::IntegerKernel);
}

TEST(Attribution, DoubleRounding) {
  CodeEvidence e = evidence(2.4999, 2, 3);
  e.doubleRounding = 3;
  EXPECT_EQ(attribute(e, {}), Rule::DoubleRounding);
}

// 13.4999 may become 13.5001 in fp32 when the bound is 0.0002; at 0.00005 it
// may not, and at 13.3 neither.
TEST(Attribution, FloatIslandWithinBound) {
  CodeEvidence e = evidence(13.4999, 13, 14);
  e.floatBound = fine(0.0002);
  EXPECT_EQ(attribute(e, {}), Rule::FloatIsland);
  e.floatBound = fine(0.00005);
  EXPECT_EQ(attribute(e, {}), std::nullopt);
  e.exact = fine(13.3);
  e.floatBound = fine(0.0002);
  EXPECT_EQ(attribute(e, {}), std::nullopt);
}

// The bound leads to 14 at most, not to 15.
TEST(Attribution, FloatIslandReachesNoFurther) {
  CodeEvidence e = evidence(13.4999, 13, 15);
  e.floatBound = fine(0.0002);
  EXPECT_EQ(attribute(e, {}), std::nullopt);
}

TEST(Attribution, FloatIslandReproduced) {
  CodeEvidence e = evidence(13.3, 13, 14);
  e.inFloat = 14;
  EXPECT_EQ(attribute(e, {}), Rule::FloatIsland);
}

// An integer kernel explains it, too; a float that the reference shows says
// that it has none.
TEST(Attribution, ShownFloatDecides) {
  CodeEvidence e = evidence(13.4999, 13, 14);
  e.floatBound = fine(0.0002);
  e.fp32Scale = 14;
  EXPECT_EQ(attribute(e, {}), Rule::TieFp32);
  e.shown = fine(13.50005);
  e.shownCode = 14;
  EXPECT_EQ(attribute(e, {}), Rule::FloatIsland);
}

// 13.5003 is further from 13.4999 than sums in another order lead, and a float
// that rounds to 13 does not explain a 14, however near it is.
TEST(Attribution, ShownFloatMustBeNearAndGiveTheCode) {
  CodeEvidence e = evidence(13.4999, 13, 14);
  e.floatBound = fine(0.0002);
  e.shown = fine(13.5003);
  e.shownCode = 14;
  EXPECT_EQ(attribute(e, {}), std::nullopt);
  e.shown = fine(13.49995);
  e.shownCode = 13;
  EXPECT_EQ(attribute(e, {}), std::nullopt);
  e.inFloat = 14; // our order gives 14, the reference's did not
  EXPECT_EQ(attribute(e, {}), std::nullopt);
}

// Two roundings lead to the reference's code, but it is known to round once.
TEST(Attribution, ImpossibleRulesAreNotTried) {
  CodeEvidence e = evidence(2.4999, 2, 3);
  e.doubleRounding = 3;
  e.possible = rules({Rule::InputDiffers, Rule::TieFp32});
  EXPECT_EQ(attribute(e, {}), std::nullopt);
  e.fp32Scale = 3;
  EXPECT_EQ(attribute(e, {}), Rule::TieFp32);
}

// 2.5 rounds to 2, plus 3 is 5. 2.5 + 3 = 5.5 rounds to 6.
TEST(Attribution, ZeroPointBeforeRounding) {
  CodeGrid grid{3, -128, 127};
  EXPECT_EQ(attribute(evidence(2.5, 5, 6), grid),
            Rule::ZeroPointBeforeRounding);
  // No tie, no difference: 2.4 + 3 = 5.4 rounds to 5 either way.
  EXPECT_EQ(attribute(evidence(2.4, 5, 6), grid), std::nullopt);
}

// With an even zero point the order does not matter; -2.5 goes to -2 by half
// even, to -3 away from zero.
TEST(Attribution, TieAway) {
  EXPECT_EQ(attribute(evidence(-2.5, -2, -3), {}), Rule::TieAway);
  EXPECT_EQ(attribute(evidence(2.5, 2, 3), {}), Rule::TieAway);
  EXPECT_EQ(attribute(evidence(2.49, 2, 3), {}), std::nullopt);
}

// -3.5 goes to -4 by half even and away from zero, to -3 upwards.
TEST(Attribution, TieUp) {
  EXPECT_EQ(attribute(evidence(-3.5, -4, -3), {}), Rule::TieUp);
}

// 140 - 100 = 40; saturated first it is 127 - 100 = 27.
TEST(Attribution, SaturationOrder) {
  EXPECT_EQ(attribute(evidence(140, 40, 27), {-100, -128, 127}),
            Rule::SaturationOrder);
}

TEST(Attribution, NarrowRange) {
  EXPECT_EQ(attribute(evidence(-130.2, -128, -127), {}), Rule::NarrowRange);
  // -127.4 is -127 and no end of any range: ours would not have been -128.
  EXPECT_EQ(attribute(evidence(-127.4, -127, -126), {}), std::nullopt);
}

// 5.75 is 6 rounded, 5 cut. On a zero point of -10 the code -4.25 becomes -4
// when cut; stored 128 higher it is 123.75, cut to 123, which is -5.
TEST(Attribution, Truncation) {
  CodeEvidence e = evidence(5.75, 6, 5);
  e.possible = rules({Rule::Truncation});
  e.floatBound = fine(0.001);
  EXPECT_EQ(attribute(e, {}), Rule::Truncation);
  e.reference = 7;
  EXPECT_EQ(attribute(e, {}), std::nullopt);
  CodeEvidence low = evidence(5.75, -4, -5);
  low.possible = e.possible;
  low.floatBound = fine(0.001);
  EXPECT_EQ(attribute(low, {-10, -128, 127}), std::nullopt);
  EXPECT_EQ(attribute(low, {-10, -128, 127, 128}), Rule::Truncation);
}

// 5.9999 may be 6.0001 in fp32 and is cut to 5 or 6, but not to 4.
TEST(Attribution, TruncationWithinBound) {
  CodeEvidence e = evidence(5.9999, 5, 6);
  e.possible = rules({Rule::Truncation});
  e.floatBound = fine(0.0002);
  EXPECT_EQ(attribute(e, {}), Rule::Truncation);
  e.reference = 4;
  EXPECT_EQ(attribute(e, {}), std::nullopt);
}

// Four steps apart, far from every boundary.
TEST(Attribution, Unexplained) {
  CodeEvidence e = evidence(6.2, 6, 10);
  e.fp32Scale = e.doubleRounding = e.inFloat = 6;
  e.floatBound = fine(0.001);
  EXPECT_EQ(attribute(e, {}), std::nullopt);
}
