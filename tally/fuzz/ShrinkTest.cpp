//===- ShrinkTest.cpp - planted faults are found and become small ---------===//
//
// A predicate of fusion that is taken to hold whatever it says is a fault that
// shows on random graphs only. The campaign must find it, and the shrinker must
// bring it down to the few operators that it takes.
//
//===----------------------------------------------------------------------===//

#include "tally/fuzz/Shrink.h"
#include "tally/fuzz/Apart.h"
#include "tally/fuzz/Edits.h"

#include "mlir/IR/Verifier.h"
#include "llvm/ADT/Sequence.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tally;
using namespace tally::fuzz;

namespace {

Outcome checkHere(const Graph &graph, const Setting &setting) {
  Coverage ignored;
  return checkApart(graph, setting, ignored, /*seconds=*/60, /*isQuiet=*/true);
}

struct Found {
  Graph graph;
  Outcome outcome;
};

/// The first failing graph of 6400 under `setting`; batches first.
std::optional<Found> find(MLIRContext &context, const Setting &setting) {
  constexpr uint64_t batch = 64;
  for (uint64_t first = 1; first <= 6400; first += batch) {
    auto seeds = llvm::to_vector(llvm::seq(first, first + batch));
    Graph all = generate(context, seeds);
    Outcome outcome = checkHere(all, setting);
    if (outcome.verdict == Verdict::Fails)
      return Found{std::move(all), std::move(outcome)};
  }
  return std::nullopt;
}

class PlantedFault : public testing::TestWithParam<const char *> {};

// What a fault takes at most: operators on codes or floats, and for each two
// Dequantize, a Quantize and a constant around. For ratioKeepsRounding, say, a
// sum on s1 and a Relu onto s2.
TEST_P(PlantedFault, IsFoundAndShrunk) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  loadDialects(context);
  Setting setting;
  setting.without = rewrite::predicateNamed(GetParam());
  ASSERT_TRUE(setting.without);
  auto found = find(context, setting);
  ASSERT_TRUE(found) << "no graph shows the fault";
  Graph small = shrink(
      found->graph,
      [&](const Graph &graph) {
        Outcome outcome = checkHere(graph, setting);
        return outcome.verdict == Verdict::Fails &&
               outcome.step == found->outcome.step;
      },
      /*seconds=*/120);
  EXPECT_TRUE(succeeded(verify(*small.module)));
  EXPECT_EQ(checkHere(small, setting).verdict, Verdict::Fails);
  EXPECT_LE(countOperations(small), 10u)
      << caseText(small, setting) << found->outcome.message;
  // Without the fault, the small graph keeps the law.
  setting.without = std::nullopt;
  Outcome without = checkHere(small, setting);
  EXPECT_EQ(without.verdict, Verdict::Agrees)
      << without.message << caseText(small, setting);
}

// The predicates whose absence a few hundred random graphs show; that each one
// matters is what rewrite/fusion/test/predicates.test shows.
INSTANTIATE_TEST_SUITE_P(Predicates, PlantedFault,
                         testing::Values("singleReader", "clampIsIdentity",
                                         "ratioKeepsRounding"));

TEST(Shrink, KeepsWhatTheFailureTakes) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  loadDialects(context);
  Graph graph = generate(context, {3, 4, 5, 6, 7, 8, 9});
  // "Fails" while there is an operation with two operands: such a one and its
  // operands are all that is left, with one output.
  auto hasTwoOperands = [](const Graph &candidate) {
    for (size_t i = 0; i < countOperations(candidate); ++i)
      if (operationAt(candidate, i)->getNumOperands() == 2)
        return true;
    return false;
  };
  ASSERT_TRUE(hasTwoOperands(graph));
  Graph small = shrink(graph, hasTwoOperands, /*seconds=*/60);
  EXPECT_EQ(returnOf(small)->getNumOperands(), 1u);
  size_t computing = 0;
  for (size_t i = 0; i < countOperations(small); ++i)
    computing += operationAt(small, i)->getNumOperands() > 0;
  EXPECT_EQ(computing, 1u);
  EXPECT_TRUE(hasTwoOperands(small));
}

TEST(Generate, FollowsFromTheSeedAlone) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  loadDialects(context);
  auto text = [&](llvm::ArrayRef<uint64_t> seeds) {
    return caseText(generate(context, seeds), Setting());
  };
  EXPECT_EQ(text({11, 12}), text({11, 12}));
  EXPECT_NE(text({11}), text({12}));
}

TEST(Generate, GraphsOfABatchDoNotDependOnEachOther) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  loadDialects(context);
  auto operations = [&](llvm::ArrayRef<uint64_t> seeds) {
    return countOperations(generate(context, seeds));
  };
  size_t sum = 0;
  for (uint64_t seed = 20; seed < 30; ++seed)
    sum += operations({seed});
  EXPECT_EQ(operations({20, 21, 22, 23, 24, 25, 26, 27, 28, 29}), sum);
}

TEST(Generate, AllGraphsAreValid) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  loadDialects(context);
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    Graph graph = generate(context, seed);
    EXPECT_TRUE(succeeded(verify(*graph.module))) << seed;
    EXPECT_EQ(graph.inputs.size(), graph.main().getNumArguments()) << seed;
    EXPECT_GE(graph.main().getNumResults(), 1u) << seed;
  }
}

} // namespace
