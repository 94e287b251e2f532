//===- JudgeTest.cpp - the judge names the law that a plan breaks ---------===//

#include "tally/plan/memory/Solver.h"
#include "tally/plan/memory/TestOracle.h"
#include "tally/plan/memory/TestProblems.h"
#include "tally/plan/memory/Text.h"

#include <gtest/gtest.h>

using namespace tally;
using namespace tally::plan::memory;

static MemoryProblem read(const std::string &text) {
  Result<MemoryProblem> problem = parseProblem(text, "p.mem");
  EXPECT_TRUE(problem) << (problem ? "" : problem.error().str());
  return *problem;
}

static std::string faultOf(const std::string &text, const MemoryPlan &plan) {
  Violation broken = findViolation(read(text), plan);
  return broken.law + ": " + broken.message;
}

static constexpr const char *kDrawing = "storage a 4 life 0-2\n"
                                        "storage b 2 life 1-3\n"
                                        "storage c 4 life 2-4\n";

// a and c never meet and share bytes 0 to 3; b meets both and has 4 and 5.
TEST(MemoryJudge, AcceptsBytesOfTheDead) {
  EXPECT_EQ(faultOf(kDrawing, {{0, 4, 0}, {}, 6}), ": ");
}

TEST(MemoryJudge, NamesEveryLaw) {
  EXPECT_EQ(faultOf(kDrawing, {{0, 3, 0}, {}, 5}),
            "overlap: 'a' and 'b' share bytes, but live at one time");
  EXPECT_EQ(faultOf(kDrawing, {{0, 4, 0}, {}, 8}),
            "extent: the extent is said to be 8 bytes, the highest storage "
            "ends at 6");
  EXPECT_EQ(faultOf(kDrawing, {{0}, {}, 4}), "shape: 1 offsets for 3 storages");
  EXPECT_EQ(faultOf(kDrawing, {{0, 4, -4}, {}, 6}),
            "address: offset -4 of 'c' is negative");
  EXPECT_EQ(faultOf("storage a 4 align 64 life 0-1", {{32}, {}, 36}),
            "alignment: offset 32 of 'a' is not a multiple of 64");
  EXPECT_EQ(faultOf("limits granule 8\nstorage a 4 life 0-1", {{4}, {}, 12}),
            "alignment: offset 4 of 'a' is not a multiple of the granule 8");
  EXPECT_EQ(faultOf("storage a 4 life 0-1 at 8", {{0}, {}, 4}),
            "fixed: offset 0 of 'a' should be 8");
  EXPECT_EQ(faultOf("bank b 8 16\nstorage a 4 in b life 0-1", {{4}, {}, 8}),
            "bank: 'a' is not inside of bank 'b'");
  EXPECT_EQ(faultOf("reserve r 2 8\nstorage a 4 life 0-1", {{0}, {}, 4}),
            "reserved: 'a' takes bytes of reserved 'r'");
  EXPECT_EQ(faultOf("storage a 8\npart v a 4 4 life 0-1", {{8, 8}, {}, 16}),
            "part: 'v' should be at 12, 4 bytes into 'a'");
  EXPECT_EQ(faultOf("storage a 4 class caller", {{4}, {}, 0}),
            "address: offset 4 of 'a' should be 0: it is the caller's");
}

// The root's own life is over at 2, but its view is read until 9.
TEST(MemoryJudge, AViewKeepsItsRoot) {
  EXPECT_EQ(faultOf("storage a 4 life 0-2\npart v a 0 4 life 2-9\n"
                    "storage b 4 life 5-6\n",
                    {{0, 0, 0}, {}, 4}),
            "overlap: 'a' and 'b' share bytes, but live at one time");
}

static constexpr const char *kQueues = "queue load\nqueue mul\n"
                                       "op l1 load\nop m1 mul after l1\n"
                                       "op l2 load\n";

// l2 follows l1 in its queue, but m1 may still read a when l2 writes b.
TEST(MemoryJudge, OrderOfOneQueueIsNoOrderOfAnother) {
  std::string storages = "storage a 4 ops l1,m1\nstorage b 4 ops l2\n";
  EXPECT_EQ(faultOf(kQueues + storages, {{0, 0}, {}, 4}),
            "overlap: 'a' and 'b' share bytes, but may be needed at one time");
  EXPECT_EQ(faultOf("queue load\nqueue mul\nop l1 load\nop m1 mul after l1\n"
                    "op l2 load after m1\n" +
                        storages,
                    {{0, 0}, {}, 4}),
            ": ");
}

TEST(MemoryJudge, ConflictsCountAlways) {
  EXPECT_EQ(faultOf("storage a 4\nstorage b 4\nconflict a b", {{0, 0}, {}, 4}),
            "overlap: 'a' and 'b' share bytes, but conflict");
}

