//===- UnaryTableTest.cpp -------------------------------------------------===//

#include "tally/quant/UnaryTable.h"
#include "tally/quant/OracleForTests.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

using namespace tally;
using namespace tally::quant;
using oracle::Random;

static const Grid signedGrid = Grid::perTensor(i8, 0.05f, 3);
static const Grid fineGrid = Grid::perTensor(i8, 1.0f / 128, 0);

static int32_t codeOf(UnaryFunction f, const Grid &in, const Grid &out,
                      int64_t code) {
  auto table = buildUnaryTable(f, in, out);
  EXPECT_TRUE(table) << table.error().str();
  return table ? table->lookup(code) : INT32_MIN;
}

/// Every table entry against `f` in long double: the codes must agree wherever
/// long double is not within 1e-9 of a tie.
static void expectNear(UnaryFunction f,
                       const std::function<long double(long double)> &real,
                       const Grid &in, const Grid &out) {
  auto table = buildUnaryTable(f, in, out);
  ASSERT_TRUE(table) << table.error().str();
  int64_t decided = 0;
  for (int64_t q = in.type.min(); q <= in.type.max(); ++q) {
    long double x = (long double)(in.scale()) * (q - in.zeroPoint());
    long double steps = real(x) / (long double)(out.scale());
    long double fromTie = std::fabs(steps - std::floor(steps) - 0.5L);
    if (std::isnan(steps) || fromTie < 1e-9L)
      continue;
    ++decided;
    long double code = std::nearbyint(steps) + out.zeroPoint();
    code = std::fmin(std::fmax(code, out.type.min()), out.type.max());
    ASSERT_EQ(table->lookup(q), int64_t(code))
        << unaryName(f.kind) << " at code " << q;
  }
  EXPECT_GT(decided, in.type.count() / 4);
}

struct NamedReal {
  UnaryFunction function;
  std::function<long double(long double)> real;
};

using LD = long double;

static std::vector<NamedReal> transcendentals() {
  auto sigmoid = [](LD x) { return 1 / (1 + std::exp(-x)); };
  auto softplus = [](LD x) {
    return std::fmax(x, 0.0L) + std::log1p(std::exp(-std::fabs(x)));
  };
  LD pi = 3.14159265358979323846264338327950288L;
  LD alpha = 0.3f, selu = 1.6732632f, gamma = 1.0507009f;
  return {
      {{UnaryKind::Sigmoid}, sigmoid},
      {{UnaryKind::Swish, 1.5f}, [=](LD x) { return x * sigmoid(1.5L * x); }},
      {{UnaryKind::Tanh}, [](LD x) { return std::tanh(x); }},
      {{UnaryKind::GeluErf},
       [](LD x) { return x / 2 * std::erfc(-x / std::sqrt(2.0L)); }},
      {{UnaryKind::GeluTanh},
       [=](LD x) {
         LD u = std::sqrt(2 / pi) * (x + 0.044715L * x * x * x);
         return x / 2 * (1 + std::tanh(u));
       }},
      {{UnaryKind::Elu, 0.3f},
       [=](LD x) { return x > 0 ? x : alpha * std::expm1(x); }},
      {{UnaryKind::Selu, 1.6732632f, 1.0507009f},
       [=](LD x) { return gamma * (x > 0 ? x : selu * std::expm1(x)); }},
      {{UnaryKind::Celu, 0.3f},
       [=](LD x) { return x > 0 ? x : alpha * std::expm1(x / alpha); }},
      {{UnaryKind::Softplus}, softplus},
      {{UnaryKind::Mish}, [=](LD x) { return x * std::tanh(softplus(x)); }},
      {{UnaryKind::Exp}, [](LD x) { return std::exp(x); }},
      {{UnaryKind::Log}, [](LD x) { return x > 0 ? std::log(x) : -HUGE_VALL; }},
      {{UnaryKind::Sqrt}, [](LD x) { return x < 0 ? 0 : std::sqrt(x); }},
      {{UnaryKind::Rsqrt},
       [](LD x) { return x < 0 ? 0 : 1 / std::sqrt(x + 0.0L); }},
      {{UnaryKind::Erf}, [](LD x) { return std::erf(x); }},
      {{UnaryKind::Sin}, [](LD x) { return std::sin(x); }},
      {{UnaryKind::Cos}, [](LD x) { return std::cos(x); }},
      {{UnaryKind::Pow, 3.0f}, [](LD x) { return x * x * x; }},
      {{UnaryKind::Pow, 0.3f},
       [=](LD x) { return x < 0 ? 0 : std::pow(x, alpha); }},
  };
}

