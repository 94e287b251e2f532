//===- ProgramTest.cpp - random programs with loops and ifs ---------------===//
//
// A random program is planned and judged; then it is run with 0, 1, 2 and more
// trips, each run in all its interleavings.
//
//===----------------------------------------------------------------------===//

#include "tally/plan/sync/Execution.h"
#include "tally/plan/sync/TestDrawing.h"
#include "tally/plan/sync/TestOracle.h"
#include "tally/support/LongRun.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

using namespace tally;
using namespace tally::plan::sync;

namespace {
class Dice {
public:
  explicit Dice(uint32_t seed) : random(seed) {}
  uint32_t roll(uint32_t sides) { return random() % sides; }

private:
  std::mt19937 random;
};
} // namespace

static void addRegions(SyncProblem &problem, Dice &dice, Op begin, Op end,
                       int depth) {
  if (depth == 0 || end - begin < 1)
    return;
  Op first = begin + dice.roll(end - begin);
  Op last = first + 1 + dice.roll(end - first);
  Region region;
  region.name = "r" + std::to_string(problem.regions.size());
  region.first = first;
  region.end = last;
  if (dice.roll(3) == 0) {
    region.kind = Region::If;
    region.elseAt = first + dice.roll(last - first + 1);
  } else if (dice.roll(3)) {
    region.trips = 5;
  }
  problem.regions.push_back(region);
  if (region.kind == Region::If) {
    addRegions(problem, dice, first, region.elseAt, depth - 1);
    addRegions(problem, dice, region.elseAt, last, depth - 1);
  } else {
    addRegions(problem, dice, first, last, depth - 1);
  }
  if (dice.roll(2))
    addRegions(problem, dice, last, end, depth);
}

static SyncProblem randomProgram(uint32_t seed) {
  Dice dice(seed);
  SyncProblem problem;
  problem.file.kind = static_cast<FileKind>(dice.roll(3));
  problem.file.key =
      dice.roll(3) ? FileKey::Global : static_cast<FileKey>(dice.roll(3));
  problem.file.count = 1 + dice.roll(12);
  problem.file.bits = dice.roll(3) ? 8 : 1 + dice.roll(3);
  problem.file.waitsPerCommand = dice.roll(3);
  problem.file.relative =
      problem.file.kind == FileKind::Counter && dice.roll(2);
  problem.file.drains = !dice.roll(3);
  uint32_t queues = 2 + dice.roll(2), operations = 2 + dice.roll(4);
  for (uint32_t i = 0; i < queues; ++i)
    problem.queues.push_back({std::string(1, static_cast<char>('A' + i)),
                              1 + dice.roll(3), dice.roll(8) != 0});
  for (uint32_t i = 0; i < operations; ++i)
    problem.operations.push_back(
        {"o" + std::to_string(i), dice.roll(queues), 1 + dice.roll(9)});
  addRegions(problem, dice, 0, operations, 2);
  for (Op to = 0; to < operations; ++to)
    for (Op from = 0; from < operations; ++from) {
      Dependency one{from, to, Strength::Completed,
                     from < to ? dice.roll(2) : 1 + dice.roll(2)};
      SyncProblem alone = problem;
      alone.dependencies = {one};
      if (dice.roll(2) == 0 && checkProblem(alone))
        problem.dependencies.push_back(one);
    }
  return problem;
}

static std::string describe(uint32_t seed, const SyncProblem &problem) {
  std::string text = "seed " + std::to_string(seed) + " kind " +
                     std::to_string(int(problem.file.kind)) + ":";
  for (const Operation &operation : problem.operations)
    text += " " + operation.name + problem.queues[operation.queue].name;
  for (const Region &region : problem.regions)
    text += (region.kind == Region::If ? " if[" : " loop[") +
            std::to_string(region.first) + "," + std::to_string(region.elseAt) +
            "," + std::to_string(region.end) + ")";
  for (const Dependency &one : problem.dependencies)
    text += " " + std::to_string(one.from) + ">" + std::to_string(one.to) +
            "@" + std::to_string(one.distance);
  return text;
}

