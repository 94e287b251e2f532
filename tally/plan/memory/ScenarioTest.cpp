//===- ScenarioTest.cpp - situations that went wrong elsewhere ------------===//

#include "tally/plan/memory/Solver.h"
#include "tally/plan/memory/TestOracle.h"
#include "tally/plan/memory/Text.h"

#include <gtest/gtest.h>

using namespace tally;
using namespace tally::plan::memory;

static MemoryProblem read(const std::string &text) {
  Result<MemoryProblem> problem = parseProblem(text, "p.mem");
  EXPECT_TRUE(problem) << (problem ? "" : problem.error().str());
  return problem ? *problem : MemoryProblem();
}

static MemorySolution solve(const std::string &text) {
  MemoryProblem problem = read(text);
  Result<MemorySolution> solution = planMemory(problem);
  EXPECT_TRUE(solution) << (solution ? "" : solution.error().str());
  if (!solution)
    return {};
  EXPECT_EQ(findViolation(problem, solution->plan).message, "");
  return *solution;
}

static Refusal refusalOf(const std::string &text) {
  Refusal refusal;
  EXPECT_FALSE(planMemory(read(text), {}, &refusal)) << text;
  return refusal;
}

static std::string errorOf(const std::string &text) {
  return refusalOf(text).diagnostic.str();
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

static constexpr const char *kViewChain =
    "queue dma\nqueue mul\nqueue vec\n"
    "op write dma\n"
    "op reader vec after write\n"
    "op next dma%s\n"
    "storage root 65536 ops write\n"
    "part reshape root 0 65536\n"
    "part slice reshape 1024 4096\n"
    "part transpose slice 0 4096 ops reader\n"
    "storage b 65536 ops next\n";

static std::string viewChain(const std::string &barrier) {
  std::string text = kViewChain;
  return text.replace(text.find("%s"), 2, barrier);
}

// The root's last own use is `write`; its last reader, through three views,
// is in another queue: 64 KiB for the root and 64 KiB for b.
TEST(MemoryScenario, AViewChainKeepsItsRootUntilTheLastAsynchronousReader) {
  EXPECT_EQ(solve(viewChain("")).plan.extent, 131072);
}

TEST(MemoryScenario, ABarrierBehindTheLastReaderFreesTheRoot) {
  MemorySolution solution = solve(viewChain(" after reader"));
  EXPECT_EQ(solution.plan.extent, 65536);
  EXPECT_EQ(solution.plan.offsets[3], 1024); // transpose: 0 + 1024 + 0
}

// x, in place y, seen through two views; a reader of x's view in a third queue.
// With it y may not take x's place: x 100 and y 100. Without: 100.
TEST(MemoryScenario, AnAliasChainAcrossQueuesCountsEveryReader) {
  std::string text = "queue a\nqueue b\nqueue c\n"
                     "op make a\nop inplace b after make\n"
                     "op side c after make\nop last a after inplace\n"
                     "storage x 100 ops make,inplace\n"
                     "part v x 0 100\npart w v 0 50%s\n"
                     "storage y 100 ops inplace\npart z y 0 100 ops last\n"
                     "inplace y x op inplace\n";
  std::string with = text, without = text;
  with.replace(with.find("%s"), 2, " ops side");
  without.replace(without.find("%s"), 2, "");
  EXPECT_EQ(solve(without).plan.extent, 100);
  MemorySolution solution = solve(with);
  EXPECT_EQ(solution.plan.extent, 200);
  EXPECT_EQ(solution.report.pairs[0].reason,
            "'side' may access 'x' later than 'inplace'");
}

// A slice of s, which lies 256 bytes into the concat: 256 + 64.
TEST(MemoryScenario, AViewOfAConcatPartIsRebased) {
  MemorySolution solution =
      solve("storage before 512 life 0-5 at 0\n"
            "storage concat 1024 life 2-5\n"
            "part s concat 256 256 life 1-2\npart v s 64 32 life 4-9\n");
  EXPECT_EQ(solution.plan.offsets, (std::vector<int64_t>{0, 512, 768, 832}));
}

// Nobody reads `unused`, but the operation writes it beside `used` (64) and
// `scratch` (32): 64 + 32 + 16.
TEST(MemoryScenario, AResultThatNobodyReadsIsStillWritten) {
  EXPECT_EQ(solve("storage used 64 life 3-9\nstorage scratch 32 life 3-4\n"
                  "storage unused 16 life 3-4\n")
                .plan.extent,
            112);
}

//===----------------------------------------------------------------------===//
// Asynchronous order
//===----------------------------------------------------------------------===//

// Weights of the second layer are loaded from the issue of the DMA on. Early:
// w1 40 and w2 40 together. Late: one after the other, 40 less.
TEST(MemoryScenario, APrefetchedStorageLivesFromItsIssue) {
  std::string text = "queue dma\nqueue mul\n"
                     "op load1 dma\nop mul1 mul after load1\n"
                     "op load2 dma%s\nop mul2 mul after load2\n"
                     "storage w1 40 ops load1,mul1\n"
                     "storage w2 40 ops load2,mul2\n";
  std::string early = text, late = text;
  early.replace(early.find("%s"), 2, "");
  late.replace(late.find("%s"), 2, " after mul1");
  EXPECT_EQ(solve(early).plan.extent, 80);
  EXPECT_EQ(solve(late).plan.extent, 40);
}

// a1 before a2 in queue A, b1 before b2 in queue B, nothing else ordered:
// "2+2". a1 meets b1 and b2, a2 meets b1 and b2, yet no timeline has a1 before
// a2, b1 before b2 and all four other pairs together. 8 and 5 in one place, 3
// and 7 in the other: 8 + 7.
TEST(MemoryScenario, PingPongTilesOnTwoQueuesHaveNoTimeline) {
  std::string text = "queue A\nqueue B\n"
                     "op a1 A\nop a2 A\nop b1 B\nop b2 B\n"
                     "storage x1 8 ops a1\nstorage x2 5 ops a2\n"
                     "storage y1 3 ops b1\nstorage y2 7 ops b2\n";
  MemorySolution solution = solve(text);
  EXPECT_EQ(solution.plan.extent, 15);
  EXPECT_EQ(solution.plan.extent, smallestExtent(read(text)));
  EXPECT_EQ(solution.report.lowerBound, 15);
  EXPECT_EQ(solution.report.proofSet, (std::vector<StorageId>{0, 3}));
}

//===----------------------------------------------------------------------===//
// In place
//===----------------------------------------------------------------------===//

static constexpr const char *kAdd = "queue dma\nqueue vec\n"
                                    "op load dma\nop add vec after load\n"
                                    "op store vec\n%s"
                                    "storage x 64 ops load,add%r\n"
                                    "storage sum 64 ops add,store\n"
                                    "inplace sum x op add\n";

static std::string addition(const std::string &op, const std::string &access) {
  std::string text = kAdd;
  text.replace(text.find("%s"), 2, op);
  return text.replace(text.find("%r"), 2, access);
}

TEST(MemoryScenario, AnElementwiseSumTakesItsOperandsPlace) {
  MemorySolution solution = solve(addition("", ""));
  EXPECT_EQ(solution.plan.extent, 64);
  EXPECT_TRUE(solution.report.pairs[0].isTaken);
}

// One more reader, in the other queue: exactly 64 more.
TEST(MemoryScenario, ASecondAsynchronousReaderForbidsIt) {
  MemorySolution solution = solve(addition("op side dma\n", ",side"));
  EXPECT_EQ(solution.plan.extent, 128);
  EXPECT_EQ(solution.report.pairs[0].reason,
            "'side' may access 'x' later than 'add'");
}

// Nobody vouches for a transpose, a concat or a strided slice: though sizes are
// equal and lives touch, operand and result meet at the step: 2 x 64.
TEST(MemoryScenario, EqualSizesAreNoLeaveToShare) {
  EXPECT_EQ(solve("storage x 64 life 0-3\nstorage transposed 64 life 2-5\n")
                .plan.extent,
            128);
}

// Both orders of a and b fit below 12, but in place ties b to a's address,
// under which c does not fit: apart is better than together.
TEST(MemoryScenario, APairThatDoesHarmIsNotTaken) {
  std::string text = "storage a 4 life 0-3 at 0\nstorage b 4 life 2-6\n"
                     "storage c 4 life 3-6 at 0\ninplace b a\n";
  MemorySolution solution = solve(text);
  EXPECT_EQ(solution.plan.extent, 8);
  EXPECT_FALSE(solution.report.pairs[0].isTaken);
  EXPECT_EQ(solution.report.pairs[0].reason, "");
}

//===----------------------------------------------------------------------===//
// Concats
//===----------------------------------------------------------------------===//

static std::string concatOf(int64_t bytes) {
  std::string text =
      "storage concat " + std::to_string(4 * bytes) + " align 64 life 1-3\n";
  for (int i = 0; i < 4; ++i)
    text += "part c" + std::to_string(i) + " concat " +
            std::to_string(i * bytes) + " " + std::to_string(bytes) +
            " align 64 life 0-1\n";
  return text;
}

// 192 = 3 x 64: every part is aligned. 180 is not a multiple of 64.
TEST(MemoryScenario, ConcatPartsNeedAlignedPlaces) {
  EXPECT_EQ(solve(concatOf(192)).plan.offsets,
            (std::vector<int64_t>{0, 0, 192, 384, 576}));
  EXPECT_EQ(errorOf(concatOf(180)),
            "'c1', 180 bytes into 'concat', cannot be aligned to 64 together "
            "with 'concat' [MEM-5]; pad what lies before it in the root, or "
            "make it a storage of its own and copy");
}

// A root that asks nothing itself goes where its part is aligned: 12 + 180 is
// 3 x 64.
TEST(MemoryScenario, ARootMovesForItsPart) {
  EXPECT_EQ(solve("storage root 300 life 0-2\n"
                  "part p root 180 64 align 64 life 0-1\n")
                .plan.offsets,
            (std::vector<int64_t>{12, 192}));
}

// Inner lies in outer, its part at 16 + 8; a name stands for one place only.
TEST(MemoryScenario, AConcatOfAConcatNeedsNoCopyAndAChildOfTwoIsRefused) {
  EXPECT_EQ(solve("storage outer 64 life 2-4\npart inner outer 16 32 life 1-2\n"
                  "part x inner 8 8 life 0-1\n")
                .plan.offsets,
            (std::vector<int64_t>{0, 16, 24}));
  Result<MemoryProblem> twice =
      parseProblem("storage c1 64 life 2-4\nstorage c2 64 life 2-4\n"
                   "part x c1 0 8 life 0-1\npart x c2 8 8 life 0-1\n",
                   "p.mem");
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().str(), "p.mem:4: storage 'x' is listed twice "
                                 "[MEM-1]; give each a name of its own");
}

