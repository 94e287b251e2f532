//===- RequantizeTest.cpp -------------------------------------------------===//

#include "tally/quant/Requantize.h"
#include "tally/quant/RequantizeOracleForTests.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace tally;
using namespace tally::quant;
using oracle::accumulatorsAtSteps;
using oracle::awkwardScales;
using oracle::conv;
using oracle::oracleCode;
using oracle::Random;
using oracle::zeroPoints;

static void expectIdeal(const RequantizeProblem &p, Random &random) {
  Result<RequantizeRecord> record = deriveRequantize(p);
  ASSERT_TRUE(record) << record.error().str();
  ASSERT_NE(record->certificate, Certificate::Deviates);
  std::vector<int64_t> places = accumulatorsAtSteps(p);
  for (int i = 0; i < 50; ++i)
    places.push_back(random.within(p.accumulatorLo, p.accumulatorHi));
  for (int64_t acc : places) {
    int64_t wanted = oracleCode(p, acc);
    ASSERT_EQ(apply(*record, acc), wanted) << explain(p, *record, acc);
    ASSERT_EQ(applyIdeal(p, acc), wanted);
  }
}

TEST(Requantize, trainedLikeScalesEqualTheOracle) {
  Random random(1);
  for (int i = 0; i < 300; ++i) {
    CodeType type = random.pick<CodeType>({i8, u8, i4, u4});
    float sx = float(std::exp2(-8 * random.unit())) * 0.1f;
    float sw = float(std::exp2(-8 * random.unit())) * 0.01f;
    float sy = float(std::exp2(-8 * random.unit())) * 0.2f;
    expectIdeal(conv(sx, sw, sy, type, random.pick(zeroPoints(type)),
                     random.within(1, 1 << 26)),
                random);
  }
}

TEST(Requantize, awkwardScalesEqualTheOracle) {
  Random random(2);
  auto scales = awkwardScales();
  for (int i = 0; i < 600; ++i) {
    CodeType type = random.pick<CodeType>({i8, u8, i4, u4});
    expectIdeal(conv(random.pick(scales), random.pick(scales),
                     random.pick(scales), type, random.pick(zeroPoints(type)),
                     int64_t(1) << random.within(0, 40)),
                random);
  }
}

TEST(Requantize, offsetsFactorsDivisorsAndClampsEqualTheOracle) {
  Random random(3);
  auto scales = awkwardScales();
  for (int i = 0; i < 600; ++i) {
    CodeType type = random.pick<CodeType>({i8, u8});
    auto zeros = zeroPoints(type);
    RequantizeProblem p =
        conv(random.pick(scales), random.pick(scales), random.pick(scales),
             type, random.pick(zeros), int64_t(1) << random.within(0, 31));
    p.factor = random.pick<float>({1, -1, 0, 0.3f, -2.5f});
    p.divisor = random.pick<int64_t>({1, 2, 3, 7, 49, 1000});
    p.offset = Dyadic::ofInt(random.within(-1000000, 1000000)) *
               Dyadic::of(random.pick(scales));
    int32_t lo = random.pick(zeros), hi = random.pick(zeros);
    p.clampLo = std::min(lo, hi);
    p.clampHi = std::max(lo, hi);
    expectIdeal(p, random);
  }
}

TEST(Requantize, sixteenBitResultsEqualTheOracle) {
  Random random(4);
  auto scales = awkwardScales();
  for (int i = 0; i < 30; ++i) {
    CodeType type = random.pick<CodeType>({i16, u16});
    float sx = i % 2 ? float(random.unit() * 0.01) : random.pick(scales);
    float sw = i % 2 ? float(random.unit() * 0.01) : random.pick(scales);
    float sy = i % 2 ? float(random.unit() * 0.01) : random.pick(scales);
    expectIdeal(conv(sx, sw, sy, type, random.pick(zeroPoints(type)),
                     int64_t(1) << random.within(8, 34)),
                random);
  }
}

TEST(Requantize, smallIntervalsEqualTheOracleEverywhere) {
  Random random(5);
  auto scales = awkwardScales();
  for (int i = 0; i < 200; ++i) {
    RequantizeProblem p = conv(random.pick(scales), 1, random.pick(scales), i8,
                               random.pick(zeroPoints(i8)), 700);
    p.divisor = random.pick<int64_t>({1, 2, 3, 4, 9});
    auto record = deriveRequantize(p);
    ASSERT_TRUE(record);
    for (int64_t acc = -700; acc <= 700; ++acc)
      ASSERT_EQ(apply(*record, acc), oracleCode(p, acc))
          << explain(p, *record, acc);
  }
}