TEST(MemoryJudge, SeesThroughWrongPairs) {
  std::string two = "storage a 4 life 0-3\nstorage b 4 life 2-5\n"
                    "storage c 4 life 1-5\ninplace b a\ninplace c a\n";
  EXPECT_EQ(faultOf(two, {{0, 0, 4}, {0}, 8}), ": ");
  EXPECT_EQ(faultOf(two, {{0, 0, 4}, {}, 8}),
            "overlap: 'a' and 'b' share bytes, but live at one time");
  EXPECT_EQ(faultOf(two, {{0, 4, 0}, {1}, 8}),
            "in place: 'c' in place of 'a': they share more than the step at "
            "which one begins and the other ends");
  EXPECT_EQ(faultOf(two, {{0, 8, 4}, {0}, 12}),
            "in place: 'b' in place of 'a': they have different addresses");
  EXPECT_EQ(faultOf(two, {{0, 0, 4}, {2}, 8}), "shape: in-place pair 2 of 2");
  EXPECT_EQ(faultOf("storage a 4 life 0-3\nstorage b 8 life 2-5\n"
                    "inplace b a\n",
                    {{0, 0}, {0}, 8}),
            "in place: 'b' in place of 'a': the result has more bytes");
  EXPECT_EQ(faultOf("storage a 4 life 0-3\nstorage b 4 life 2-5\n"
                    "storage c 4 life 2-5\ninplace b a\ninplace c a\n",
                    {{0, 0, 0}, {0, 1}, 4}),
            "in place: 'c' in place of 'a': two take the place of the operand");
}

// An operation of another queue may still read the operand.
TEST(MemoryJudge, APairNeedsTheOperandToBeDead) {
  std::string storages = "storage a 4 ops l1,m1,l2\nstorage b 4 ops l2\n"
                         "inplace b a op l2\n";
  EXPECT_EQ(faultOf(kQueues + storages, {{0, 0}, {0}, 4}),
            "in place: 'b' in place of 'a': 'm1' may access the operand later");
}

//===----------------------------------------------------------------------===//
// Mutations
//===----------------------------------------------------------------------===//

static int64_t granules(const MemoryProblem &problem, StorageId id) {
  int64_t granule = problem.limits.granule;
  return (problem.storages[id].bytes + granule - 1) / granule * granule;
}

/// Whether two storages that the oracle says meet share bytes, or an address
/// is no storage's to have: by comparing the best extents of problems in which
/// every storage is fixed where the plan puts it.
static bool isHarmful(const MemoryProblem &problem, const MemoryPlan &plan) {
  MemoryProblem fixed = problem;
  fixed.inPlace.clear();
  for (StorageId id = 0; id < fixed.storages.size(); ++id) {
    Storage &storage = fixed.storages[id];
    int64_t alignment = std::max(storage.alignment, problem.limits.granule);
    bool isOutside = storage.bank != kNone && storage.bytes > 0 &&
                     (plan.offsets[id] < problem.banks[storage.bank].begin ||
                      plan.offsets[id] + granules(problem, id) >
                          problem.banks[storage.bank].end);
    if (isOutside || plan.offsets[id] < 0 ||
        plan.offsets[id] % alignment != 0 ||
        (storage.at != kNone && storage.at != plan.offsets[id]))
      return true;
  }
  // Place them one after the other; one that cannot be added is in the way.
  for (StorageId a = 0; a < fixed.storages.size(); ++a)
    for (StorageId b = 0; b <= a; ++b) {
      MemoryProblem pair = fixed;
      for (StorageId id = 0; id < pair.storages.size(); ++id)
        if (id != a && id != b)
          pair.storages[id].bytes = 0;
      pair.storages[b].at = plan.offsets[b];
      if (a != b) {
        // Only this one address is left to the other.
        int64_t begin = plan.offsets[a], end = begin + granules(problem, a);
        if (begin == end)
          continue;
        pair.banks.push_back({"only", begin, end});
        pair.storages[a].at = kNone;
        pair.storages[a].bank = static_cast<int64_t>(pair.banks.size()) - 1;
        if (pair.storages[b].bytes > 0 && smallestExtent(pair) == kUnlimited)
          return true;
      }
    }
  return false;
}

// Shifts, swaps and growth of what is placed: the judge and the oracle agree
// on each of them.
TEST(MemoryJudge, CatchesEveryHarmfulMutation) {
  std::mt19937 random(5);
  size_t harmful = 0, harmless = 0;
  for (uint32_t seed = 0; harmful + harmless < 4000; ++seed) {
    MemoryProblem problem = randomProblem(seed, 7);
    problem.inPlace.clear();
    problem.reserved.clear();
    Result<MemorySolution> solution = planMemory(problem);
    if (!solution || problem.storages.size() < 2)
      continue;
    for (int round = 0; round < 4; ++round) {
      MemoryPlan plan = solution->plan;
      StorageId a = random() % plan.offsets.size(),
                b = random() % plan.offsets.size();
      if (round < 2)
        plan.offsets[a] += int64_t(random() % 9) - 4;
      else
        std::swap(plan.offsets[a], plan.offsets[b]);
      plan.extent = 0;
      for (StorageId id = 0; id < plan.offsets.size(); ++id)
        if (problem.storages[id].bytes > 0)
          plan.extent =
              std::max(plan.extent, plan.offsets[id] + granules(problem, id));
      bool isBad = isHarmful(problem, plan);
      Violation broken = findViolation(problem, plan);
      ASSERT_EQ(bool(broken), isBad)
          << "seed " << seed << " " << broken.message << "\n"
          << writeProblem(problem);
      ++(isBad ? harmful : harmless);
    }
  }
  EXPECT_GT(harmful, 1000U);
  EXPECT_GT(harmless, 100U);
}