// 85 bytes in lanes of 32: a granule of 32 makes the padding, 96 - 85 = 11, the
// storage's own, so the neighbour starts at 96.
TEST(MemoryScenario, PaddingBelongsToItsStorage) {
  MemorySolution solution = solve("limits granule 32\nstorage x 85 life 0-2\n"
                                  "storage y 32 life 0-2\n");
  EXPECT_EQ(solution.plan.extent, 128);
  EXPECT_EQ(solution.report.livePeak, 117);
  EXPECT_EQ(solution.report.padding, 11);
}

//===----------------------------------------------------------------------===//
// Inputs, outputs and state
//===----------------------------------------------------------------------===//

// The second output is a slice of the first, in the caller's bytes; the arena
// holds only t.
TEST(MemoryScenario, AnOutputThatIsASliceOfAnotherIsTheCallers) {
  MemorySolution solution =
      solve("storage out 256 align 64 class caller life 2-9\n"
            "part slice out 128 64 align 64 life 2-9\n"
            "storage t 32 life 0-3\n");
  EXPECT_EQ(solution.plan.offsets, (std::vector<int64_t>{0, 128, 0}));
  EXPECT_EQ(solution.plan.extent, 32);
}

TEST(MemoryScenario, ADirectOutputNeedsTheCallersAlignment) {
  auto text = [](const char *granted) {
    return std::string("storage out 256 align ") + granted +
           " class caller\npart y out 0 256 align 64 life 0-2\n";
  };
  EXPECT_EQ(solve(text("64")).plan.extent, 0);
  EXPECT_EQ(errorOf(text("16")),
            "'y', 0 bytes into the caller's 'out', needs alignment 64, the "
            "caller grants 16 [MEM-5]; make it a storage of its own and copy "
            "it");
}

