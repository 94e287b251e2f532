//===- LinearCombineTest.cpp ----------------------------------------------===//

#include "tally/quant/LinearCombine.h"
#include "tally/quant/OracleForTests.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace tally;
using namespace tally::quant;
using oracle::Random;

static mpq_class exact(const LinearProblem &p, int32_t a, int32_t b) {
  mpq_class termA = mpq_class(a - p.a.zeroPoint) * mpq_class(p.a.scale);
  mpq_class termB = mpq_class(b - p.b.zeroPoint) * mpq_class(p.b.scale);
  mpq_class sum = p.subtract ? mpq_class(termA - termB) : termA + termB;
  return sum / mpq_class(p.outputScale);
}

static int64_t oracleCode(const LinearProblem &p, int32_t a, int32_t b) {
  return oracle::toCode(exact(p, a, b), p.zeroPoint,
                        p.clampLo.value_or(int32_t(p.result.min())),
                        p.clampHi.value_or(int32_t(p.result.max())));
}

static LinearProblem sum(LinearTerm a, LinearTerm b, float scale,
                         CodeType result, int32_t zero) {
  LinearProblem p;
  p.a = a;
  p.b = b;
  p.outputScale = scale;
  p.result = result;
  p.zeroPoint = zero;
  return p;
}

static void expectIdealOnPairs(const LinearProblem &p, Random &random,
                               int count) {
  auto record = deriveLinear(p);
  ASSERT_TRUE(record) << record.error().str();
  for (int i = 0; i < count; ++i) {
    int32_t a = int32_t(random.within(p.a.type.min(), p.a.type.max()));
    int32_t b = int32_t(random.within(p.b.type.min(), p.b.type.max()));
    int64_t wanted = oracleCode(p, a, b);
    ASSERT_EQ(apply(*record, a, b), wanted)
        << a << " (+) " << b << " of scales " << p.a.scale << " " << p.b.scale
        << " " << p.outputScale;
    ASSERT_EQ(applyIdeal(p, a, b), wanted);
  }
}

static std::vector<float> awkwardScales() {
  return {1.0f, 0.5f,   0x1p-7f, 1.0f / 3, 0.1f,     1.0f / 255,
          3.0f, 1e-30f, 1e8f,    0.25f,    0x1.8p-4f};
}

TEST(LinearCombine, awkwardScalesEqualTheOracle) {
  Random random(31);
  auto scales = awkwardScales();
  for (int i = 0; i < 300; ++i) {
    CodeType type = random.pick<CodeType>({i8, u8, i4});
    auto zero = [&] {
      return int32_t(
          random.pick<int64_t>({type.min(), type.min() + 1, 0, 1, type.max()}));
    };
    LinearProblem p = sum({type, random.pick(scales), zero()},
                          {type, random.pick(scales), zero()},
                          random.pick(scales), type, zero());
    p.subtract = i % 3 == 0;
    if (i % 5 == 0)
      p.clampLo = p.zeroPoint;
    expectIdealOnPairs(p, random, 400);
  }
}

TEST(LinearCombine, everyPairOfTrainedLikeGridsEqualsTheOracle) {
  for (bool subtract : {false, true}) {
    LinearProblem p =
        sum({i8, 0.0234f, -7}, {u8, 0.0191f, 131}, 0.0377f, i8, 4);
    p.subtract = subtract;
    auto record = deriveLinear(p);
    EXPECT_EQ(record->kind, LinearKind::FixedPoint);
    EXPECT_EQ(record->certificate, Certificate::Exact);
    for (int32_t a = -128; a <= 127; ++a)
      for (int32_t b = 0; b <= 255; ++b)
        ASSERT_EQ(apply(*record, a, b), oracleCode(p, a, b));
  }
}

// Same scales and output twice as coarse: every odd sum is a tie.
TEST(LinearCombine, halvingMakesTiesEven) {
  LinearProblem p = sum({i8, 0.1f, 0}, {i8, 0.1f, 0}, 0.2f, i8, 1);
  auto record = deriveLinear(p);
  EXPECT_EQ(record->certificate, Certificate::ExactWithTieFix);
  EXPECT_EQ(apply(*record, 1, 0), 1);  // 0.5 -> 0
  EXPECT_EQ(apply(*record, 2, 1), 3);  // 1.5 -> 2
  EXPECT_EQ(apply(*record, 3, 2), 3);  // 2.5 -> 2
  EXPECT_EQ(apply(*record, -1, 0), 1); // -0.5 -> 0
}

// Scales so coarse that no shift fits: the difference still cancels exactly.
TEST(LinearCombine, hugeScalesAreTabulated) {
  LinearProblem p = sum({i8, 1e8f, 0}, {i8, 1e8f, 0}, 1e-30f, i8, 0);
  p.subtract = true;
  auto record = deriveLinear(p);
  EXPECT_EQ(record->certificate, Certificate::ExactTable);
  EXPECT_EQ(apply(*record, 5, 5), 0);
  EXPECT_EQ(apply(*record, 6, 5), 127);
  EXPECT_EQ(apply(*record, -100, 100), -128);
}

TEST(LinearCombine, sixteenBitCodesEqualTheOracle) {
  Random random(33);
  for (int i = 0; i < 6; ++i) {
    LinearProblem p = sum({i16, float(random.unit() * 0.01 + 1e-5), 0},
                          {u16, float(random.unit() * 0.01 + 1e-5), 40000},
                          float(random.unit() * 0.01 + 1e-5), i16, 17);
    expectIdealOnPairs(p, random, 20000);
  }
}

