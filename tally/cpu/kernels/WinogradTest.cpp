//===- WinogradTest.cpp - sums by squares are exact -----------------------===//
//
// The transforms, beside the matrices of the literature and beside convolutions
// that are added up term by term. Numbers of 16 and of 32 bits are modelled by
// wider ones, so that what does not fit is seen.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/kernels/WinogradTransforms.h"

#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace tally::cpu;

namespace {

/// Numbers that have to fit 16 bits.
struct In16 {
  static int64_t fit(int64_t value) {
    EXPECT_GE(value, INT16_MIN);
    EXPECT_LE(value, INT16_MAX);
    return value;
  }
  int64_t add(int64_t a, int64_t b) const { return fit(a + b); }
  int64_t sub(int64_t a, int64_t b) const { return fit(a - b); }
  int64_t twice(int64_t a, int64_t n) const { return fit(a * (1 << n)); }
};

/// Numbers that wrap in 32 bits.
struct In32 {
  uint32_t add(uint32_t a, uint32_t b) const { return a + b; }
  uint32_t sub(uint32_t a, uint32_t b) const { return a - b; }
  uint32_t twice(uint32_t a, int64_t n) const { return a << n; }
};

Square<int64_t, 6> codesOf(const Square<int64_t, 6> &d) {
  return transformBoth<6>(
      d, [](const auto &line) { return transformCodes(In16(), line); });
}
Square<int64_t, 6> stepsOf(const Square<int64_t, 3> &g) {
  return transformBoth<6>(
      g, [](const auto &line) { return transformSteps(In16(), line); });
}

int64_t undo(uint32_t sum, int64_t y, int64_t x) {
  auto shifted = static_cast<int32_t>(sum * kInverseOf9);
  return shifted >> (kResultShifts[y] + kResultShifts[x]);
}

Square<int64_t, 4> resultsOf(const Square<uint32_t, 6> &m) {
  auto sums = transformBoth<4>(
      m, [](const auto &line) { return transformSums(In32(), line); });
  Square<int64_t, 4> results;
  for (int64_t y = 0; y < 4; ++y)
    for (int64_t x = 0; x < 4; ++x)
      results[y][x] = undo(sums[y][x], y, x);
  return results;
}

struct Channel {
  Square<int64_t, 6> d;
  Square<int64_t, 3> g;
};

/// By squares, as the kernel adds: two channels at a time, modulo 2^32.
Square<int64_t, 4> bySquares(const std::vector<Channel> &channels) {
  Square<uint32_t, 6> sums = {};
  for (const Channel &channel : channels) {
    auto v = codesOf(channel.d), u = stepsOf(channel.g);
    for (int64_t y = 0; y < 6; ++y)
      for (int64_t x = 0; x < 6; ++x)
        sums[y][x] += static_cast<uint32_t>(v[y][x] * u[y][x]);
  }
  return resultsOf(sums);
}

Square<int64_t, 4> byTerms(const std::vector<Channel> &channels) {
  Square<int64_t, 4> sums = {};
  for (const Channel &channel : channels)
    for (int64_t y = 0; y < 4; ++y)
      for (int64_t x = 0; x < 4; ++x)
        for (int64_t ky = 0; ky < 3; ++ky)
          for (int64_t kx = 0; kx < 3; ++kx)
            sums[y][x] += channel.d[y + ky][x + kx] * channel.g[ky][kx];
  return sums;
}

//===----------------------------------------------------------------------===//
// The matrices
//===----------------------------------------------------------------------===//

/// Lavin and Gray, F(4x4, 3x3); G times 24.
constexpr int64_t kInput[6][6] = {{4, 0, -5, 0, 1, 0},  {0, -4, -4, 1, 1, 0},
                                  {0, 4, -4, -1, 1, 0}, {0, -2, -1, 2, 1, 0},
                                  {0, 2, -1, -2, 1, 0}, {0, 4, 0, -5, 0, 1}};
constexpr int64_t kFilter[6][3] = {{6, 0, 0}, {-4, -4, -4}, {-4, 4, -4},
                                   {1, 2, 4}, {1, -2, 4},   {0, 0, 24}};
constexpr int64_t kOutput[4][6] = {{1, 1, 1, 1, 1, 0},
                                   {0, 1, -1, 2, -2, 0},
                                   {0, 1, 1, 4, 4, 0},
                                   {0, 1, -1, 8, -8, 1}};
/// What rows of G are multiplied by, and lines of results too large by.
constexpr int64_t kFactors[6] = {4, -6, -6, 24, 24, 1};
constexpr int64_t kScales[4] = {24, 12, 6, 6};

/// Exact, of any size.
struct InWide {
  int64_t add(int64_t a, int64_t b) const { return a + b; }
  int64_t sub(int64_t a, int64_t b) const { return a - b; }
  int64_t twice(int64_t a, int64_t n) const { return a * (1 << n); }
};

template <size_t N> Line<int64_t, N> unit(size_t at) {
  Line<int64_t, N> line = {};
  line[at] = 1;
  return line;
}

TEST(Winograd, TransformsAreThoseOfTheLiterature) {
  for (size_t j = 0; j < 6; ++j) {
    auto codes = transformCodes(InWide(), unit<6>(j));
    for (size_t i = 0; i < 6; ++i)
      EXPECT_EQ(codes[i], kInput[i][j]);
    auto sums = transformSums(InWide(), unit<6>(j));
    for (size_t i = 0; i < 4; ++i)
      EXPECT_EQ(sums[i] * kFactors[j], kOutput[i][j] * kScales[i]);
  }
  for (size_t j = 0; j < 3; ++j) {
    auto steps = transformSteps(InWide(), unit<3>(j));
    for (size_t i = 0; i < 6; ++i)
      EXPECT_EQ(steps[i] * 24, kFilter[i][j] * kFactors[i]);
  }
}

TEST(Winograd, ScalesAreNineTimesAPowerOfTwo) {
  for (size_t y = 0; y < 4; ++y)
    EXPECT_EQ(kScales[y], 3 << kResultShifts[y]);
  EXPECT_EQ(9u * kInverseOf9, 1u);
}

//===----------------------------------------------------------------------===//
// The sums
//===----------------------------------------------------------------------===//

class WinogradSums : public testing::Test {
protected:
  int64_t pick(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  }
  template <size_t N>
  Square<int64_t, N> square(llvm::function_ref<int64_t()> number) {
    Square<int64_t, N> square;
    for (auto &line : square)
      for (int64_t &value : line)
        value = number();
    return square;
  }

