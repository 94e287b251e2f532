//===- PinnedMathTest.cpp -------------------------------------------------===//
//
// The pinned functions against MPFR: bit patterns of all floats at a prime
// stride, random points of the interesting range, special values.
//
//===----------------------------------------------------------------------===//

#include "tally/quant/PinnedMath.h"
#include "tally/quant/NativeBuilder.h"
#include "tally/quant/NativeMath.h"
#include "tally/quant/OracleForTests.h"

#include <gtest/gtest.h>
#include <mpfr.h>

#include <bit>
#include <cmath>

namespace pinned = tally::quant::pinned;
using oracle::Random;

static const float inf = INFINITY;

namespace {

/// MPFR's numbers for one evaluation, 64 bits: 40 more than an fp32.
struct Reference {
  mpfr_t x, y, scratch;
  Reference() { mpfr_inits2(64, x, y, scratch, mpfr_ptr(nullptr)); }
  ~Reference() { mpfr_clears(x, y, scratch, mpfr_ptr(nullptr)); }
};

using MpfrUnary = void (*)(Reference &);

struct Function {
  const char *name;
  float (*ours)(float);
  MpfrUnary exact; ///< y = f(x); may use scratch
  double bound;    ///< asserted, in units in the last place
  float range;     ///< where random points lie: [-range, range]
};

} // namespace

/// |got - exact| in units of the last place that fp32 has at `exact`.
static double errorInUlps(float got, double exact) {
  if (std::isnan(exact))
    return std::bit_cast<uint32_t>(got) == 0x7fc00000 ? 0 : HUGE_VAL;
  if (std::isinf(float(exact)) || std::isinf(got))
    return got == float(exact) ? 0 : HUGE_VAL;
  if (std::isnan(got))
    return HUGE_VAL;
  int exponent = 0;
  std::frexp(exact, &exponent);
  double ulp = std::ldexp(1.0, std::max(exponent - 24, -149));
  return std::abs(double(got) - exact) / ulp;
}

static void sigmoidOf(Reference &r) {
  mpfr_neg(r.y, r.x, MPFR_RNDN);
  mpfr_exp(r.y, r.y, MPFR_RNDN);
  mpfr_add_ui(r.y, r.y, 1, MPFR_RNDN);
  mpfr_ui_div(r.y, 1, r.y, MPFR_RNDN);
}

static void softplusOf(Reference &r) {
  mpfr_abs(r.y, r.x, MPFR_RNDN);
  mpfr_neg(r.y, r.y, MPFR_RNDN);
  mpfr_exp(r.y, r.y, MPFR_RNDN);
  mpfr_log1p(r.y, r.y, MPFR_RNDN);
  if (mpfr_sgn(r.x) > 0)
    mpfr_add(r.y, r.y, r.x, MPFR_RNDN);
}

static std::vector<Function> functions() {
  return {
      {"exp", pinned::exp, [](Reference &r) { mpfr_exp(r.y, r.x, MPFR_RNDN); },
       0.9, 110},
      {"expm1", pinned::expm1,
       [](Reference &r) { mpfr_expm1(r.y, r.x, MPFR_RNDN); }, 1.5, 30},
      {"log", pinned::log, [](Reference &r) { mpfr_log(r.y, r.x, MPFR_RNDN); },
       0.9, 4},
      {"log1p", pinned::log1p,
       [](Reference &r) { mpfr_log1p(r.y, r.x, MPFR_RNDN); }, 0.9, 2},
      {"sigmoid", pinned::sigmoid, sigmoidOf, 2, 100},
      {"tanh", pinned::tanh,
       [](Reference &r) { mpfr_tanh(r.y, r.x, MPFR_RNDN); }, 1.35, 10},
      {"softplus", pinned::softplus, softplusOf, 1.7, 100},
      {"erf", pinned::erf, [](Reference &r) { mpfr_erf(r.y, r.x, MPFR_RNDN); },
       1.1, 5},
      {"sin", pinned::sin, [](Reference &r) { mpfr_sin(r.y, r.x, MPFR_RNDN); },
       0.8, 100000},
      {"cos", pinned::cos, [](Reference &r) { mpfr_cos(r.y, r.x, MPFR_RNDN); },
       0.8, 100000},
      {"rsqrt", pinned::rsqrt,
       [](Reference &r) {
         // rec_sqrt(-0) is -inf here, as 1 / sqrt(-0) is.
         mpfr_sqrt(r.y, r.x, MPFR_RNDN);
         mpfr_ui_div(r.y, 1, r.y, MPFR_RNDN);
       },
       1.5, 10},
  };
}