TEST(UnaryTable, transcendentalsEqualLongDoubleAwayFromTies) {
  for (const NamedReal &f : transcendentals()) {
    expectNear(f.function, f.real, signedGrid, fineGrid);
    expectNear(f.function, f.real, Grid::perTensor(u8, 0.1f, 128),
               Grid::perTensor(u8, 0.03f, 20));
    expectNear(f.function, f.real, Grid::perTensor(i4, 1.0f / 3, -1),
               Grid::perTensor(i16, 1e-4f, 7));
  }
}

TEST(UnaryTable, sixteenBitInputs) {
  Grid in = Grid::perTensor(i16, 1.0f / 4096, 0);
  Grid out = Grid::perTensor(i16, 1.0f / 32768, 0);
  expectNear(
      {UnaryKind::Sigmoid}, [](LD x) { return 1 / (1 + std::exp(-x)); }, in,
      out);
}

/// The rational functions in the test's own rationals, at every code.
static mpq_class rational(UnaryFunction f, const mpq_class &x) {
  switch (f.kind) {
  case UnaryKind::Abs:
    return abs(x);
  case UnaryKind::Neg:
    return -x;
  case UnaryKind::Sign:
    return sgn(x);
  case UnaryKind::Relu:
    return x < 0 ? mpq_class(0) : x;
  case UnaryKind::LeakyRelu:
    return x < 0 ? mpq_class(mpq_class(f.p) * x) : x;
  case UnaryKind::HardSwish:
    return x <= -3 ? mpq_class(0) : x >= 3 ? x : mpq_class(x * (x + 3) / 6);
  case UnaryKind::Square:
    return x * x;
  case UnaryKind::Softsign:
    return x < 0 ? mpq_class(x / (1 - x)) : mpq_class(x / (1 + x));
  default:
    return x;
  }
}

TEST(UnaryTable, rationalFunctionsEqualTheOracle) {
  Random random(41);
  std::vector<float> scales = {1.0f,  0.5f, 0.25f,  1.0f / 3,
                               0.05f, 3.0f, 1e-30f, 1e8f};
  for (UnaryFunction f :
       std::vector<UnaryFunction>{{UnaryKind::Identity},
                                  {UnaryKind::Abs},
                                  {UnaryKind::Neg},
                                  {UnaryKind::Sign},
                                  {UnaryKind::Relu},
                                  {UnaryKind::LeakyRelu, 0.01f},
                                  {UnaryKind::LeakyRelu, -0.5f},
                                  {UnaryKind::HardSwish},
                                  {UnaryKind::Square},
                                  {UnaryKind::Softsign}}) {
    for (int i = 0; i < 20; ++i) {
      CodeType type = random.pick<CodeType>({i8, u8});
      auto zero = [&] {
        return int32_t(random.pick<int64_t>({type.min(), 0, 1, type.max()}));
      };
      Grid in = Grid::perTensor(type, random.pick(scales), zero());
      Grid out = Grid::perTensor(type, random.pick(scales), zero());
      auto table = buildUnaryTable(f, in, out);
      for (int64_t q = type.min(); q <= type.max(); ++q) {
        mpq_class x =
            mpq_class(in.scale()) * mpq_class(long(q - in.zeroPoint()));
        mpq_class steps = rational(f, x) / mpq_class(out.scale());
        ASSERT_EQ(table->lookup(q), oracle::toCode(steps, out.zeroPoint(),
                                                   type.min(), type.max()))
            << unaryName(f.kind) << " at " << q;
      }
    }
  }
}

// s1 = 0.05, z1 = 3, s2 = 1/128: Abs scales, Sign compares.
TEST(UnaryTable, absAndSignDiffer) {
  auto abs = buildUnaryTable({UnaryKind::Abs}, signedGrid, fineGrid);
  auto sign = buildUnaryTable({UnaryKind::Sign}, signedGrid, fineGrid);
  EXPECT_EQ(abs->lookup(-128), 127);
  EXPECT_EQ(abs->lookup(3), 0);
  EXPECT_EQ(abs->lookup(4), 6);
  EXPECT_EQ(abs->lookup(10), 45);
  EXPECT_EQ(sign->lookup(-128), -128);
  EXPECT_EQ(sign->lookup(3), 0);
  EXPECT_EQ(sign->lookup(4), 127);
  EXPECT_EQ(sign->lookup(10), 127);
}

