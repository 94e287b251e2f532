//===- MemoryTest.cpp - plans are legal, and the judge sees through bad ones -//

#include "tally/plan/memory/Problem.h"

#include <gtest/gtest.h>

#include <random>

using namespace tally::plan;

static MemoryProblem drawing() {
  return {{{.name = "a", .bytes = 4, .alignment = 1, .begin = 0, .end = 2},
           {.name = "b", .bytes = 2, .alignment = 1, .begin = 1, .end = 3},
           {.name = "c", .bytes = 4, .alignment = 1, .begin = 2, .end = 4}}};
}

// a and c never meet and share bytes 0-3; b meets both and takes 4-5.
TEST(Memory, SharesBytesOfTheDead) {
  MemorySolution solution = planGreedy(drawing());
  EXPECT_EQ(solution.offsets, (std::vector<int64_t>{0, 4, 0}));
  EXPECT_EQ(solution.arenaBytes, 6);
  EXPECT_EQ(findViolation(drawing(), solution), "");
}

// At step 1 a (4) and b (2) live: 6 bytes; at step 2 b and c: also 6.
TEST(Memory, PeakNamesTheFirstStep) {
  MemoryPeak peak = memoryPeak(drawing());
  EXPECT_EQ(peak.bytes, 6);
  EXPECT_EQ(peak.time, 1);
  EXPECT_EQ(peak.buffers, (std::vector<size_t>{0, 1}));
}

TEST(Memory, JudgeSeesOverlap) {
  EXPECT_EQ(findViolation(drawing(), {{0, 3, 0}, 5}),
            "'a' and 'b' live at one time and share bytes");
}

TEST(Memory, JudgeSeesAWrongTotal) {
  EXPECT_EQ(findViolation(drawing(), {{0, 4, 0}, 8}),
            "the arena is said to be 8 bytes, the highest buffer ends at 6");
}

TEST(Memory, JudgeSeesMisalignment) {
  MemoryProblem problem{{{.name = "a", .bytes = 4, .alignment = 64, .end = 1}}};
  EXPECT_EQ(findViolation(problem, {{32}, 36}),
            "offset 32 of 'a' is not a multiple of 64");
}

TEST(Memory, JudgeSeesAMissingPlace) {
  EXPECT_EQ(findViolation(drawing(), {{0}, 4}), "1 offsets for 3 buffers");
}

TEST(Memory, JudgeSeesANegativeOffset) {
  MemoryProblem problem{{{.name = "a", .bytes = 4, .alignment = 64, .end = 1}}};
  EXPECT_EQ(findViolation(problem, {{-64}, 0}),
            "offset -64 of 'a' is negative");
}

TEST(Memory, JudgeSeesImpossibleBuffers) {
  auto faultOf = [](Buffer buffer) {
    buffer.name = "a";
    return findViolation({{buffer}}, {{0}, buffer.bytes});
  };
  EXPECT_EQ(faultOf({.bytes = -4}), "'a' has -4 bytes");
  EXPECT_EQ(faultOf({.bytes = 4, .begin = 3, .end = 2}),
            "'a' dies at 2, before its begin at 3");
  for (int64_t alignment : {0, 3, -64})
    EXPECT_EQ(faultOf({.bytes = 4, .alignment = alignment}),
              "alignment " + std::to_string(alignment) +
                  " of 'a' is not a power of two");
}

// Two of 2^62 bytes end at 2^63, one beyond what an offset can say. (The first
// takes 0, the second 2^62.)
TEST(Memory, JudgeSeesPlansBeyondTheLargestOffset) {
  MemoryProblem problem{{{.name = "a", .bytes = int64_t(1) << 62, .end = 1},
                         {.name = "b", .bytes = int64_t(1) << 62, .end = 1}}};
  MemorySolution solution = planGreedy(problem);
  EXPECT_EQ(findViolation(problem, solution), "'b' ends beyond 2^63 - 1");
  EXPECT_EQ(memoryPeak(problem).bytes, INT64_MAX);
}

// b lies inside of a, but has no bytes or no time: nothing is shared.
TEST(Memory, EmptyBuffersMeetNothing) {
  Buffer a{.name = "a", .bytes = 4, .alignment = 1, .begin = 0, .end = 4};
  Buffer noBytes{.name = "b", .bytes = 0, .alignment = 1, .begin = 1, .end = 3};
  Buffer noTime{.name = "b", .bytes = 2, .alignment = 1, .begin = 2, .end = 2};
  EXPECT_EQ(findViolation({{a, noBytes}}, {{0, 2}, 4}), "");
  EXPECT_EQ(findViolation({{a, noTime}}, {{0, 1}, 4}), "");
}

// Random problems: always legal, never below the bound that no plan can beat.
TEST(Memory, RandomPlansAreLegal) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    MemoryProblem problem;
    int count = 1 + static_cast<int>(random() % 30);
    for (int i = 0; i < count; ++i) {
      int64_t begin = random() % 20;
      problem.buffers.push_back({.name = std::to_string(i),
                                 .bytes = int64_t(random() % 500),
                                 .alignment = int64_t(1) << random() % 7,
                                 .begin = begin,
                                 .end = begin + 1 + int64_t(random() % 8)});
    }
    MemorySolution solution = planGreedy(problem);
    ASSERT_EQ(findViolation(problem, solution), "") << "round " << round;
    ASSERT_GE(solution.arenaBytes, memoryPeak(problem).bytes);
  }
}