// An input is the caller's and is not overwritten; a donated one is transient.
TEST(MemoryScenario, OnlyADonatedInputIsReused) {
  auto text = [](const char *kind) {
    return std::string("storage in 64 life 0-2 class ") + kind +
           "\nstorage y 64 life 1-3\ninplace y in\n";
  };
  MemorySolution kept = solve(text("caller"));
  EXPECT_EQ(kept.plan.extent, 64);
  EXPECT_EQ(kept.report.pairs[0].reason, "'in' is caller");
  MemorySolution donated = solve(text("transient"));
  EXPECT_EQ(donated.plan.extent, 64);
  EXPECT_TRUE(donated.report.pairs[0].isTaken);
}

// State lives always: t, of another time, finds no place in it. 100 + 60.
TEST(MemoryScenario, StateIsInNoOnesWay) {
  MemorySolution solution = solve("storage h 100 class state life 5-6\n"
                                  "storage t 60 life 0-1\n"
                                  "storage u 50 life 8-9\n");
  EXPECT_EQ(solution.plan.extent, 160);
  EXPECT_EQ(solution.report.livePeak, 160);
}

// The new state is written while the old one is still read: two buffers. With
// an edge behind the last reader, the new one may take the old one's place.
TEST(MemoryScenario, NewStateNeedsTheOldOneToBeRead) {
  auto text = [](const char *edge) {
    return std::string("queue vec\nqueue dma\nop read dma\nop write vec") +
           edge +
           "\nstorage old 80 ops read,write\nstorage new 80 ops write\n"
           "inplace new old op write\n";
  };
  EXPECT_EQ(solve(text("")).plan.extent, 160);
  EXPECT_EQ(solve(text(" after read")).plan.extent, 80);
}