// Square roots that are exact ties: sqrt(6.25) = 2.5 -> 2, sqrt(12.25) = 3.5
// -> 4; and 4^1.5 / 16 = 0.5 -> 0.
TEST(UnaryTable, exactTiesOfRootsGoToEven) {
  Grid quarter = Grid::perTensor(i8, 0.25f, 0), one = Grid::perTensor(i8, 1, 0);
  EXPECT_EQ(codeOf({UnaryKind::Sqrt}, quarter, one, 25), 2);
  EXPECT_EQ(codeOf({UnaryKind::Sqrt}, quarter, one, 49), 4);
  Grid sixteen = Grid::perTensor(i8, 16, 0);
  EXPECT_EQ(codeOf({UnaryKind::Pow, 1.5f}, one, sixteen, 4), 0);
  EXPECT_EQ(codeOf({UnaryKind::Rsqrt}, one, one, 4), 0); // 0.5
  EXPECT_EQ(codeOf({UnaryKind::Sigmoid}, one, one, 0), 0);
}

static int32_t singleCode(UnaryFunction f, const Grid &in, const Grid &out,
                          int64_t code) {
  auto result = applyUnaryIdeal(f, in, out, code);
  EXPECT_TRUE(result) << result.error().str();
  return result ? *result : INT32_MIN;
}

// Far out the curve is closer to its asymptote than any number of bits shows.
// x = 1001, scale 2: 500.5 seen from below is 500 (even), from above 501;
// 1003 / 2 = 501.5 from below is 501, where the tie itself would be 502.
TEST(UnaryTable, tiesOfAsymptotesAreDecidedByTheSide) {
  Grid in = Grid::perTensor(i16, 1, 0), out = Grid::perTensor(i16, 2, 0);
  for (UnaryFunction below :
       std::vector<UnaryFunction>{{UnaryKind::GeluErf},
                                  {UnaryKind::GeluTanh},
                                  {UnaryKind::Mish},
                                  {UnaryKind::Swish, 1}}) {
    EXPECT_EQ(singleCode(below, in, out, 1001), 500) << unaryName(below.kind);
    EXPECT_EQ(singleCode(below, in, out, 1003), 501) << unaryName(below.kind);
    EXPECT_EQ(singleCode(below, in, out, -1003), 0) << unaryName(below.kind);
  }
  EXPECT_EQ(singleCode({UnaryKind::Softplus}, in, out, 1001), 501);
  EXPECT_EQ(singleCode({UnaryKind::Softplus}, in, out, 1003), 502);
  EXPECT_EQ(singleCode({UnaryKind::Softplus}, in, out, -1003), 0);
  // Swish(-1) turns around: x < 0 is the line, approached from above.
  EXPECT_EQ(singleCode({UnaryKind::Swish, -1}, in, out, -1003), -501);
  EXPECT_EQ(singleCode({UnaryKind::Swish, -1}, in, out, 1003), 0);
  // Elu with alpha 3 ends at -3 + e^-x: -1.5 from above is -1, not -2.
  EXPECT_EQ(singleCode({UnaryKind::Elu, 3}, in, out, -1000), -1);
  EXPECT_EQ(singleCode({UnaryKind::Celu, 3}, in, out, -3000), -1);
  EXPECT_EQ(singleCode({UnaryKind::Selu, 3, 1}, in, out, -1000), -1);
  EXPECT_EQ(singleCode({UnaryKind::Selu, 3, -1}, in, out, -1000), 1);
}

TEST(UnaryTable, pointsWithoutValue) {
  Grid in = Grid::perTensor(i8, 0.5f, 10), out = Grid::perTensor(u8, 0.1f, 40);
  EXPECT_EQ(codeOf({UnaryKind::Log}, in, out, 10), 0);
  EXPECT_EQ(codeOf({UnaryKind::Log}, in, out, 9), 0);
  EXPECT_EQ(codeOf({UnaryKind::Log}, in, out, 12), 40); // log 1
  EXPECT_EQ(codeOf({UnaryKind::Reciprocal}, in, out, 10), 255);
  EXPECT_EQ(codeOf({UnaryKind::Reciprocal}, in, out, 8), 30); // 1 / -1
  EXPECT_EQ(codeOf({UnaryKind::Rsqrt}, in, out, 10), 255);
  EXPECT_EQ(codeOf({UnaryKind::Rsqrt}, in, out, 9), 40);
  EXPECT_EQ(codeOf({UnaryKind::Sqrt}, in, out, 9), 40);
  EXPECT_EQ(codeOf({UnaryKind::Sqrt}, in, out, 10), 40);
  EXPECT_EQ(codeOf({UnaryKind::Pow, 0.5f}, in, out, 9), 40);
  EXPECT_EQ(codeOf({UnaryKind::Pow, -1.0f}, in, out, 10), 255);
  EXPECT_EQ(codeOf({UnaryKind::Pow, -1.0f}, in, out, 8), 30);
  EXPECT_EQ(codeOf({UnaryKind::Pow, 0.0f}, in, out, 10), 50);
}

