//===- UnaryBlockTest.cpp -------------------------------------------------===//

#include "tally/quant/UnaryBlock.h"
#include "tally/quant/OracleForTests.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace tally;
using namespace tally::quant;
using oracle::Random;

// The grids of the worked example in UnaryBlockDerive.cpp.
static const Grid coarse = Grid::perTensor(i8, 0.05f, 3);
static const Grid fine = Grid::perTensor(i8, 1.0f / 128, 0);

template <class Block> static Block must(Result<Block> block) {
  EXPECT_TRUE(block) << block.error().str();
  return *block;
}

static UnaryTable idealOf(UnaryFunction f, const Grid &in, const Grid &out) {
  return must(buildUnaryTable(f, in, out));
}

//===----------------------------------------------------------------------===//
// Abs and Sign
//===----------------------------------------------------------------------===//

// The types are the tags: no conversion leads from one kind to another.
static_assert(!std::is_convertible_v<TwoSlopeBlock, ThreeStepBlock>);
static_assert(!std::is_constructible_v<ThreeStepBlock, TwoSlopeBlock>);
static_assert(!std::is_assignable_v<ThreeStepBlock &, TwoSlopeBlock>);

TEST(UnaryBlock, absScalesAndSignCompares) {
  auto abs = must(TwoSlopeBlock::derive({UnaryKind::Abs}, coarse, fine));
  auto sign = must(ThreeStepBlock::derive({UnaryKind::Sign}, coarse, fine));
  // q1: real 0.05 (q1 - 3); steps of 1/128: |q1 - 3| * 6.4, and +-128.
  EXPECT_EQ(abs.apply(-128), 127); // 838.4 saturates
  EXPECT_EQ(abs.apply(3), 0);
  EXPECT_EQ(abs.apply(4), 6);   // 6.4
  EXPECT_EQ(abs.apply(10), 45); // 44.8
  EXPECT_EQ(sign.apply(-128), -128);
  EXPECT_EQ(sign.apply(3), 0);
  EXPECT_EQ(sign.apply(4), 127); // 128 saturates
  EXPECT_EQ(sign.apply(10), 127);
}

TEST(UnaryBlock, signThroughAbssMultiplierIsWrong) {
  // What a shared parameter set would compute: the sign, scaled by s1 / s2 =
  // 6.4 where 1 / s2 = 128 is meant.
  auto abs = must(TwoSlopeBlock::derive({UnaryKind::Abs}, coarse, fine));
  const FixedLine &slope = abs.channels[0].above;
  auto wrong = [&](int64_t q1) { return slope.round((q1 > 3) - (q1 < 3)); };
  EXPECT_EQ(wrong(-128), -6); // instead of -128
  EXPECT_EQ(wrong(3), 0);
  EXPECT_EQ(wrong(4), 6);  // instead of 127
  EXPECT_EQ(wrong(10), 6); // instead of 127
}

TEST(UnaryBlock, aBlockOfAnotherOperatorIsAnInternalError) {
  UnaryBlock abs = must(TwoSlopeBlock::derive({UnaryKind::Abs}, coarse, fine));
  UnaryTable sign = idealOf({UnaryKind::Sign}, coarse, fine);
  Status status = verifyBlock(abs, sign);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().rule, "BLK-VERIFY");
  EXPECT_EQ(status.error().kind, FailureKind::Internal);
  // Raw order begins at code 0: |0 - 3| * 6.4 = 19.2.
  EXPECT_EQ(status.error().message,
            "two-slope block gives 19 for code 0, IDEAL is -128");
}

//===----------------------------------------------------------------------===//
// Every kind and function
//===----------------------------------------------------------------------===//

struct Form {
  UnaryFunction function;
  BlockKind kind;
};

static const Form forms[] = {
    {{UnaryKind::Identity}, BlockKind::Affine},
    {{UnaryKind::Neg}, BlockKind::Affine},
    {{UnaryKind::Relu}, BlockKind::Affine},
    {{UnaryKind::Clip, 0, 6}, BlockKind::Affine},
    {{UnaryKind::Clip, 2, 1}, BlockKind::Affine},
    {{UnaryKind::Clip, -INFINITY, 0.3f}, BlockKind::Affine},
    {{UnaryKind::HardSigmoid, 0.2f, 0.5f}, BlockKind::Affine},
    {{UnaryKind::HardSigmoid, -1.5f, 0.25f}, BlockKind::Affine},
    {{UnaryKind::Abs}, BlockKind::TwoSlope},
    {{UnaryKind::LeakyRelu, 0.01f}, BlockKind::TwoSlope},
    {{UnaryKind::LeakyRelu, -1.5f}, BlockKind::TwoSlope},
    {{UnaryKind::PRelu, 0.25f}, BlockKind::TwoSlope},
    {{UnaryKind::Sign}, BlockKind::ThreeStep},
    {{UnaryKind::Sigmoid}, BlockKind::Table256},
    {{UnaryKind::HardSwish}, BlockKind::Table256},
};

