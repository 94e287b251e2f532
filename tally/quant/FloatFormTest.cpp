//===- FloatFormTest.cpp - fp32 forms before a judge of their own ---------===//
//
// The judge computes fp32 with rationals, so it trusts neither the processor's
// floats nor the code that made the form. Both the form and IDEAL are monotone:
// where they agree on both sides of each of IDEAL's steps, they agree
// everywhere.
//
//===----------------------------------------------------------------------===//

#include "tally/quant/FloatForm.h"
#include "tally/quant/RequantizeOracleForTests.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace tally;
using namespace tally::quant;
using oracle::conv;
using oracle::Random;

/// 2^exponent.
static mpq_class power(long exponent) {
  mpq_class one = 1;
  if (exponent >= 0)
    one <<= exponent;
  else
    one >>= -exponent;
  return one;
}

/// The fp32 number nearest to a rational, ties to even; no overflow here.
static mpq_class toFloat32(const mpq_class &value) {
  if (value == 0)
    return value;
  mpq_class magnitude = abs(value);
  long exponent = long(mpz_sizeinbase(magnitude.get_num_mpz_t(), 2)) -
                  long(mpz_sizeinbase(magnitude.get_den_mpz_t(), 2));
  if (magnitude < power(exponent))
    --exponent;
  mpq_class unit = power(std::max(exponent - 23, -149L));
  mpq_class rounded = oracle::roundHalfEven(mpq_class(value / unit));
  return rounded * unit;
}

/// The form's code, as the header states it.
static int64_t formCode(const FloatForm &form, int64_t acc) {
  mpq_class product =
      toFloat32(toFloat32(mpq_class(long(acc))) * mpq_class(form.scale));
  mpq_class sum = toFloat32(product + mpq_class(form.addend));
  EXPECT_LE(abs(sum), power(30));
  return oracle::toCode(sum, form.origin, form.clampLo, form.clampHi);
}

/// Whether the form is IDEAL on the whole interval.
static bool isProven(const RequantizeProblem &p, const FloatForm &form) {
  for (int64_t acc : oracle::accumulatorsAtSteps(p))
    if (formCode(form, acc) != oracle::oracleCode(p, acc))
      return false;
  return true;
}

namespace {
/// How many problems have a form.
struct Share {
  int all = 0, found = 0;

  void add(const RequantizeProblem &p) {
    auto form = deriveFloatForm(p);
    ++all;
    if (!form)
      return;
    ++found;
    ASSERT_TRUE(isProven(p, *form))
        << "scale " << form->scale << " addend " << form->addend;
  }
};
} // namespace

static RequantizeProblem channel(Random &random, double scale, CodeType type,
                                 int32_t zero) {
  return conv(float(scale * std::exp2(random.unit() - 0.5)), 1, 1, type, zero,
              1 << 20);
}

// 2^-18 is the rounding of 64 ... 128; see AffineFit.cpp.
TEST(FloatForm, channelsOfSmallProductsHaveForms) {
  Random random(1);
  for (auto [type, zero] : {std::pair(i8, 0), std::pair(u8, 0),
                            std::pair(i8, -128), std::pair(u8, 100)}) {
    Share coarse, fine;
    for (int i = 0; i < 60; ++i) {
      coarse.add(channel(random, 0.01, type, zero));
      fine.add(channel(random, 0.003, type, zero));
    }
    EXPECT_EQ(coarse.found, coarse.all);
    EXPECT_GE(fine.found, fine.all * 9 / 10);
  }
}

TEST(FloatForm, whereScalesAreSmallFewHaveOneAndItIsProven) {
  Random random(2);
  Share share;
  for (int i = 0; i < 200; ++i)
    share.add(channel(random, 0.0004, u8, 0));
  EXPECT_GT(share.found, 0);
  EXPECT_LT(share.found, share.all / 2);
}

// Powers of two put a tie on every step, which fp32 meets exactly.
TEST(FloatForm, powersOfTwoKeepTheirTies) {
  for (int exponent = 1; exponent <= 16; ++exponent)
    for (int32_t zero : {0, 1, 13, -128, 127}) {
      RequantizeProblem p =
          conv(std::ldexp(1.0f, -exponent), 1, 1, i8, zero, 1 << 22);
      auto form = deriveFloatForm(p);
      ASSERT_TRUE(form);
      ASSERT_TRUE(isProven(p, *form)) << exponent << " " << zero;
    }
}

