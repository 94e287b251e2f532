//===- MutationTest.cpp - programs with one fault each --------------------===//
//
// Right programs are accepted. Of each, every mutant with one wait dropped, one
// threshold lowered, one register swapped or one buffer shifted is explored in
// all its executions; those that can go wrong must be rejected.
//
// What a mutant computes is not judged: one that takes the wrong buffer, but in
// every execution the same, is right here.
//
//===----------------------------------------------------------------------===//

#include "tally/run/checker/Checker.h"
#include "tally/run/checker/TestMutants.h"
#include "tally/run/checker/TestOracle.h"
#include "tally/run/checker/TestPrograms.h"

#include <gtest/gtest.h>

using namespace tally;
using namespace tally::checker;

namespace {
struct Tally {
  int mutants = 0, harmful = 0, rejected = 0;
};
} // namespace

/// Explores all mutants that are accepted, and every `sample`-th that is not:
/// those say only how many are harmful.
static Tally judgeMutants(const Subject &original, int sample) {
  Tally tally;
  Result<Verdict> verdict = check(original);
  EXPECT_TRUE(verdict && verdict->isAccepted)
      << (verdict ? verdict->message : verdict.error().str());
  EXPECT_EQ(exploreAll(original).harm, "");
  for (const Mutant &mutant : mutantsOf(original)) {
    Result<Verdict> judged = check(mutant.subject, {.limits = {100000, 10000}});
    bool isAccepted = judged && judged->isAccepted;
    tally.rejected += !isAccepted;
    if (tally.mutants++ % sample != 0 && !isAccepted)
      continue;
    Exploration truth = exploreAll(mutant.subject, 300000);
    EXPECT_NE(truth.harm, "?") << mutant.what;
    tally.harmful += !truth.harm.empty();
    EXPECT_FALSE(!truth.harm.empty() && isAccepted)
        << mutant.what << " was accepted: " << truth.harm;
  }
  return tally;
}

static void expectAllCaught(const Subject &original, int sample = 1) {
  Tally tally = judgeMutants(original, sample);
  ::testing::Test::RecordProperty("mutants", tally.mutants);
  ::testing::Test::RecordProperty("harmful", tally.harmful);
  ::testing::Test::RecordProperty("rejected", tally.rejected);
  EXPECT_GE(tally.harmful, 20);
}

TEST(Mutation, ringOfTwo) { expectAllCaught(ringProgram(2, 3)); }
TEST(Mutation, ringOfThree) { expectAllCaught(ringProgram(3, 4)); }
TEST(Mutation, ringOfFour) { expectAllCaught(ringProgram(4, 5)); }
TEST(Mutation, ringWithThresholdsInScalars) {
  expectAllCaught(ringProgram(2, 3, false));
}
TEST(Mutation, overwrittenState) { expectAllCaught(overwrittenState(3)); }
TEST(Mutation, tokens) { expectAllCaught(tokenRing(2, 4)); }
TEST(Mutation, flags) { expectAllCaught(flagRing(2, 4)); }
TEST(Mutation, matmul) { expectAllCaught(doubleBufferedMatmul(2, 2), 4); }
TEST(Mutation, convolution) { expectAllCaught(convolutionPipeline(4), 4); }
