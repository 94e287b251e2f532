//===- WaitsTest.cpp - whether a program needs its waits ------------------===//

#include "tally/run/checker/Waits.h"
#include "tally/run/checker/TestPrograms.h"

#include <gtest/gtest.h>

using namespace tally;
using namespace tally::checker;

/// Queue 2 loads, queue 0 copies what was loaded; `times` the same wait.
static Subject copyThatWaits(int times) {
  Builder b(testMachine(2));
  b.size(isa::kConstantsRegion, 16);
  b.copy(2, {0, 0}, sram(0), 8).signal(2, 0);
  for (int i = 0; i < times; ++i)
    b.wait(0, 0, 1);
  b.copy(0, sram(0), sram(16), 8);
  b.fence().reset(0).end();
  return b.subject;
}

TEST(Waits, ANeededWaitIsNotListed) {
  auto review = reviewWaits(copyThatWaits(1), 100);
  ASSERT_TRUE(review);
  EXPECT_EQ(review->waits, 1);
  EXPECT_EQ(review->tried, 1);
  EXPECT_TRUE(review->needless.empty());
}

TEST(Waits, OfTwoEqualOnesEitherCanGo) {
  auto review = reviewWaits(copyThatWaits(2), 100);
  ASSERT_TRUE(review);
  EXPECT_EQ(review->waits, 2);
  ASSERT_EQ(review->needless.size(), 2U);
  EXPECT_EQ(review->needless[0].instruction + 1,
            review->needless[1].instruction);
}

TEST(Waits, AtMostSoManyAreTried) {
  auto review = reviewWaits(copyThatWaits(7), 3);
  ASSERT_TRUE(review);
  EXPECT_EQ(review->waits, 7);
  EXPECT_EQ(review->tried, 3);
  // Waits 0, 7/3 = 2 and 14/3 = 4, one instruction each.
  ASSERT_EQ(review->needless.size(), 3U);
  uint32_t first = review->needless[0].instruction;
  EXPECT_EQ(review->needless[1].instruction, first + 2);
  EXPECT_EQ(review->needless[2].instruction, first + 4);
}

TEST(Waits, ALoopsWaitsCountOnce) {
  // Each trip waits for a buffer, for the load, for a result buffer and for the
  // copy: four instructions, whatever the trips.
  auto review = reviewWaits(ringProgram(2, 5), 100);
  ASSERT_TRUE(review);
  EXPECT_EQ(review->waits, 4);
  EXPECT_TRUE(review->needless.empty());
}