//===----------------------------------------------------------------------===//
// Limits
//===----------------------------------------------------------------------===//

/// Two of 0.95 MiB at one time: 1,992,294 bytes.
static std::string twoLarge(const std::string &limits) {
  return "limits " + limits +
         "\nstorage a 996147 life 0-3\nstorage b 996147 life 1-4\n";
}

// Field 2 MiB, extent 1.9 MiB, grant 1.875 MiB: 26,214 missing.
TEST(MemoryScenario, RangeExtentAndBudgetAreThreeNumbers) {
  EXPECT_EQ(
      errorOf(twoLarge("encodable 2097152 budget 1966080")),
      "the plan ends at 1992294, 26214 bytes beyond the budget (encodable "
      "2097152, budget 1966080); no plan can end below 1992294; 1992294 bytes "
      "are needed together at step 1: 'a' 996147, 'b' 996147 [MEM-12]; raise "
      "the budget to 1992294 bytes, or shrink 'b' by 26214 bytes, or move 'b' "
      "(996147 bytes) to another memory");
  EXPECT_EQ(solve(twoLarge("encodable 2097152 budget 2044723")).plan.extent,
            1992294);
  EXPECT_EQ(
      refusalOf("limits encodable 2097152 budget 4194304\n"
                "storage a 1101004 life 0-3\nstorage b 1101004 life 1-4\n")
          .diagnostic.rule,
      "MEM-10");
}