/// The first fault that up to `most` short executions show, chosen at random.
static std::string exploreSome(const SyncProblem &problem, const SyncPlan &plan,
                               uint32_t seed, size_t most) {
  std::vector<Choice> choices = choicesOf(problem);
  std::shuffle(choices.begin(), choices.end(), std::mt19937(seed));
  for (const Choice &choice : choices) {
    Execution run = execute(problem, plan, choice);
    if (run.problem.operations.size() > 10)
      continue;
    if (std::string fault = exploreAll(run.problem, run.plan); !fault.empty())
      return fault + " with " + choice.text(problem) + "\n" +
             textOf(run.problem, run.plan);
    if (--most == 0)
      break;
  }
  return "";
}

TEST(SyncProgram, NoExecutionRacesOrHangs) {
  std::map<Method, size_t> methods;
  size_t refused = 0;
  const uint32_t count = someOrAll(6000, 20000);
  for (uint32_t seed = 0; seed < count; ++seed) {
    SyncProblem problem = randomProgram(seed);
    Result<SyncSolution> solution = solve(problem);
    SCOPED_TRACE(describe(seed, problem));
    if (!solution) {
      ASSERT_FALSE(problem.file.drains) << solution.error().str();
      ++refused;
      continue;
    }
    ++methods[solution->report.method];
    Violation found = findViolation(problem, solution->plan);
    ASSERT_EQ(found.law + found.message, "") << textOf(problem, solution->plan);
    ASSERT_EQ(exploreSome(problem, solution->plan, seed, 6), "");
  }
  for (Method method : {Method::Relative, Method::Credited, Method::Epochs,
                        Method::Shared, Method::None})
    EXPECT_GT(methods[method], count / 100) << methodName(method);
  EXPECT_LT(refused, count / 5 * 2);
}

/// What is right in the trips that the judge looks at is right in more.
TEST(SyncProgram, MoreTripsAreNoDifferent) {
  size_t longer = 0;
  for (uint32_t seed = 0; seed < 3000; ++seed) {
    SyncProblem problem = randomProgram(seed);
    Result<SyncSolution> solution = solve(problem);
    if (!solution || solution->report.method == Method::None)
      continue;
    SCOPED_TRACE(describe(seed, problem));
    Choice many;
    for (const Region &region : problem.regions)
      many.of.push_back(region.kind == Region::If ? uint32_t(Choice::ThenElse)
                        : region.trips == Region::kAnyTrips
                            ? 11
                            : static_cast<uint32_t>(region.trips));
    Execution run = execute(problem, solution->plan, many);
    ASSERT_EQ(run.imbalance.message, "");
    ASSERT_EQ(judgeStraightLine(run.problem, run.plan).message, "")
        << textOf(problem, solution->plan);
    ++longer;
  }
  EXPECT_GT(longer, 500u);
}

/// Changes one command at random.
static void damage(SyncPlan &plan, Dice &dice) {
  auto pick = [&](const auto &list) {
    return dice.roll(static_cast<uint32_t>(list.size()));
  };
  uint32_t kind = dice.roll(6);
  if (kind == 0 && !plan.signals.empty())
    plan.signals.erase(plan.signals.begin() + pick(plan.signals));
  else if (kind == 1 && !plan.waits.empty())
    plan.waits.erase(plan.waits.begin() + pick(plan.waits));
  else if (kind == 2 && !plan.waits.empty())
    ++plan.waits[pick(plan.waits)].value;
  else if (kind == 3 && !plan.compensated.empty())
    plan.compensated.erase(plan.compensated.begin() + pick(plan.compensated));
  else if (kind == 4 && !plan.drains.empty())
    plan.drains.erase(plan.drains.begin() + pick(plan.drains));
  else if (kind == 5 && !plan.signals.empty())
    plan.signals[pick(plan.signals)].reg = pick(plan.registers);
}

/// What the judge accepts is right in every execution, planner or not.
TEST(SyncProgram, TheJudgeAcceptsNothingWrong) {
  size_t accepted = 0, refused = 0;
  for (uint32_t seed = 0; seed < 6000; ++seed) {
    SyncProblem problem = randomProgram(seed);
    Result<SyncSolution> solution = solve(problem);
    if (!solution || solution->report.method == Method::None)
      continue;
    SCOPED_TRACE(describe(seed, problem));
    Dice dice(seed);
    damage(solution->plan, dice);
    if (findViolation(problem, solution->plan)) {
      ++refused;
      continue;
    }
    ++accepted;
    ASSERT_EQ(exploreSome(problem, solution->plan, seed, 6), "")
        << textOf(problem, solution->plan);
  }
  EXPECT_GT(accepted, 50u);
  EXPECT_GT(refused, 500u);
}
