//===- MachineLoopsTest.cpp - the loops do the work that they count -------===//

#include "tally/cpu/MachineLoops.h"
#include "tally/runtime/JitProgram.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace tally;
using namespace tally::cpu;

namespace {

constexpr size_t kVectorWords = kLoopVectorBytes / 4;
struct alignas(64) Vectors {
  uint32_t words[kLoopVectors * kVectorWords] = {};

  void fill(int vector, uint32_t word) {
    std::fill_n(words + vector * kVectorWords, kVectorWords, word);
  }
};

Vectors run(MachineLoop loop, Tier tier, int64_t rounds, const void *data) {
  Vectors result;
  auto compiled = compileLoop(loop, tier);
  EXPECT_TRUE(compiled) << compiled.error().str();
  auto program =
      runtime::jitProgram(compiled->object, std::move(compiled->interface));
  EXPECT_TRUE(program) << program.error().str();
  const void *inputs[] = {&rounds, data};
  void *outputs[] = {result.words};
  EXPECT_TRUE(program->run(inputs, outputs, nullptr));
  return result;
}

uint32_t bitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

/// One step of a sum whose bytes are all 1, with factor bytes of 2 (and ones in
/// 16 bits for %a, which the dot products of bytes read as bytes).
uint32_t expectedStep(Tier tier) {
  constexpr uint32_t kOnes = 0x01010101;
  switch (tier) {
  case Tier::Baseline:
  case Tier::Avx2: // two products of 16 bits: 0x0101 * 0x0202
    return kOnes + 2 * 0x0101 * 0x0202;
  case Tier::AvxVnni:
  case Tier::Avx512: // %a's bytes are 1, 0, 1, 0: two products 1 * 2
    return kOnes + 2 * 1 * 2;
  case Tier::Amx: // factors are the vectors of ones: 64 products 1 * 1
    return kOnes + 64;
  case Tier::Neon:
  case Tier::I8mm: // no tier of a machine that runs this
    break;
  }
  return 0;
}

TEST(MachineLoops, multiplyAndAddBytes) {
  for (Tier tier : tiersOfThisMachine()) {
    Vectors data;
    for (int i = 0; i < kLoopAccumulators; ++i)
      data.fill(i, 0x01010101);
    data.fill(kLoopAccumulators, 0x00010001);
    data.fill(kLoopAccumulators + 1, 0x02020202);
    Vectors sums = run(MachineLoop::IntegerProducts, tier, 1, data.words);
    for (int i = 0; i < loopSums(MachineLoop::IntegerProducts, tier); ++i)
      EXPECT_EQ(sums.words[i * kVectorWords], expectedStep(tier))
          << tierName(tier) << " " << i;
  }
}

TEST(MachineLoops, multiplyAndAddFloats) {
  // 8 -> 8 / 2 + 1 = 5 -> 3.5 -> 2.75, by the third round.
  for (Tier tier : tiersOfThisMachine()) {
    Vectors data;
    for (int i = 0; i < kLoopAccumulators; ++i)
      data.fill(i, bitsOf(8.0F));
    data.fill(kLoopAccumulators, bitsOf(0.5F));
    data.fill(kLoopAccumulators + 1, bitsOf(1.0F));
    Vectors sums = run(MachineLoop::FloatProducts, tier, 3, data.words);
    for (int i = 0; i < kLoopAccumulators; ++i)
      EXPECT_EQ(sums.words[i * kVectorWords], bitsOf(2.75F))
          << tierName(tier) << " " << i;
  }
}

TEST(MachineLoops, readEveryByteOnce) {
  // 3 rounds of 64 words: 0, 1, ... 191, whose sum is 191 * 192 / 2.
  struct alignas(64) {
    uint32_t words[3 * kReadBytes / 4];
  } data;
  for (uint32_t i = 0; i < std::size(data.words); ++i)
    data.words[i] = i;
  for (Tier tier : tiersOfThisMachine()) {
    Vectors sums = run(MachineLoop::Read, tier, 3, data.words);
    uint32_t total = 0;
    for (uint32_t word : sums.words)
      total += word;
    EXPECT_EQ(total, 191U * 192 / 2) << tierName(tier);
  }
}

TEST(MachineLoops, areMadeForAArch64) {
  for (auto loop : {MachineLoop::IntegerProducts, MachineLoop::FloatProducts,
                    MachineLoop::Read}) {
    for (Tier tier : {Tier::Neon, Tier::I8mm}) {
      auto compiled = compileLoop(loop, tier);
      ASSERT_TRUE(compiled) << compiled.error().str();
      EXPECT_EQ(compiled->interface.target, "aarch64-linux-gnu");
    }
  }
  // Twelve sums of four lanes, one product of 16 bits in each.
  EXPECT_EQ(multiplyAddsPerRound(MachineLoop::IntegerProducts, Tier::Neon),
            12 * 4 * 1);
  EXPECT_EQ(multiplyAddsPerRound(MachineLoop::IntegerProducts, Tier::I8mm),
            12 * 4 * 4);
}

TEST(MachineLoops, countWhatARoundDoes) {
  // Four sums of 16 x 16, of 64 products each.
  EXPECT_EQ(multiplyAddsPerRound(MachineLoop::IntegerProducts, Tier::Amx),
            4 * 16 * 16 * 64);
  // Twelve sums of 16, 8 and 4 lanes; four products a lane where there are dot
  // products of bytes, two (of 16 bits) elsewhere.
  EXPECT_EQ(multiplyAddsPerRound(MachineLoop::IntegerProducts, Tier::Avx512),
            12 * 16 * 4);
  EXPECT_EQ(multiplyAddsPerRound(MachineLoop::IntegerProducts, Tier::AvxVnni),
            12 * 8 * 4);
  EXPECT_EQ(multiplyAddsPerRound(MachineLoop::IntegerProducts, Tier::Avx2),
            12 * 8 * 2);
  EXPECT_EQ(multiplyAddsPerRound(MachineLoop::IntegerProducts, Tier::Baseline),
            12 * 4 * 2);
  EXPECT_EQ(multiplyAddsPerRound(MachineLoop::FloatProducts, Tier::Avx512),
            12 * 16);
}

} // namespace