// 192 KiB nominal, of which the last 8 are not usable.
TEST(MemoryScenario, UsableSizeBelowNominalIsRespected) {
  std::string text = "limits capacity 196608\nreserve stack 188416 196608\n";
  EXPECT_EQ(solve(text + "storage a 188416 life 0-1\n").plan.extent, 188416);
  EXPECT_EQ(refusalOf(text + "storage a 188417 life 0-1\n").diagnostic.rule,
            "MEM-11");
}

// [0,4K) and [256K,260K) reserved, p pinned at 4096: q (250,000, aligned to
// 4096) does not fit between 8192 and 256K and goes to 260K = 266240; r and s
// fill the space below.
TEST(MemoryScenario, WindowsPinsAndAlignmentsAreHonoured) {
  MemorySolution solution = solve("reserve vectors 0 4096\n"
                                  "reserve mailbox 262144 266240\n"
                                  "storage p 4096 at 4096 life 0-9\n"
                                  "storage q 256000 align 4096 life 0-9\n"
                                  "storage r 100 align 64 life 0-9\n"
                                  "storage s 1000 align 16 life 0-9\n");
  EXPECT_EQ(solution.plan.offsets[1], 266240);
  EXPECT_EQ(solution.plan.extent, 266240 + 256000);
  EXPECT_EQ(solution.report.reserved, 8192);
  EXPECT_TRUE(solution.report.isOptimal());
}

TEST(MemoryScenario, ALowerBoundBeyondTheBudgetIsProvenImpossible) {
  Refusal refusal = refusalOf(twoLarge("budget 1000000"));
  EXPECT_TRUE(refusal.isProven);
  EXPECT_EQ(refusal.missing, 992294);
  EXPECT_EQ(refusal.diagnostic.rule, "MEM-12");
  EXPECT_EQ(refusal.solution.report.proofSet.size(), 2U);
}

// At each step 5 are alive, but no plan ends at 5: a 3 [0,4), b 2 [0,2),
// c 2 [2,4) leaves no room... with e 3 [3,6) and so on; see the drawing:
// steps 0-1: a b, 2: a c, then c d, then d e.
TEST(MemoryScenario, NoPlanFoundHasACodeOfItsOwn) {
  // A search of one step finds nothing below the quick plans.
  MemoryProblem problem = read("limits budget 1000\n");
  problem.storages.clear();
  Refusal refusal;
  SolveOptions options;
  options.steps = 0;
  MemoryProblem hard = problem;
  // Sizes of a holeless rectangle that quick plans do not fill.
  const char *rows[] = {"4 0-3", "3 0-2", "3 0-5", "3 2-4",
                        "4 3-6", "3 4-7", "3 5-7", "4 6-7"};
  for (const char *row : rows) {
    MemoryProblem one =
        read(std::string("storage x ") + std::string(row).substr(0, 1) +
             " life " + std::string(row).substr(2) + "\n");
    one.storages[0].name += std::to_string(hard.storages.size());
    hard.storages.push_back(one.storages[0]);
  }
  hard.limits.budget = 10;
  Result<MemorySolution> quick = planMemory(hard, options, &refusal);
  Result<MemorySolution> searched = planMemory(hard, {});
  if (!quick) {
    EXPECT_EQ(refusal.diagnostic.rule, "MEM-13");
    EXPECT_FALSE(refusal.isProven);
  }
  ASSERT_TRUE(searched) << searched.error().str();
  EXPECT_EQ(searched->plan.extent, 10);
}
