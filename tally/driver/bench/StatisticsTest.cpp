//===- StatisticsTest.cpp - what a list of times says ---------------------===//

#include "tally/driver/bench/Statistics.h"

#include <gtest/gtest.h>

using namespace tally::bench;

namespace {

TEST(Statistics, areOfTheSortedValues) {
  // 1 2 3 4 9: places 0, 1, 2 and 3 of 0 to 4.
  Spread spread = spreadOf({9, 1, 3, 2, 4});
  EXPECT_EQ(spread.minimum, 1);
  EXPECT_EQ(spread.lowerQuartile, 2);
  EXPECT_EQ(spread.median, 3);
  EXPECT_EQ(spread.upperQuartile, 4);
}

TEST(Statistics, lieBetweenValues) {
  // 10 20 30 40: places 0.75, 1.5 and 2.25 of 0 to 3.
  Spread spread = spreadOf({40, 10, 30, 20});
  EXPECT_EQ(spread.lowerQuartile, 17.5);
  EXPECT_EQ(spread.median, 25);
  EXPECT_EQ(spread.upperQuartile, 32.5);
}

TEST(Statistics, ofOneValueAreThatValue) {
  Spread spread = spreadOf({7});
  EXPECT_EQ(spread.minimum, 7);
  EXPECT_EQ(spread.upperQuartile, 7);
}

} // namespace