// fl32(1/100) is less than 1/100: all of its many near ties are below.
TEST(FloatForm, nearTiesAreKept) {
  for (float scale : {0.01f, 0.1f, 0.011f, 0.02f, 0.3f, 1.0f / 3}) {
    RequantizeProblem p = conv(scale, 1, 1, i8, 0, 1 << 20);
    auto form = deriveFloatForm(p);
    ASSERT_TRUE(form) << scale;
    ASSERT_TRUE(isProven(p, *form)) << scale;
  }
}

TEST(FloatForm, awkwardProblemsAreProvenWhereThereIsAForm) {
  Random random(3);
  Share share;
  auto scales = oracle::awkwardScales();
  for (int i = 0; i < 600; ++i) {
    CodeType type = random.pick<CodeType>({i8, u8, i4, u4});
    auto zeros = oracle::zeroPoints(type);
    RequantizeProblem p =
        conv(random.pick(scales), random.pick(scales), random.pick(scales),
             type, random.pick(zeros), int64_t(1) << random.within(0, 40));
    p.factor = random.pick<float>({1, -1, 0, 0.3f, -2.5f});
    p.divisor = random.pick<int64_t>({1, 2, 3, 7, 49, 1000});
    p.offset = Dyadic::ofInt(random.within(-1000000, 1000000)) *
               Dyadic::of(random.pick(scales));
    int32_t lo = random.pick(zeros), hi = random.pick(zeros);
    p.clampLo = std::min(lo, hi);
    p.clampHi = std::max(lo, hi);
    share.add(p);
  }
  EXPECT_GT(share.found, share.all / 4);
}

// Every accumulator of short intervals, by the form itself.
TEST(FloatForm, shortIntervalsAreRightEverywhere) {
  Random random(4);
  auto scales = oracle::awkwardScales();
  int found = 0;
  for (int i = 0; i < 400; ++i) {
    CodeType type = random.pick<CodeType>({i8, u8, i4, u4});
    RequantizeProblem p =
        conv(random.pick(scales), random.pick(scales), random.pick(scales),
             type, random.pick(oracle::zeroPoints(type)), 0);
    p.factor = random.pick<float>({1, -1, 0.3f});
    p.divisor = random.pick<int64_t>({1, 1, 3, 49});
    int64_t limit = int64_t(1) << random.within(4, 30);
    p.accumulatorLo = random.within(-limit, limit);
    p.accumulatorHi = p.accumulatorLo + 400;
    auto form = deriveFloatForm(p);
    if (!form)
      continue;
    ++found;
    for (int64_t acc = p.accumulatorLo; acc <= p.accumulatorHi; ++acc) {
      int64_t ideal = oracle::oracleCode(p, acc);
      ASSERT_EQ(apply(*form, acc), ideal);
      ASSERT_EQ(formCode(*form, acc), ideal);
    }
  }
  EXPECT_GT(found, 200);
}

// The judge finds fault with forms that are not the proven one.
TEST(FloatForm, theJudgeSeesWrongForms) {
  RequantizeProblem p = conv(0.0123f, 1, 1, i8, 3, 1 << 20);
  auto form = deriveFloatForm(p);
  ASSERT_TRUE(form);
  ASSERT_TRUE(isProven(p, *form));
  FloatForm steeper = *form, higher = *form, moved = *form;
  steeper.scale *= 1.0001f;
  EXPECT_FALSE(isProven(p, steeper));
  higher.addend += 0.01f;
  EXPECT_FALSE(isProven(p, higher));
  moved.origin += 1;
  EXPECT_FALSE(isProven(p, moved));
}

// Not under a profile, and not where the sum of products has more than 32 bits.
TEST(FloatForm, formsAreMadeOnlyWhereTheyHold) {
  RequantizeProblem p = conv(0.01f, 1, 1, i8, 0, 1 << 20);
  EXPECT_TRUE(deriveFloatForm(p));
  p.profile = Profile::OnnxRuntime;
  EXPECT_FALSE(deriveFloatForm(p));
  p.profile = Profile::Ideal;
  p.accumulatorHi = int64_t(1) << 31;
  EXPECT_FALSE(deriveFloatForm(p));
}

// Sixteen bits of result are more than fp32 can tell apart.
TEST(FloatForm, sixteenBitResultsHaveNone) {
  EXPECT_FALSE(deriveFloatForm(conv(0.01f, 1, 1, i16, 0, 1 << 24)));
}