TEST(UnaryTable, clipBounds) {
  Grid in = Grid::perTensor(i8, 1, 0);
  EXPECT_EQ(codeOf({UnaryKind::Clip, 0, 6}, in, in, 100), 6);
  EXPECT_EQ(codeOf({UnaryKind::Clip, 0, 6}, in, in, -5), 0);
  EXPECT_EQ(codeOf({UnaryKind::Clip, -INFINITY, 6}, in, in, -5), -5);
  EXPECT_EQ(codeOf({UnaryKind::Clip, 5, 2}, in, in, 0), 2);
  EXPECT_EQ(codeOf({UnaryKind::Clip, 5, 2}, in, in, 100), 2);
  // Infinite bounds on the wrong side: min(max(x, inf), 6), min(x, -inf).
  EXPECT_EQ(codeOf({UnaryKind::Clip, INFINITY, 6}, in, in, -5), 6);
  EXPECT_EQ(codeOf({UnaryKind::Clip, INFINITY, INFINITY}, in, in, -5), 127);
  EXPECT_EQ(codeOf({UnaryKind::Clip, 0, -INFINITY}, in, in, 5), -128);
  EXPECT_EQ(codeOf({UnaryKind::Clip, INFINITY, -INFINITY}, in, in, 5), -128);
}

// Parameters of 0 take the transcendental part away, and ties come back:
// x sigmoid(0) = x / 2 goes to 0.5, 1.5 and 2.5.
TEST(UnaryTable, parametersOfZeroAreDecided) {
  Grid in = Grid::perTensor(i8, 1, 0);
  EXPECT_EQ(codeOf({UnaryKind::Swish, 0}, in, in, 1), 0);
  EXPECT_EQ(codeOf({UnaryKind::Swish, 0}, in, in, 3), 2);
  EXPECT_EQ(codeOf({UnaryKind::Swish, -0.0f}, in, in, -5), -2);
  EXPECT_EQ(codeOf({UnaryKind::Elu, 0}, in, in, -5), 0);
  EXPECT_EQ(codeOf({UnaryKind::Selu, 0, 1}, in, in, -5), 0);
  EXPECT_EQ(codeOf({UnaryKind::Selu, 1, 0}, in, in, 5), 0);
}

TEST(UnaryTable, roundingFunctions) {
  Grid in = Grid::perTensor(i8, 0.5f, 0), out = Grid::perTensor(i8, 1, 0);
  // -2.5 -0.5 0.5 1.5 2.5
  std::vector<int64_t> codes = {-5, -1, 1, 3, 5};
  auto all = [&](UnaryKind kind) {
    std::vector<int32_t> got;
    for (int64_t code : codes)
      got.push_back(codeOf({kind}, in, out, code));
    return got;
  };
  EXPECT_EQ(all(UnaryKind::Floor), (std::vector<int32_t>{-3, -1, 0, 1, 2}));
  EXPECT_EQ(all(UnaryKind::Ceil), (std::vector<int32_t>{-2, 0, 1, 2, 3}));
  EXPECT_EQ(all(UnaryKind::Round), (std::vector<int32_t>{-2, 0, 0, 2, 2}));
}

TEST(UnaryTable, extremeScalesSaturate) {
  Grid huge = Grid::perTensor(i8, 1e38f, 0), unit = Grid::perTensor(i8, 1, 0);
  EXPECT_EQ(codeOf({UnaryKind::Exp}, huge, unit, 127), 127);
  EXPECT_EQ(codeOf({UnaryKind::Exp}, huge, unit, -128), 0);
  EXPECT_EQ(codeOf({UnaryKind::GeluErf}, huge, unit, -128), 0);
  EXPECT_EQ(codeOf({UnaryKind::GeluErf}, huge, unit, 127), 127);
  EXPECT_EQ(codeOf({UnaryKind::Softplus}, huge, huge, 100), 100);
  EXPECT_EQ(codeOf({UnaryKind::Mish}, huge, huge, -100), 0);
  EXPECT_EQ(codeOf({UnaryKind::Swish, 1}, huge, huge, 100), 100);
  EXPECT_EQ(codeOf({UnaryKind::Pow, 1e30f}, unit, unit, -2), 127);
  EXPECT_EQ(codeOf({UnaryKind::Pow, 0x1p40f}, unit, unit, 2), 127);
  EXPECT_EQ(codeOf({UnaryKind::Pow, -0x1p40f}, unit, unit, 2), 0);
  EXPECT_EQ(codeOf({UnaryKind::Pow, 1e9f + 64}, unit, unit, -2), 127);
}