// s_x s_w / s_y in exact terms takes 585 to 6.50000047, so 7; the fp32
// effective scale gives exactly 6.5, which goes to even.
TEST(Requantize, intervalsBeyondSaturationStayThere) {
  // Every accumulator saturates, so no step is reached; the formula must still
  // be beyond the last one. 1 * 1000 and 126 * 1000 are both above 127.
  Random random(6);
  for (float slope : {1000.0f, 1e11f, -1000.0f, 0x1p-3f})
    for (int64_t side : {-1, 1}) {
      RequantizeProblem p = conv(1, 1, 1, u8, 1, 0);
      p.factor = slope;
      int64_t near = std::abs(slope) < 1 ? 5000 : 1, far = near + 126;
      p.accumulatorLo = side > 0 ? near : -far;
      p.accumulatorHi = side > 0 ? far : -near;
      expectIdeal(p, random);
    }
}

TEST(Requantize, exampleWhereFp32ScaleMakesATie) {
  RequantizeProblem p = conv(0.05296124517917633f, 0.024093778803944588f,
                             0.11484327912330627f, i8, 0, 100000);
  EXPECT_EQ(apply(*deriveRequantize(p), 585), 7);
  p.profile = Profile::OnnxRuntime;
  auto fp32 = deriveRequantize(p);
  EXPECT_EQ(apply(*fp32, 585), 6);
  EXPECT_EQ(fp32->certificate, Certificate::OtherProfile);
  EXPECT_EQ(explain(p, *fp32, 585),
            "accumulator 585 is exactly 6.50000047 output steps: ideal code 7, "
            "but code 6 by fp32 effective scale 0.0111111114 (onnxruntime, "
            "other profile)");
  p.profile = Profile::TfliteSingle;
  EXPECT_EQ(apply(*deriveRequantize(p), 585), 7);
  p.profile = Profile::TfliteDouble;
  EXPECT_EQ(apply(*deriveRequantize(p), 585), 7);
}

// 1/4 of 1 and of -1 is no tie: 0. Two roundings make 1 of the first.
TEST(Requantize, quarterUnderEachProfile) {
  RequantizeProblem p = conv(0.25f, 1, 1, i8, 0, 1000);
  auto codes = [&](Profile profile) {
    p.profile = profile;
    auto record = deriveRequantize(p);
    return std::pair(apply(*record, 1), apply(*record, -1));
  };
  EXPECT_EQ(codes(Profile::Ideal), std::pair(0, 0));
  EXPECT_EQ(codes(Profile::OnnxRuntime), std::pair(0, 0));
  EXPECT_EQ(codes(Profile::TfliteDouble), std::pair(1, 0));
  EXPECT_EQ(codes(Profile::TfliteSingle), std::pair(0, 0));
}

// x = -129..128 at scale 1: the low end is -128, not -127.
TEST(Requantize, saturatesAtBothEndsOfTheType) {
  auto record = deriveRequantize(conv(1, 1, 1, i8, 0, 1000));
  std::vector<int32_t> got;
  for (int64_t acc : {-129, -128, -127, 126, 127, 128})
    got.push_back(apply(*record, acc));
  EXPECT_EQ(got, (std::vector<int32_t>{-128, -128, -127, 126, 127, 127}));
}

// Halves with an odd zero point: ties are made even before z is added.
TEST(Requantize, tiesGoToEvenBeforeTheZeroPoint) {
  auto record = deriveRequantize(conv(0.5f, 1, 1, i8, 1, 1000));
  std::vector<int32_t> got;
  for (int64_t acc : {1, 3, 5, -1, -3}) // 0.5 1.5 2.5 -0.5 -1.5
    got.push_back(apply(*record, acc));
  EXPECT_EQ(got, (std::vector<int32_t>{1, 3, 3, 1, -1}));
  EXPECT_EQ(record->certificate, Certificate::ExactWithTieFix);
  EXPECT_EQ(record->tieWindow, 0);
}

// Saturation comes after the zero point: -150 + 50 = -100.
TEST(Requantize, zeroPointComesBeforeSaturation) {
  auto record = deriveRequantize(conv(1, 1, 1, i8, 50, 1000));
  EXPECT_EQ(apply(*record, -150), -100);
}

