//===- ApartTest.cpp - what crashes or does not end is found --------------===//

#include "tally/fuzz/Apart.h"
#include "tally/fuzz/Campaign.h"
#include "tally/fuzz/Edits.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

#include <unistd.h>

using namespace mlir;
using namespace tally;
using namespace tally::fuzz;

namespace {

[[noreturn]] void sleepForEver() {
  for (;;)
    ::pause();
}

TEST(RunApart, GivesWhatWasWritten) {
  Ending ending = runApart(60, /*isQuiet=*/true, [](const Writer &write) {
    write("one ");
    write(std::string(100000, 'x')); // more than a pipe holds
  });
  EXPECT_EQ(ending.text, "one " + std::string(100000, 'x'));
  EXPECT_EQ(ending.death, "");
}

TEST(RunApart, EndsWhatDoesNotEnd) {
  Ending ending = runApart(1, /*isQuiet=*/true, [](const Writer &write) {
    write("begun");
    sleepForEver();
  });
  EXPECT_EQ(ending.text, "begun");
  EXPECT_EQ(ending.death, "no end after 1 s");
}

TEST(RunApart, TellsTheStatus) {
  Ending ending =
      runApart(60, /*isQuiet=*/true, [](const Writer &) { _exit(3); });
  EXPECT_EQ(ending.death, "the process ends with status 3");
}

TEST(Watchdog, EndsTheProcessAndSaysWhy) {
  EXPECT_EXIT(
      {
        Watchdog watchdog(1, "FAILS: seed 7\n");
        sleepForEver();
      },
      testing::ExitedWithCode(1), "FAILS: seed 7\n");
}

TEST(Watchdog, IsGoneWithItsScope) {
  EXPECT_EXIT(
      {
        {
          Watchdog watchdog(1, "too early");
        }
        ::sleep(2);
        _exit(4);
      },
      testing::ExitedWithCode(4), "");
}

// A child that dies is a failure like others, and its last step says where.
TEST(CheckApart, CrashIsAFailure) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  loadDialects(context);
  Graph graph = generate(context, {1});
  for (eval::Tensor &input : graph.inputs)
    input.storage.reset(); // nothing to read
  Coverage ignored;
  Outcome outcome =
      checkApart(graph, Setting(), ignored, /*seconds=*/60, /*isQuiet=*/true);
  EXPECT_EQ(outcome.verdict, Verdict::Fails);
  EXPECT_EQ(outcome.step, "judge");
  EXPECT_NE(outcome.message.find("dies"), std::string::npos) << outcome.message;
}

bool holds(const Graph &graph, StringRef name) {
  for (size_t i = 0; i < countOperations(graph); ++i)
    if (operationAt(graph, i)->getName().getStringRef() == name)
      return true;
  return false;
}

/// The name of an operator that one graph of [1, count] has alone; its seed in
/// `seed`.
std::string loneOperator(uint64_t count, uint64_t &seed) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  loadDialects(context);
  llvm::StringMap<llvm::SmallVector<uint64_t>> places;
  for (seed = 1; seed <= count; ++seed) {
    Graph graph = generate(context, seed);
    for (size_t i = 0; i < countOperations(graph); ++i) {
      auto &seeds = places[operationAt(graph, i)->getName().getStringRef()];
      if (seeds.empty() || seeds.back() != seed)
        seeds.push_back(seed);
    }
  }
  for (auto &[name, seeds] : places)
    if (seeds.size() == 1) {
      seed = seeds[0];
      return name.str();
    }
  return "";
}

// A law that does not end for one operator, as a compiler may: of a batch, the
// one graph that has it is found, named by its seed, and made small.
TEST(Campaign, AGraphWithoutAnEndIsNamedByItsSeed) {
  CampaignOptions options;
  uint64_t seed = 0;
  std::string name = loneOperator(4, seed);
  ASSERT_NE(name, "");
  options.count = 4;
  options.batch = 4;
  options.checkSeconds = 1;
  options.shrinkSeconds = 2;
  options.profiles = {eval::Profile::Ideal};
  options.folder = testing::TempDir();
  options.law = [&](const Graph &graph, const Setting &, Coverage &,
                    const std::function<void(const char *)> &atStep) {
    atStep("code");
    if (holds(graph, name))
      sleepForEver();
    return Outcome{Verdict::Agrees, "code", ""};
  };
  std::string text;
  llvm::raw_string_ostream os(text);
  Campaign campaign(options, os);
  campaign.run();
  EXPECT_EQ(campaign.failed(), 1);
  EXPECT_EQ(campaign.graphs(), 4);
  EXPECT_NE(text.find("among seed 1 to 4: no end after 1 s"), std::string::npos)
      << text;
  EXPECT_NE(text.find("FAILS: seed " + std::to_string(seed) +
                      " (--numerics=ideal) at step code: no end after 1 s"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("again: tally-fuzz-graphs --seed=" +
                      std::to_string(seed) + " --count=1"),
            std::string::npos)
      << text;
}

} // namespace
