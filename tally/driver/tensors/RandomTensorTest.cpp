//===- RandomTensorTest.cpp - reproducible data ---------------------------===//

#include "tally/driver/tensors/RandomTensor.h"

#include <gtest/gtest.h>
#include <set>

using namespace tally;
using runtime::TensorInterface;

namespace {
TensorInterface about(eval::Element element, eval::Shape shape) {
  return {"x", element, std::move(shape), std::nullopt};
}

// The first two words that SplitMix64 gives from state 0.
constexpr uint64_t kFirst = 0xe220a8397b1dcdaf, kSecond = 0x6e789e6aa1b965f4;
} // namespace

TEST(RandomTensor, WordsAreThePublishedOnes) {
  EXPECT_EQ(randomWord(0, 0, 0), kFirst);
  EXPECT_EQ(randomWord(0, 0, 1), kSecond);
}

TEST(RandomTensor, FloatsAreTheTopBitsWithoutRounding) {
  eval::Tensor tensor = randomTensor(about(eval::Element::F32, {2}), 0, 0);
  // The top 24 bits 0xe220a8 and 0x6e789e, in steps of 2^-23 from -1.
  EXPECT_EQ(tensor.data<float>()[0], 0xe220a8 / 8388608.0f - 1);
  EXPECT_EQ(tensor.data<float>()[1], 0x6e789e / 8388608.0f - 1);
}

TEST(RandomTensor, CodesTakeTheirWholeRange) {
  // The high word of kFirst * 256 is its top byte, 0xe2 = 226.
  eval::Tensor bytes = randomTensor(about(eval::Element::U8, {1}), 0, 0);
  EXPECT_EQ(eval::loadInt(bytes, 0), 226);
  eval::Tensor codes = randomTensor(about(eval::Element::I8, {4096}), 1, 0);
  std::set<int64_t> seen;
  for (int64_t code : eval::toInts(codes))
    seen.insert(code);
  EXPECT_EQ(seen.size(), 256u);
}

TEST(RandomTensor, ANarrowGridIsKept) {
  TensorInterface narrow = about(eval::Element::I8, {512});
  narrow.quant = eval::Quantization{-8, 7, {1.0f}, {0}, -1};
  for (int64_t code : eval::toInts(randomTensor(narrow, 1, 0))) {
    EXPECT_GE(code, -8);
    EXPECT_LE(code, 7);
  }
}

TEST(RandomTensor, WideIntegersAreZeroOrOneUnlessARangeIsGiven) {
  for (int64_t value :
       eval::toInts(randomTensor(about(eval::Element::I64, {64}), 3, 0)))
    EXPECT_TRUE(value == 0 || value == 1);
  // kFirst / 2^64 = 0.883...; 10 times that is 8.83.
  eval::Tensor digit =
      randomTensor(about(eval::Element::I64, {1}), 0, 0, RandomRange{0, 9});
  EXPECT_EQ(eval::loadInt(digit, 0), 8);
}

TEST(RandomTensor, AnInputsDataDependsOnItsNumber) {
  EXPECT_NE(randomWord(0, 1, 0), randomWord(0, 0, 0));
}

TEST(RandomTensor, AFloatRangeIsKept) {
  eval::Tensor tensor =
      randomTensor(about(eval::Element::F32, {256}), 5, 0, RandomRange{10, 20});
  for (float value : tensor.values<float>()) {
    EXPECT_GE(value, 10);
    EXPECT_LE(value, 20);
  }
}