  std::mt19937_64 random{1}; // NOLINT(bugprone-random-generator-seed)
};

TEST_F(WinogradSums, OfRandomNumbers) {
  for (int round = 0; round < 50; ++round) {
    std::vector<Channel> channels;
    for (int64_t i = 0, count = pick(1, 200); i < count; ++i)
      channels.push_back({square<6>([&] { return pick(0, 255); }),
                          square<3>([&] { return pick(-128, 127); })});
    EXPECT_EQ(bySquares(channels), byTerms(channels));
  }
}

TEST_F(WinogradSums, OfExtremeNumbers) {
  for (int round = 0; round < 50; ++round) {
    std::vector<Channel> channels;
    for (int64_t i = 0, count = pick(1, 100); i < count; ++i)
      channels.push_back({square<6>([&] { return pick(0, 1) * 255; }),
                          square<3>([&] { return pick(0, 1) * 255 - 128; })});
    EXPECT_EQ(bySquares(channels), byTerms(channels));
  }
}

/// For each point the codes and the steps that are largest there: those of the
/// matrix's positive places, or of its negative ones.
TEST_F(WinogradSums, OfTheLargestNumbersAtEachPoint) {
  for (int64_t point = 0; point < 36; ++point)
    for (bool isNegative : {false, true}) {
      const int64_t *y = kInput[point / 6], *x = kInput[point % 6];
      const int64_t *gy = kFilter[point / 6], *gx = kFilter[point % 6];
      Channel channel;
      for (int64_t i = 0; i < 6; ++i)
        for (int64_t j = 0; j < 6; ++j)
          channel.d[i][j] = (y[i] * x[j] < 0) == isNegative ? 255 : 0;
      for (int64_t i = 0; i < 3; ++i)
        for (int64_t j = 0; j < 3; ++j)
          channel.g[i][j] = (gy[i] * gx[j] < 0) == isNegative ? 127 : -128;
      std::vector<Channel> channels(64, channel);
      EXPECT_EQ(bySquares(channels), byTerms(channels)) << point;
    }
}

/// All codes 255 and all steps -128 or 127: 114 channels are 1,026 terms, whose
/// sums are the largest below 2^25, and 115 are too many.
TEST_F(WinogradSums, UpToTheBound) {
  for (int64_t step : {-128, 127})
    for (int64_t count : {1, 113, 114}) {
      Channel channel = {square<6>([] { return 255; }),
                         square<3>([&] { return step; })};
      std::vector<Channel> channels(count, channel);
      EXPECT_EQ(byTerms(channels)[0][0], 255 * 9 * count * step);
      EXPECT_EQ(bySquares(channels), byTerms(channels));
    }
  Channel channel = {square<6>([] { return 255; }),
                     square<3>([] { return -128; })};
  std::vector<Channel> channels(115, channel);
  EXPECT_NE(bySquares(channels), byTerms(channels));
}

TEST(Winograd, EverySumBelowTheBoundComesBack) {
  for (int64_t y = 0; y < 4; ++y)
    for (int64_t x = 0; x < 4; ++x)
      for (int64_t sum : {-(1 << 25), 1 - (1 << 25), -1, 0, 1, (1 << 25) - 1}) {
        int64_t scaled = kScales[y] * kScales[x] * sum;
        EXPECT_EQ(undo(static_cast<uint32_t>(scaled), y, x), sum);
      }
  EXPECT_NE(undo(static_cast<uint32_t>(24 * 24 * (int64_t(1) << 25)), 0, 0),
            1 << 25);
}

TEST(Winograd, WhatIsNotExactIsRefused) {
  constexpr __int128 bound = 1 << 25;
  EXPECT_TRUE(areSquaresExact(255, 128, {}));
  EXPECT_TRUE(areSquaresExact(255, 128, {{-bound, bound - 1}, {0, 0}}));
  EXPECT_FALSE(areSquaresExact(255, 128, {{0, 0}, {0, bound}}));
  EXPECT_FALSE(areSquaresExact(255, 128, {{-bound - 1, 0}}));
  // 100 times a code and 49 times a step have to fit 16 bits.
  EXPECT_TRUE(areSquaresExact(327, 668, {}));
  EXPECT_FALSE(areSquaresExact(328, 128, {}));
  EXPECT_FALSE(areSquaresExact(255, 669, {}));
}

} // namespace
