//===- MinCutTest.cpp - the cut against all colourings --------------------===//

#include "tally/rewrite/layout/MinCut.h"

#include "gtest/gtest.h"

#include <random>

using namespace tally::rewrite;

static constexpr size_t kFirst = ColouringProblem::kFirst;
static constexpr size_t kSecond = ColouringProblem::kSecond;

/// The least cost over every colouring.
static int64_t bestOfAll(const ColouringProblem &problem) {
  int64_t best = INT64_MAX;
  size_t open = problem.points - 2;
  for (uint64_t bits = 0; bits < (uint64_t(1) << open); ++bits) {
    std::vector<Colour> colours = {Colour::First, Colour::Second};
    for (size_t i = 0; i < open; ++i)
      colours.push_back(bits >> i & 1 ? Colour::Second : Colour::First);
    best = std::min(best, colouringCost(problem, colours));
  }
  return best;
}

// first -5- a -3- b -4- second: the net of 3 is cut.
TEST(MinCut, CutsTheCheapestNetOfAChain) {
  ColouringProblem problem;
  size_t a = problem.addPoint(), b = problem.addPoint();
  problem.nets = {{{kFirst, a}, 5}, {{a, b}, 3}, {{b, kSecond}, 4}};
  std::vector<Colour> colours = cheapestColouring(problem);
  EXPECT_EQ(colours[a], Colour::First);
  EXPECT_EQ(colours[b], Colour::Second);
  EXPECT_EQ(colouringCost(problem, colours), 3);
}

// One net of three readers costs 7 once, not per reader; separating them at
// their far ends would cost 3 + 3 + 3 = 9.
TEST(MinCut, PaysANetOnce) {
  ColouringProblem problem;
  size_t a = problem.addPoint(), b = problem.addPoint(), c = problem.addPoint();
  problem.nets = {{{kFirst, a, b, c}, 7},
                  {{a, kSecond}, 3},
                  {{b, kSecond}, 3},
                  {{c, kSecond}, 3}};
  EXPECT_EQ(colouringCost(problem, cheapestColouring(problem)), 7);
}

TEST(MinCut, EqualsTheBestOfAllColourings) {
  std::mt19937 random(1);
  auto below = [&](size_t n) { return random() % n; };
  for (int round = 0; round < 300; ++round) {
    ColouringProblem problem;
    for (size_t i = 0, e = 1 + below(8); i < e; ++i)
      problem.addPoint();
    for (size_t i = 0, e = 1 + below(12); i < e; ++i) {
      ColouringProblem::Net net;
      for (size_t p = 0, n = 2 + below(3); p < n; ++p)
        net.points.push_back(below(problem.points));
      net.cost = static_cast<int64_t>(below(20));
      problem.nets.push_back(net);
    }
    std::vector<Colour> colours = cheapestColouring(problem);
    EXPECT_EQ(colours[kFirst], Colour::First);
    EXPECT_EQ(colours[kSecond], Colour::Second);
    EXPECT_EQ(colouringCost(problem, colours), bestOfAll(problem));
  }
}