class PinnedFunction : public testing::TestWithParam<Function> {
protected:
  void check(float x) {
    mpfr_set_flt(reference.x, x, MPFR_RNDN);
    GetParam().exact(reference);
    double exact = mpfr_get_d(reference.y, MPFR_RNDN);
    double error = errorInUlps(GetParam().ours(x), exact);
    ASSERT_LE(error, GetParam().bound)
        << GetParam().name << "(" << x << ") = " << GetParam().ours(x)
        << ", exactly " << exact;
    worst = std::max(worst, error);
  }
  Reference reference;
  double worst = 0;
};

TEST_P(PinnedFunction, isWithinItsBoundOnAllMagnitudes) {
  for (uint64_t bits = 0; bits < uint64_t(1) << 32; bits += 65521)
    ASSERT_NO_FATAL_FAILURE(check(std::bit_cast<float>(uint32_t(bits))));
  RecordProperty("worst_ulp", std::to_string(worst));
  EXPECT_GT(worst, 0.4) << "a correctly rounded result would be news";
}

TEST_P(PinnedFunction, isWithinItsBoundWhereItMatters) {
  Random random(51);
  for (int i = 0; i < 50000; ++i) {
    float x = float((2 * random.unit() - 1) * GetParam().range);
    ASSERT_NO_FATAL_FAILURE(check(x));
  }
}

TEST_P(PinnedFunction, specialValues) {
  for (float x : {0.0f,
                  -0.0f,
                  inf,
                  -inf,
                  NAN,
                  -NAN,
                  1.0f,
                  -1.0f,
                  0x1p-149f,
                  -0x1p-149f,
                  0x1p-126f,
                  0x1.fffffep127f,
                  -0x1.fffffep127f,
                  88.72284f,
                  88.7229f,
                  -87.33655f,
                  -103.97f,
                  -104.1f,
                  0x1p16f,
                  65535.996f,
                  0x1p24f,
                  3.1415927f,
                  1.5707964f,
                  0.9999999f,
                  std::bit_cast<float>(0xffa00001u)})
    ASSERT_NO_FATAL_FAILURE(check(x));
}

INSTANTIATE_TEST_SUITE_P(All, PinnedFunction, testing::ValuesIn(functions()),
                         [](const auto &info) { return info.param.name; });

static uint32_t bitsOf(float x) { return std::bit_cast<uint32_t>(x); }

TEST(PinnedMath, zeroKeepsItsSign) {
  using Unary = float (*)(float);
  for (Unary f :
       std::initializer_list<Unary>{pinned::expm1, pinned::log1p, pinned::tanh,
                                    pinned::erf, pinned::sin}) {
    EXPECT_EQ(bitsOf(f(-0.0f)), bitsOf(-0.0f));
    EXPECT_EQ(bitsOf(f(0.0f)), bitsOf(0.0f));
  }
  EXPECT_EQ(bitsOf(pinned::exp(-inf)), bitsOf(0.0f));
  EXPECT_EQ(pinned::rsqrt(-0.0f), -inf);
}

/// What is shorter on a part of the numbers gives the bits of the whole there.
TEST(PinnedMath, shorterExponentialsHaveTheSameBits) {
  pinned::NativeBuilder native;
  for (uint64_t bits = 0; bits < uint64_t(1) << 31; bits += 509) {
    auto x = std::bit_cast<float>(uint32_t(bits));
    if (!std::isnan(x))
      ASSERT_EQ(bitsOf(pinned::expOfNegative(native, x)),
                bitsOf(pinned::exp(-x)))
          << x;
    for (float side : {x, -x})
      if (x <= 80)
        ASSERT_EQ(bitsOf(pinned::expModerate(native, side)),
                  bitsOf(pinned::exp(side)))
            << side;
  }
  EXPECT_TRUE(std::isnan(pinned::expModerate(native, NAN)));
  EXPECT_TRUE(std::isnan(pinned::expOfNegative(native, NAN)));
}