// Pairs averaged on the same grid: (1,2) (0,1) (2,3) (-1,0) (-2,-1).
TEST(Requantize, averagesOfPairs) {
  RequantizeProblem p = conv(1, 1, 1, i8, 0, 600);
  p.divisor = 2;
  auto record = deriveRequantize(p);
  std::vector<int32_t> got;
  for (int64_t sum : {3, 1, 5, -1, -3})
    got.push_back(apply(*record, sum));
  EXPECT_EQ(got, (std::vector<int32_t>{2, 0, 2, 0, -2}));
}

// 1/3 with a tie at every third code: 3/2 of 1/3 is a half. M is rounded, so
// the ties are seen through a window.
TEST(Requantize, oddDenominatorsNeedATieWindow) {
  RequantizeProblem p = conv(1, 1, 2, i8, 0, 100000);
  p.divisor = 3; // y = acc / 6: ties at acc = 3 (mod 6)
  auto record = deriveRequantize(p);
  EXPECT_EQ(record->certificate, Certificate::ExactWithTieFix);
  for (int64_t acc = -1000; acc <= 1000; ++acc)
    ASSERT_EQ(apply(*record, acc), oracleCode(p, acc)) << acc;
}

// All of the interval lies beyond one end of the codes: y = 1000 acc.
TEST(Requantize, intervalsSaturatedAsAWholeStaySaturated) {
  for (bool isNegative : {false, true})
    for (CodeType type : {i8, u8, i16}) {
      RequantizeProblem p = conv(1000, 1, 1, type, 0, 0);
      p.accumulatorLo = isNegative ? -110 : 100;
      p.accumulatorHi = p.accumulatorLo + 10;
      auto record = deriveRequantize(p);
      EXPECT_EQ(record->certificate, Certificate::Exact);
      for (int64_t acc = p.accumulatorLo; acc <= p.accumulatorHi; ++acc)
        ASSERT_EQ(apply(*record, acc), isNegative ? type.min() : type.max());
    }
}

// Short intervals anywhere, every accumulator of them compared: saturated ones,
// offsets as large as the slope, 60-bit accumulators, scales far apart.
TEST(Requantize, shortIntervalsAnywhereEqualTheOracle) {
  Random random(9);
  auto scales = awkwardScales();
  for (int i = 0; i < 400; ++i) {
    CodeType type = random.pick<CodeType>({i8, u8, i16, u16});
    RequantizeProblem p =
        conv(random.pick(scales), random.pick(scales), random.pick(scales),
             type, random.pick(zeroPoints(type)), 0);
    p.factor = random.pick<float>({1, -1, 0.3f});
    p.divisor = random.pick<int64_t>({1, 1, 3, 49});
    p.offset = Dyadic::ofInt(random.within(-1000, 1000)) *
               Dyadic::of(random.pick(scales));
    int64_t reach = int64_t(1) << random.within(4, 59);
    p.accumulatorLo = random.within(-reach, reach);
    p.accumulatorHi = p.accumulatorLo + 40;
    auto record = deriveRequantize(p);
    ASSERT_TRUE(record) << record.error().str();
    for (int64_t acc = p.accumulatorLo; acc <= p.accumulatorHi; ++acc)
      ASSERT_EQ(apply(*record, acc), oracleCode(p, acc))
          << explain(p, *record, acc);
  }
}

// 1 - 1.25 * 2^-16 is nearest to 65535 / 2^16; its neighbour 65536 would also
// do here, but has 17 bits.
TEST(Requantize, multipliersKeepTheBitsOfTheExecutor) {
  RequantizeProblem p = conv(0x1p-9f, 0x1.fffebap-1f, 1, i8, -114, 0);
  p.offset = Dyadic::of(-0x1.87495a72c86e6p+1);
  p.accumulatorLo = -20436;
  p.accumulatorHi = 69054;
  p.multiplierBits = 16;
  Random random(10);
  expectIdeal(p, random);
  EXPECT_LT(deriveRequantize(p)->multiplier, 1 << 16);
}

TEST(Requantize, hardwareWithoutPatchesListsItsDeviations) {
  Random random(7);
  int deviating = 0;
  for (int i = 0; i < 200; ++i) {
    RequantizeProblem p =
        conv(float(random.unit() * 0.01 + 1e-4), 0.01f, 0.3f, i8, 0, 1000000);
    p.multiplierBits = 12;
    p.canPatch = false;
    auto record = deriveRequantize(p);
    if (record->certificate != Certificate::Deviates)
      continue;
    ++deviating;
    ASSERT_GT(record->deviationCount, 0);
    for (AccumulatorCode d : record->deviations) {
      ASSERT_EQ(d.code, oracleCode(p, d.accumulator));
      ASSERT_NE(d.code, apply(*record, d.accumulator));
    }
    p.canPatch = true;
    expectIdeal(p, random);
  }
  EXPECT_GT(deviating, 100) << "12 bits are rarely enough";
}

