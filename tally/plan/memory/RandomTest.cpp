//===- RandomTest.cpp - small problems against all plans ------------------===//

#include "tally/plan/memory/Solver.h"
#include "tally/plan/memory/TestOracle.h"
#include "tally/plan/memory/TestProblems.h"
#include "tally/plan/memory/Text.h"
#include "tally/support/LongRun.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace tally;
using namespace tally::plan::memory;

/// What is wrong with the plan of `problem`, or an empty string.
static std::string faultOf(const MemoryProblem &problem) {
  Result<MemorySolution> solution = planMemory(problem);
  if (!solution && solution.error().rule == "MEM-6")
    return "";
  int64_t smallest = smallestExtent(problem);
  if (!solution)
    return solution.error().rule == "MEM-14" && smallest == kUnlimited
               ? ""
               : solution.error().str();
  if (Violation broken = findViolation(problem, solution->plan))
    return broken.law + ": " + broken.message;
  if (solution->plan.extent != smallest)
    return "extent " + std::to_string(solution->plan.extent) + ", smallest " +
           std::to_string(smallest);
  if (solution->report.lowerBound > smallest)
    return "lower bound " + std::to_string(solution->report.lowerBound) +
           ", smallest " + std::to_string(smallest);
  return "";
}

static MemoryProblem without(const MemoryProblem &problem, StorageId gone) {
  MemoryProblem rest = problem;
  rest.storages.erase(rest.storages.begin() + gone);
  auto isGone = [&](StorageId a, StorageId b) {
    return a == gone || b == gone;
  };
  std::erase_if(rest.conflicts,
                [&](auto &pair) { return isGone(pair.first, pair.second); });
  std::erase_if(rest.inPlace,
                [&](auto &pair) { return isGone(pair.result, pair.operand); });
  auto renumber = [&](StorageId &id) { id -= id > gone; };
  for (auto &[a, b] : rest.conflicts) {
    renumber(a);
    renumber(b);
  }
  for (InPlace &pair : rest.inPlace) {
    renumber(pair.result);
    renumber(pair.operand);
  }
  return rest;
}

/// Takes storages away while the fault stays.
static std::string shrunk(MemoryProblem problem) {
  for (StorageId id = 0; id < problem.storages.size();) {
    MemoryProblem smaller = without(problem, id);
    if (smaller.storages.empty() || faultOf(smaller).empty()) {
      ++id;
      continue;
    }
    problem = smaller;
    id = 0;
  }
  return faultOf(problem) + "\n" + writeProblem(problem);
}

static void compare(uint32_t first, uint32_t count, uint32_t most) {
  for (uint32_t seed = first; seed < first + count; ++seed) {
    MemoryProblem problem = randomProblem(seed, most);
    if (!faultOf(problem).empty())
      FAIL() << "seed " << seed << ": " << shrunk(problem);
  }
}

TEST(MemoryRandom, PlansOfUpToSixStoragesAreTheSmallest) {
  compare(0, 18000, 6);
}

TEST(MemoryRandom, PlansOfUpToNineStoragesAreTheSmallest) {
  compare(100000, someOrAll(1000, 3000), 9);
}

// Rectangles cut without holes: the bound is reached, and the same plan comes
// out when rows are shuffled.
TEST(MemoryRandom, HolelessRectanglesAreFilledWhateverTheOrderOfRows) {
  for (uint32_t seed = 0; seed < 200; ++seed) {
    MemoryProblem problem = cutRectangle(seed, 40, 1000, 30);
    MemorySolution solution = *planMemory(problem);
    ASSERT_EQ(findViolation(problem, solution.plan).message, "");
    ASSERT_EQ(solution.plan.extent, 1000) << writeProblem(problem);
    std::vector<StorageId> order(problem.storages.size());
    for (StorageId id = 0; id < order.size(); ++id)
      order[id] = id;
    std::shuffle(order.begin(), order.end(), std::mt19937(seed));
    MemoryProblem shuffled;
    for (StorageId id : order)
      shuffled.storages.push_back(problem.storages[id]);
    MemorySolution other = *planMemory(shuffled);
    for (size_t row = 0; row < order.size(); ++row)
      ASSERT_EQ(other.plan.offsets[row], solution.plan.offsets[order[row]]);
  }
}