/// The composed Gelus: small error relative to |x|, since 1 + erf cancels.
TEST(PinnedMath, composedGelusAreCloseInAbsoluteTerms) {
  Random random(52);
  for (int i = 0; i < 100000; ++i) {
    double x = float((2 * random.unit() - 1) * 12);
    double erfForm = x / 2 * std::erfc(-x / std::sqrt(2.0));
    double u = std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x);
    double tanhForm = x / 2 * (1 + std::tanh(u));
    double allowed = std::abs(x) * 0x1p-22 + 0x1p-149;
    ASSERT_NEAR(pinned::geluErf(float(x)), erfForm, allowed) << x;
    ASSERT_NEAR(pinned::geluTanh(float(x)), tanhForm, allowed) << x;
  }
  EXPECT_EQ(bitsOf(pinned::geluErf(-inf)), 0x7fc00000u);
  EXPECT_EQ(pinned::geluErf(inf), inf);
  EXPECT_EQ(pinned::geluTanh(inf), inf);
}

static void expectPow(Reference &r, float x, float y) {
  mpfr_set_flt(r.x, x, MPFR_RNDN);
  mpfr_set_flt(r.scratch, y, MPFR_RNDN);
  mpfr_pow(r.y, r.x, r.scratch, MPFR_RNDN);
  double exact = mpfr_get_d(r.y, MPFR_RNDN);
  float got = pinned::pow(x, y);
  ASSERT_LE(errorInUlps(got, exact), 0.9)
      << "pow(" << x << ", " << y << ") = " << got << ", exactly " << exact;
  if (!std::isnan(exact)) {
    ASSERT_EQ(std::signbit(got), std::signbit(exact)) << x << " " << y;
  }
}

TEST(PinnedPow, isWithinItsBound) {
  Reference reference;
  Random random(53);
  for (int i = 0; i < 100000; ++i) {
    float x = std::bit_cast<float>(uint32_t(random.next()));
    float y = std::bit_cast<float>(uint32_t(random.next()));
    if (i % 2) { // results all over fp32's range
      x = float(std::exp2(random.unit() * 20 - 10));
      y = float((random.unit() * 200 - 108) / std::log(double(x)));
    }
    ASSERT_NO_FATAL_FAILURE(expectPow(reference, x, y));
  }
}

TEST(PinnedPow, specialValues) {
  Reference reference;
  std::vector<float> values = {0.0f,
                               -0.0f,
                               1,
                               -1,
                               inf,
                               -inf,
                               NAN,
                               2,
                               -2,
                               3,
                               -3,
                               0.5f,
                               -0.5f,
                               1.5f,
                               -1.5f,
                               1e30f,
                               -1e30f,
                               0x1p24f,
                               16777217.0f,
                               0x1p-149f,
                               -0x1p-149f,
                               0.99999994f,
                               0x1.fffffep127f,
                               8388607.5f,
                               1.0000001f,
                               -1.0000001f};
  for (float x : values)
    for (float y : values)
      ASSERT_NO_FATAL_FAILURE(expectPow(reference, x, y));
}

/// p[j] over i = j mod 16, then halving: written out once more, unlike a loop.
TEST(PinnedSum, followsItsTree) {
  Random random(54);
  for (size_t n : {0, 1, 15, 16, 17, 100, 1000}) {
    std::vector<float> x(n);
    for (float &value : x)
      value = float(random.unit() - 0.5);
    float p[16] = {};
    for (size_t j = 0; j < 16; ++j)
      for (size_t i = j; i < n; i += 16)
        p[j] += x[i];
    auto four = [&](int j) {
      return (p[j] + p[j + 8]) + (p[j + 4] + p[j + 12]);
    };
    float wanted = (four(0) + four(2)) + (four(1) + four(3));
    EXPECT_EQ(bitsOf(pinned::sum(x.data(), n)), bitsOf(wanted)) << n;
  }
}