static Grid randomGrid(Random &random, CodeType type) {
  static const float scales[] = {1.0f / 128, 1.0f / 3, 0.05f, 1e-30f, 1e8f, 1};
  int64_t pick = random.within(0, 8);
  float scale =
      pick < 6 ? scales[pick]
               : float(std::exp(double(random.within(-9000, 3000)) / 1000));
  int64_t zeros[] = {type.min(), type.min() + 1, type.max(), type.max() / 2,
                     random.within(type.min(), type.max())};
  return Grid::perTensor(type, scale, int32_t(zeros[random.within(0, 4)]));
}

TEST(UnaryBlock, theFirstKindThatFitsEqualsIdeal) {
  Random random(11);
  int64_t preferred = 0, all = 0;
  for (int round = 0; round < 60; ++round)
    for (const Form &form : forms)
      for (CodeType type : {i8, u8, i4}) {
        Grid in = randomGrid(random, type), out = randomGrid(random, type);
        BlockKind kinds[] = {form.kind, BlockKind::Table256};
        // deriveBlock verifies every code of the decoded bytes.
        auto block = deriveBlock(form.function, in, out, kinds);
        ASSERT_TRUE(block) << block.error().str();
        ++all;
        preferred += kindOf(*block) == form.kind;
        UnaryTable ideal = idealOf(form.function, in, out);
        ASSERT_EQ(tableOf(*block), ideal);
      }
  EXPECT_GT(preferred, all * 97 / 100);
}

TEST(UnaryBlock, channelsHaveTheirOwnSlopes) {
  // Slopes 1/4, -2 and 3 units of 0.1.
  RealSlope slopes[] = {{0.25f, 1}, {-2, 1}, {3, 0.1f}};
  auto block = must(TwoSlopeBlock::derive(slopes, coarse, coarse));
  ASSERT_EQ(block.channels.size(), 3u);
  EXPECT_EQ(block.apply(-17, 0), -2); // -20 / 4 = -5, + 3
  EXPECT_EQ(block.apply(-17, 1), 43); // 40 + 3
  EXPECT_EQ(block.apply(-17, 2), -3); // -6 + 3, 0.1f is a little above 0.1
  for (size_t channel : {0u, 1u, 2u})
    EXPECT_EQ(block.apply(20, channel), 20);
  UnaryTable quarter = idealOf({UnaryKind::PRelu, 0.25f}, coarse, coarse);
  EXPECT_TRUE(verifyBlock(block, quarter, 0));
  EXPECT_FALSE(verifyBlock(block, quarter, 1));
}

TEST(UnaryBlock, negationOntoTheMirroredGridFlipsBits) {
  BlockKind kinds[] = {BlockKind::Xor, BlockKind::Affine};
  Grid in = Grid::perTensor(u8, 0.1f, 100),
       out = Grid::perTensor(u8, 0.1f, 155);
  auto block = must(deriveBlock({UnaryKind::Neg}, in, out, kinds));
  EXPECT_EQ(kindOf(block), BlockKind::Xor);
  EXPECT_EQ(applyBlock(block, 0), 255); // -(0 - 100) = 100, + 155
  EXPECT_EQ(applyBlock(block, 255), 0); // -155 + 155
  // One step beside the mirror, 255 saturates and Xor refuses.
  out.zeroPoints = {156};
  block = must(deriveBlock({UnaryKind::Neg}, in, out, kinds));
  EXPECT_EQ(kindOf(block), BlockKind::Affine);
  EXPECT_EQ(applyBlock(block, 0), 255); // 256 saturates
  Grid i = Grid::perTensor(i8, 0.5f, 0), mirror = Grid::perTensor(i8, 0.5f, -1);
  block = must(deriveBlock({UnaryKind::Neg}, i, mirror, kinds));
  EXPECT_EQ(kindOf(block), BlockKind::Xor);
  EXPECT_EQ(applyBlock(block, -128), 127);
}

TEST(UnaryBlock, plainBitsFlip) {
  EXPECT_EQ(XorBlock::flipAll(i32).apply(0), -1);
  EXPECT_EQ(XorBlock::flipAll(u8).apply(0), 255);
  EXPECT_EQ(XorBlock::flipAll({64, true}).apply(INT64_MIN), INT64_MAX);
  EXPECT_EQ(XorBlock::flipBoolean().apply(1), 0);
}