// The fp32 number 0.1 times 5 over the fp32 number 0.04 is just above 12.5; in
// fp32 it is 12.5, to even.
TEST(UnaryTable, onnxRuntimeIdentityRoundsInFp32) {
  Grid in = Grid::perTensor(i8, 0.1f, 0), out = Grid::perTensor(i8, 0.04f, 0);
  UnaryFunction identity{UnaryKind::Identity};
  auto table = buildUnaryTable(identity, in, out, Profile::OnnxRuntime);
  EXPECT_EQ(table->lookup(5), 12);
  EXPECT_EQ(buildUnaryTable(identity, in, out)->lookup(5), 13);
}

TEST(UnaryTable, onnxRuntimeLeakyReluRoundsInFp32) {
  Grid in = Grid::perTensor(i8, 0.1f, -3), out = Grid::perTensor(i8, 0.03f, 5);
  UnaryFunction leaky{UnaryKind::LeakyRelu, 0.1f};
  auto table = buildUnaryTable(leaky, in, out, Profile::OnnxRuntime);
  for (int64_t q = -128; q <= 127; ++q) {
    volatile float x = float(q + 3) * 0.1f;
    volatile float y = x >= 0 ? x : 0.1f * x;
    volatile float steps = y / 0.03f;
    float code = std::nearbyint(std::fmin(std::fmax(steps, -133), 122)) + 5;
    ASSERT_EQ(table->lookup(q), int(code));
  }
}

// Slope 0 times an x that is infinite in fp32 is NaN: the lowest code, like
// everything below the range.
TEST(UnaryTable, onnxRuntimeSurvivesInfiniteInputs) {
  Grid in = Grid::perTensor(i8, 3e38f, 0), out = Grid::perTensor(i8, 1, 5);
  UnaryFunction leaky{UnaryKind::LeakyRelu, 0};
  auto table = buildUnaryTable(leaky, in, out, Profile::OnnxRuntime);
  EXPECT_EQ(table->lookup(-128), -128);
  EXPECT_EQ(table->lookup(127), 127);
}

TEST(UnaryTable, singleCodesEqualTheTable) {
  UnaryFunction gelu{UnaryKind::GeluErf};
  auto table = buildUnaryTable(gelu, signedGrid, fineGrid);
  for (int64_t q : {-128, -20, 0, 3, 127})
    EXPECT_EQ(*applyUnaryIdeal(gelu, signedGrid, fineGrid, q),
              table->lookup(q));
}

TEST(UnaryTable, refusesWithTheRule) {
  auto ruleOf = [](UnaryFunction f, const Grid &in, const Grid &out,
                   Profile profile = Profile::Ideal) {
    auto table = buildUnaryTable(f, in, out, profile);
    return table ? std::string("none") : table.error().rule;
  };
  Grid good = signedGrid;
  UnaryFunction tanh{UnaryKind::Tanh};
  EXPECT_EQ(ruleOf(tanh, good, good), "none");
  EXPECT_EQ(ruleOf(tanh, Grid::perTensor(i8, 0, 0), good), "QNT-SCALE");
  EXPECT_EQ(ruleOf(tanh, good, Grid::perTensor(i8, 1, 200)), "QNT-ZERO");
  EXPECT_EQ(ruleOf(tanh, {i8, {1, 2}, {0}, 0}, good), "UN-GRID");
  EXPECT_EQ(ruleOf(tanh, Grid::perTensor(i32, 1, 0), good), "UN-GRID");
  EXPECT_EQ(ruleOf({UnaryKind::Clip, NAN, 1}, good, good), "UN-PARAM");
  EXPECT_EQ(ruleOf({UnaryKind::Elu, INFINITY}, good, good), "UN-PARAM");
  EXPECT_EQ(ruleOf({UnaryKind::Celu, 0}, good, good), "UN-PARAM");
  EXPECT_EQ(ruleOf(tanh, good, good, Profile::OnnxRuntime), "UN-PROFILE");
  EXPECT_EQ(ruleOf(tanh, good, good, Profile::TfliteSingle), "UN-PROFILE");
}