TEST(Requantize, deviationCountIsComplete) {
  RequantizeProblem p = conv(0.0123f, 1, 0.37f, i8, 3, 5000);
  p.multiplierBits = 8;
  p.canPatch = false;
  auto record = deriveRequantize(p);
  ASSERT_EQ(record->certificate, Certificate::Deviates);
  int64_t count = 0;
  for (int64_t acc = -5000; acc <= 5000; ++acc)
    count += apply(*record, acc) != oracleCode(p, acc);
  EXPECT_EQ(record->deviationCount, count);
}

TEST(Requantize, mostChannelsFitThirtyOneBits) {
  Random random(8);
  int narrow = 0, count = 600;
  for (int i = 0; i < count; ++i) {
    auto record = deriveRequantize(conv(float(0.02 * (random.unit() + 0.1)),
                                        float(0.005 * (random.unit() + 0.1)),
                                        float(0.05 * (random.unit() + 0.1)), i8,
                                        -3, 1 << 22));
    EXPECT_TRUE(record->certificate == Certificate::Exact);
    narrow += record->multiplier < int64_t(1) << 31;
  }
  EXPECT_GT(narrow, count * 95 / 100);
}

TEST(Requantize, refusesBadProblemsWithTheRule) {
  auto ruleOf = [](auto change) {
    RequantizeProblem p = conv(0.1f, 0.1f, 0.1f, i8, 0, 1000);
    change(p);
    auto record = deriveRequantize(p);
    return record ? std::string("none") : record.error().rule;
  };
  using P = RequantizeProblem;
  EXPECT_EQ(ruleOf([](P &p) {}), "none");
  EXPECT_EQ(ruleOf([](P &p) { p.inputScale = 0; }), "RQ-SCALE");
  EXPECT_EQ(ruleOf([](P &p) { p.weightScale = -1; }), "RQ-SCALE");
  EXPECT_EQ(ruleOf([](P &p) { p.outputScale = NAN; }), "RQ-SCALE");
  EXPECT_EQ(ruleOf([](P &p) { p.factor = INFINITY; }), "RQ-SCALE");
  EXPECT_EQ(ruleOf([](P &p) { p.divisor = 0; }), "RQ-DIVISOR");
  EXPECT_EQ(ruleOf([](P &p) { p.accumulatorLo = 2000; }), "RQ-RANGE");
  EXPECT_EQ(ruleOf([](P &p) { p.accumulatorHi = int64_t(1) << 60; }),
            "RQ-RANGE");
  EXPECT_EQ(ruleOf([](P &p) { p.result = i32; }), "RQ-RESULT");
  EXPECT_EQ(ruleOf([](P &p) { p.zeroPoint = 128; }), "RQ-RESULT");
  EXPECT_EQ(ruleOf([](P &p) { p.clampLo = 5, p.clampHi = 4; }), "RQ-RESULT");
  EXPECT_EQ(ruleOf([](P &p) {
              p.profile = Profile::OnnxRuntime;
              p.offset = Dyadic::of(1);
            }),
            "RQ-PROFILE");
  EXPECT_EQ(ruleOf([](P &p) {
              p.profile = Profile::TfliteDouble;
              p.inputScale = 1e9f;
            }),
            "RQ-PROFILE");
  EXPECT_EQ(ruleOf([](P &p) {
              p.profile = Profile::TfliteSingle;
              p.divisor = 4;
            }),
            "RQ-PROFILE");
  // fl32(1e30 * 1e30) is infinite, and infinity times code 0 no number.
  auto overflowing = [](Profile profile) {
    return [profile](P &p) {
      p.profile = profile;
      p.tfliteScale = TfliteScale::FloatProduct;
      p.inputScale = p.weightScale = 1e30f;
      p.accumulatorLo = p.accumulatorHi = 0;
    };
  };
  EXPECT_EQ(ruleOf(overflowing(Profile::OnnxRuntime)), "RQ-PROFILE");
  EXPECT_EQ(ruleOf(overflowing(Profile::TfliteDouble)), "RQ-PROFILE");
}

TEST(Requantize, profileNamesRoundTrip) {
  for (Profile p : {Profile::Ideal, Profile::OnnxRuntime, Profile::TfliteDouble,
                    Profile::TfliteSingle})
    EXPECT_EQ(profileFromName(profileName(p)), p);
  EXPECT_EQ(profileFromName("fast"), std::nullopt);
}