TEST(PinnedSum, stridesAndEmptySums) {
  float x[] = {1, 100, 2, 100, 3, 100};
  EXPECT_EQ(pinned::sum(x, 3, 2), 6.0f);
  EXPECT_EQ(bitsOf(pinned::sum(x, 0)), bitsOf(0.0f));
  float zeros[] = {-0.0f, -0.0f};
  EXPECT_EQ(bitsOf(pinned::sum(zeros, 2)), bitsOf(0.0f));
}

namespace {

/// Counts operations instead of executing them, and thereby shows that the
/// sequences have no control flow that depends on values.
struct CountingBuilder {
  struct F32 {};
  struct I32 {};
  struct Bool {};
  int count = 0;
  F32 f() { return ++count, F32{}; }
  I32 i() { return ++count, I32{}; }
  Bool b() { return ++count, Bool{}; }
  F32 f32(float) { return {}; }
  I32 i32(int32_t) { return {}; }
  F32 add(F32, F32) { return f(); }
  F32 sub(F32, F32) { return f(); }
  F32 mul(F32, F32) { return f(); }
  F32 div(F32, F32) { return f(); }
  F32 fma(F32, F32, F32) { return f(); }
  F32 sqrt(F32) { return f(); }
  F32 roundeven(F32) { return f(); }
  F32 neg(F32) { return f(); }
  F32 abs(F32) { return f(); }
  Bool lt(F32, F32) { return b(); }
  Bool le(F32, F32) { return b(); }
  Bool eq(F32, F32) { return b(); }
  Bool isNan(F32) { return b(); }
  Bool ilt(I32, I32) { return b(); }
  Bool ieq(I32, I32) { return b(); }
  Bool both(Bool, Bool) { return b(); }
  Bool either(Bool, Bool) { return b(); }
  F32 select(Bool, F32, F32) { return f(); }
  I32 select(Bool, I32, I32) { return i(); }
  I32 bits(F32) { return i(); }
  F32 fromBits(I32) { return f(); }
  I32 iadd(I32, I32) { return i(); }
  I32 isub(I32, I32) { return i(); }
  I32 imul(I32, I32) { return i(); }
  I32 imulhu(I32, I32) { return i(); }
  I32 iand(I32, I32) { return i(); }
  I32 ior(I32, I32) { return i(); }
  I32 ixor(I32, I32) { return i(); }
  I32 shl(I32, I32) { return i(); }
  I32 lshr(I32, I32) { return i(); }
  I32 ashr(I32, I32) { return i(); }
  F32 toFloat(I32) { return f(); }
};

} // namespace

template <class Emit> static int countOf(Emit emit) {
  CountingBuilder b;
  emit(b);
  return b.count;
}

TEST(PinnedMath, sequencesInstantiateOverAnyBuilderAndStayShort) {
  CountingBuilder::F32 x;
  using B = CountingBuilder;
  EXPECT_LE(countOf([&](B &b) { pinned::exp(b, x); }), 40);
  EXPECT_LE(countOf([&](B &b) { pinned::sigmoid(b, x); }), 60);
  EXPECT_LE(countOf([&](B &b) { pinned::tanh(b, x); }), 70);
  EXPECT_LE(countOf([&](B &b) { pinned::log(b, x); }), 50);
  EXPECT_LE(countOf([&](B &b) { pinned::softplus(b, x); }), 120);
  EXPECT_LE(countOf([&](B &b) { pinned::erf(b, x); }), 80);
  EXPECT_LE(countOf([&](B &b) { pinned::geluErf(b, x); }), 90);
  EXPECT_LE(countOf([&](B &b) { pinned::geluTanh(b, x); }), 90);
  EXPECT_LE(countOf([&](B &b) { pinned::expm1(b, x); }), 50);
  EXPECT_LE(countOf([&](B &b) { pinned::log1p(b, x); }), 60);
  EXPECT_LE(countOf([&](B &b) { pinned::sin(b, x); }), 210);
  EXPECT_LE(countOf([&](B &b) { pinned::cos(b, x); }), 210);
  EXPECT_LE(countOf([&](B &b) { pinned::rsqrt(b, x); }), 6);
  EXPECT_LE(countOf([&](B &b) { pinned::pow(b, x, x); }), 160);
}