// Output 3 times as coarse: 16-bit ties are proven by the gap bound.
TEST(LinearCombine, sixteenBitTiesAreProvenByTheGap) {
  Random random(34);
  LinearProblem p = sum({i16, 0.25f, 0}, {i16, 0.5f, 3}, 1.5f, i16, 0);
  auto record = deriveLinear(p);
  EXPECT_EQ(record->certificate, Certificate::ExactWithTieFix);
  expectIdealOnPairs(p, random, 50000);
  p.outputScale = 0.75f; // (u + 2w) / 3 has no ties
  EXPECT_EQ(deriveLinear(p)->certificate, Certificate::Exact);
  expectIdealOnPairs(p, random, 50000);
}

// The named pairs are those nearest to ties; they must be right, and needed.
TEST(LinearCombine, sixteenBitExceptionsAreRightAndNeeded) {
  Random random(35);
  size_t named = 0;
  for (int i = 0; i < 4; ++i) {
    LinearProblem p = sum({i16, float(random.unit() + 0.5), 0},
                          {i16, float(random.unit() * 1e-4), 0}, 1.1f, i16, 0);
    auto record = deriveLinear(p);
    ASSERT_TRUE(record);
    LinearRecord bare = *record;
    bare.exceptions.clear();
    for (CodePair e : record->exceptions) {
      ASSERT_EQ(e.code, oracleCode(p, e.a, e.b));
      ASSERT_NE(apply(bare, e.a, e.b), e.code);
      ASSERT_EQ(apply(*record, e.a, e.b), e.code);
    }
    named += record->exceptions.size();
  }
  EXPECT_GT(named, 0u);
}

// Every operation of the AVX2 kernel, one rounding each. (float of a double
// expression would round twice; fmaf is exact.)
TEST(LinearCombine, onnxRuntimeFollowsItsOperationOrder) {
  LinearProblem p = sum({u8, 0.1f, 128}, {u8, 0.2f, 7}, 0.3f, u8, 9);
  p.profile = Profile::OnnxRuntime;
  auto record = deriveLinear(p);
  EXPECT_EQ(record->certificate, Certificate::OtherProfile);
  float ratioA = 0.1f / 0.3f, ratioB = 0.2f / 0.3f;
  float constant = 9.0f - fmaf(ratioA, 128.0f, ratioB * 7.0f);
  for (int32_t a = 0; a < 256; ++a)
    for (int32_t b = 0; b < 256; b += 5) {
      float all = fmaf(float(a), ratioA, fmaf(float(b), ratioB, constant));
      float code = std::fmin(std::fmax(std::nearbyint(all), 0.0f), 255.0f);
      ASSERT_EQ(apply(*record, a, b), int(code));
    }
}

// Seen with that runtime: scales 1/4 and 0.0184 to 1/2, a = -73 (z -90), b = 79
// (z 79): exactly 8.5 steps, so IDEAL 8 + 4. Fused products give the same 12;
// separately rounded ones would give 13.
TEST(LinearCombine, onnxRuntimeRoundsProductsTogether) {
  LinearProblem p =
      sum({i8, 0.25f, -90}, {i8, 0x1.2e371cp-6f, 79}, 0.5f, i8, 4);
  EXPECT_EQ(apply(*deriveLinear(p), -73, 79), 12);
  p.profile = Profile::OnnxRuntime;
  EXPECT_EQ(apply(*deriveLinear(p), -73, 79), 12);
}

TEST(LinearCombine, onnxRuntimeExchangesOperandsForAScalarA) {
  LinearProblem p = sum({u8, 0.3f, 200}, {u8, 0.7f, 31}, 0.9f, u8, 100);
  LinearProblem exchanged = sum(p.b, p.a, 0.9f, u8, 100);
  p.profile = exchanged.profile = Profile::OnnxRuntime;
  p.scalarA = true;
  auto record = deriveLinear(p), other = deriveLinear(exchanged);
  EXPECT_EQ(record->constant, other->constant);
  for (int32_t a = 0; a < 256; a += 3)
    for (int32_t b = 0; b < 256; ++b)
      ASSERT_EQ(apply(*record, a, b), apply(*other, b, a));
}

TEST(LinearCombine, refusesBadProblemsWithTheRule) {
  auto ruleOf = [](auto change) {
    LinearProblem p = sum({i8, 0.1f, 0}, {i8, 0.1f, 0}, 0.1f, i8, 0);
    change(p);
    auto record = deriveLinear(p);
    return record ? std::string("none") : record.error().rule;
  };
  using P = LinearProblem;
  EXPECT_EQ(ruleOf([](P &p) {}), "none");
  EXPECT_EQ(ruleOf([](P &p) { p.b.scale = 0; }), "RQ-SCALE");
  EXPECT_EQ(ruleOf([](P &p) { p.outputScale = INFINITY; }), "RQ-SCALE");
  EXPECT_EQ(ruleOf([](P &p) { p.a.type = i32; }), "RQ-OPERAND");
  EXPECT_EQ(ruleOf([](P &p) { p.b.zeroPoint = 128; }), "RQ-OPERAND");
  EXPECT_EQ(ruleOf([](P &p) { p.result = i32; }), "RQ-RESULT");
  EXPECT_EQ(ruleOf([](P &p) { p.clampLo = 3, p.clampHi = 2; }), "RQ-RESULT");
  EXPECT_EQ(ruleOf([](P &p) { p.profile = Profile::TfliteDouble; }),
            "RQ-PROFILE");
  EXPECT_EQ(ruleOf([](P &p) {
              p.profile = Profile::OnnxRuntime;
              p.subtract = true;
            }),
            "RQ-PROFILE");
  EXPECT_EQ(ruleOf([](P &p) {
              p.a.type = i16;
              p.a.scale = 1e20f;
            }),
            "RQ-SPREAD");
}