TEST(UnaryBlock, sixteenBitTablesStateTheirBound) {
  Grid in = Grid::perTensor(i16, 1.0f / 4096, 0);
  Grid out = Grid::perTensor(i16, 1.0f / 32768, 0);
  UnaryTable ideal = idealOf({UnaryKind::Tanh}, in, out);
  TableBlock full = TableBlock::of(ideal);
  EXPECT_EQ(full.entries.size(), 65536u);
  EXPECT_EQ(full.bound, 0);
  EXPECT_TRUE(verifyBlock(full, ideal));
  TableBlock coarse513 = TableBlock::of(ideal, 7);
  EXPECT_EQ(coarse513.entries.size(), 513u);
  // A chord of length h = 128/4096 errs by h^2/8 max|tanh''| = 9.4e-5, about 3
  // steps of 2^-15, and half a step for each rounding.
  EXPECT_GE(coarse513.bound, 3);
  EXPECT_LE(coarse513.bound, 5);
  EXPECT_TRUE(verifyBlock(coarse513, ideal));
  --coarse513.bound;
  EXPECT_FALSE(verifyBlock(coarse513, ideal));
}

TEST(UnaryBlock, otherProfilesAreTablesOnly) {
  BlockKind kinds[] = {BlockKind::TwoSlope, BlockKind::Table256};
  auto block = must(deriveBlock({UnaryKind::LeakyRelu, 0.1f}, coarse, fine,
                                kinds, Profile::OnnxRuntime));
  EXPECT_EQ(kindOf(block), BlockKind::Table256);
}

//===----------------------------------------------------------------------===//
// Refusals
//===----------------------------------------------------------------------===//

template <class Block> static std::string ruleOf(const Result<Block> &block) {
  return block ? "none" : block.error().rule;
}

TEST(UnaryBlock, kindsRefuseOtherFunctions) {
  UnaryFunction abs{UnaryKind::Abs}, sign{UnaryKind::Sign};
  EXPECT_EQ(ruleOf(TwoSlopeBlock::derive(sign, coarse, fine)), "BLK-KIND");
  EXPECT_EQ(ruleOf(ThreeStepBlock::derive(abs, coarse, fine)), "BLK-KIND");
  EXPECT_EQ(ruleOf(AffineBlock::derive(abs, coarse, fine)), "BLK-KIND");
  EXPECT_EQ(ruleOf(XorBlock::derive(abs, coarse, fine)), "BLK-KIND");
  EXPECT_EQ(ruleOf(XorBlock::derive({UnaryKind::Neg}, coarse, fine)),
            "BLK-FIT");
  Grid wide = Grid::perTensor(i16, 0.05f, 0);
  EXPECT_EQ(ruleOf(Table256Block::derive(abs, wide, fine)), "BLK-WIDTH");
  EXPECT_EQ(ruleOf(Table256Block::derive(abs, fine, wide)), "BLK-WIDTH");
}

TEST(UnaryBlock, grandTotalOfRefusalsIsTold) {
  BlockKind kinds[] = {BlockKind::Affine, BlockKind::ThreeStep};
  auto block = deriveBlock({UnaryKind::Abs}, coarse, fine, kinds);
  ASSERT_FALSE(block);
  EXPECT_EQ(block.error().message,
            "no block fits: no affine block for Abs: the function is not of "
            "this form; no three-step block for Abs: the function is not of "
            "this form");
}

TEST(UnaryBlock, aMissedRoundingNamesTheCode) {
  // The nearest multiplier of 8 bits, 185/512 = 0.36133, is 2.3e-4 too large in
  // relative terms: over 32768 steps it is off by 2.6 codes.
  Grid in = Grid::perTensor(i16, 0.36125f, 0), out = Grid::perTensor(i16, 1, 0);
  auto block = AffineBlock::derive({UnaryKind::Identity}, in, out, 8);
  ASSERT_FALSE(block);
  EXPECT_EQ(block.error().rule, "BLK-FIT");
  EXPECT_NE(block.error().message.find("no affine block for Identity: no "
                                       "multiplier of 8 bits rounds as IDEAL "
                                       "does: code "),
            std::string::npos)
      << block.error().message;
  RealSlope slopes[] = {{0.5f, 1}, {0.36125f, 1}};
  auto channels = TwoSlopeBlock::derive(slopes, in, in, 8);
  ASSERT_FALSE(channels);
  EXPECT_NE(channels.error().message.find("channel 1: "), std::string::npos);
}
