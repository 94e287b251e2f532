//===- RandomTest.cpp - small random plans in every execution -------------===//

#include "tally/plan/sync/Attempt.h"
#include "tally/plan/sync/Simulation.h"
#include "tally/plan/sync/TestDrawing.h"
#include "tally/plan/sync/TestOracle.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

using namespace tally;
using namespace tally::plan::sync;

namespace {
class Dice {
public:
  explicit Dice(uint32_t seed) : random(seed) {}
  /// From 0 to sides - 1.
  uint32_t roll(uint32_t sides) { return random() % sides; }

private:
  std::mt19937 random;
};
} // namespace

static SyncFile randomFile(Dice &dice) {
  SyncFile file;
  file.kind = static_cast<FileKind>(dice.roll(3));
  file.key =
      dice.roll(3) ? FileKey::Global : static_cast<FileKey>(dice.roll(3));
  file.bits = dice.roll(3) ? 6 : 1 + dice.roll(2);
  file.waitsPerCommand = dice.roll(3);
  file.drains = dice.roll(2);
  file.count = 64;
  return file;
}

/// 3 to 7 operations in 2 to 4 queues, some of which complete out of order.
static SyncProblem randomProblem(uint32_t seed) {
  Dice dice(seed);
  SyncProblem problem;
  problem.file = randomFile(dice);
  uint32_t queues = 2 + dice.roll(3), operations = 3 + dice.roll(5);
  uint32_t density = 2 + dice.roll(4);
  for (uint32_t i = 0; i < queues; ++i)
    problem.queues.push_back({std::string(1, static_cast<char>('A' + i)),
                              1 + dice.roll(3), dice.roll(5) != 0});
  for (uint32_t i = 0; i < operations; ++i)
    problem.operations.push_back(
        {"o" + std::to_string(i), dice.roll(queues), 1 + dice.roll(9)});
  for (Op to = 0; to < operations; ++to)
    for (Op from = 0; from < to; ++from)
      if (!dice.roll(density))
        problem.dependencies.push_back(
            {from, to, dice.roll(6) ? Strength::Completed : Strength::Issued});
  return problem;
}

/// What a random problem is, for a failure's message.
static std::string describe(uint32_t seed, const SyncProblem &problem) {
  std::string text = "seed " + std::to_string(seed) + " kind " +
                     std::to_string(int(problem.file.kind)) + " registers " +
                     std::to_string(problem.file.count) + ":";
  for (const Operation &operation : problem.operations)
    text += " " + operation.name + problem.queues[operation.queue].name +
            (problem.queues[operation.queue].inOrder ? "" : "*");
  for (const Dependency &dependency : problem.dependencies)
    text += " " + std::to_string(dependency.from) +
            (dependency.strength == Strength::Issued ? "~" : ">") +
            std::to_string(dependency.to);
  return text;
}

/// Solves with 0, 1, ... registers up to as many as are needed; of each plan,
/// `check` is asked.
template <typename Check>
static void forEveryCount(uint32_t seed, Check check) {
  SyncProblem problem = randomProblem(seed);
  Result<SyncSolution> plenty = solve(problem);
  int64_t needed = plenty ? plenty->report.needed : 1;
  for (int64_t count = 0; count <= needed; ++count) {
    problem.file.count = count;
    Result<SyncSolution> solution = solve(problem);
    SCOPED_TRACE(describe(seed, problem));
    check(problem, solution);
    if (testing::Test::HasFailure())
      return;
  }
}

TEST(SyncRandom, NoExecutionOfAPlanRacesOrHangs) {
  size_t plans = 0, refused = 0;
  std::map<Method, size_t> methods;
  for (uint32_t seed = 0; seed < 20000; ++seed) {
    forEveryCount(seed, [&](const SyncProblem &problem,
                            const Result<SyncSolution> &solution) {
      if (!solution) {
        const std::string &rule = solution.error().rule;
        ASSERT_TRUE(!problem.file.drains &&
                    (rule == "SYNC-7" || rule == "SYNC-8" || rule == "SYNC-9"))
            << solution.error().str();
        ++refused;
        return;
      }
      ++plans;
      ++methods[solution->report.method];
      ASSERT_EQ(findViolation(problem, solution->plan).message, "")
          << textOf(problem, solution->plan);
      ASSERT_EQ(exploreAll(problem, solution->plan), "")
          << textOf(problem, solution->plan);
      ASSERT_EQ(simulate(problem, solution->plan).makespan,
                solution->report.makespan)
          << textOf(problem, solution->plan);
    });
    if (HasFailure())
      return;
  }
  // 20,000 problems give at least as many plans, or refusals with 0 registers.
  EXPECT_GE(plans + refused, 20000u);
  EXPECT_GT(plans, 20000u);
  for (Method method :
       {Method::Shared, Method::Deferred, Method::Slack, Method::Grouped,
        Method::Throttled, Method::HandOff, Method::Segmented, Method::Drained})
    EXPECT_GT(methods[method], 10u) << methodName(method);
}

/// The curve has a price for every count that works, it never rises, and each
/// is no less than what operations need without limits.
TEST(SyncRandom, PricesFallWithRegisters) {
  size_t points = 0;
  for (uint32_t seed = 0; seed < 3000; ++seed) {
    SyncProblem problem = randomProblem(seed);
    problem.file.bits = 6;
    problem.file.drains = true;
    SCOPED_TRACE(describe(seed, problem));
    Result<SyncSolution> solution = solve(problem, {.priceCurve = true});
    ASSERT_TRUE(solution) << solution.error().str();
    const SyncReport &report = solution->report;
    ASSERT_EQ(report.curve.size(), report.needed + 1u);
    for (size_t i = 0; i < report.curve.size(); ++i) {
      ASSERT_EQ(report.curve[i].registers, static_cast<int64_t>(i));
      ASSERT_GE(report.curve[i].makespan, report.unlimited);
      if (i > 1)
        ASSERT_LE(report.curve[i].makespan, report.curve[i - 1].makespan);
      ++points;
    }
  }
  EXPECT_GT(points, 6000u);
}

/// Whether a counter of any size works from one register on.
TEST(SyncRandom, OneCounterIsAlwaysEnough) {
  for (uint32_t seed = 0; seed < 5000; ++seed) {
    SyncProblem problem = randomProblem(seed);
    problem.file = fileOf(FileKind::Counter, 1);
    Result<SyncSolution> solution = solve(problem);
    ASSERT_TRUE(solution) << solution.error().str();
    ASSERT_LE(solution->plan.registers.size(), 1u);
  }
}

/// A plan without each of its waits, and with each threshold one lower. The
/// judge has to refuse it if any execution goes wrong, and always if the plan
/// has no order that was added.
TEST(SyncRandom, AMissingOrLowerWaitIsCaught) {
  size_t caught = 0;
  for (uint32_t seed = 0; seed < 6000; ++seed)
    forEveryCount(seed, [&](const SyncProblem &problem,
                            const Result<SyncSolution> &solution) {
      if (!solution)
        return;
      for (size_t i = 0; i < solution->plan.waits.size(); ++i) {
        SyncPlan dropped = solution->plan, lowered = solution->plan;
        dropped.waits.erase(dropped.waits.begin() + i);
        --lowered.waits[i].value; // 0 is no form of a wait
        for (const SyncPlan &mutant : {dropped, lowered}) {
          bool isCaught(findViolation(problem, mutant));
          caught += isCaught;
          if (solution->report.method == Method::Shared)
            ASSERT_TRUE(isCaught) << textOf(problem, mutant);
          else if (!isCaught)
            ASSERT_EQ(exploreAll(problem, mutant), "")
                << textOf(problem, mutant);
        }
      }
    });
  EXPECT_GT(caught, 10000u);
}

/// Changes one command at random.
static SyncPlan mutated(SyncPlan plan, Dice &dice, size_t operations) {
  auto reg = [&] {
    return dice.roll(static_cast<uint32_t>(plan.registers.size()));
  };
  switch (dice.roll(6)) {
  case 0:
    plan.signals[dice.roll(plan.signals.size())].reg = reg();
    break;
  case 1:
    plan.signals.erase(plan.signals.begin() + dice.roll(plan.signals.size()));
    break;
  case 2:
    if (!plan.waits.empty())
      plan.waits[dice.roll(plan.waits.size())].reg = reg();
    break;
  case 3:
    if (!plan.waits.empty())
      ++plan.waits[dice.roll(plan.waits.size())].value;
    break;
  case 4:
    if (!plan.clears.empty())
      plan.clears.erase(plan.clears.begin() + dice.roll(plan.clears.size()));
    break;
  case 5:
    plan.clears.push_back(
        {dice.roll(static_cast<uint32_t>(operations)), reg()});
    std::sort(plan.clears.begin(), plan.clears.end(),
              [](const Clear &a, const Clear &b) { return a.op < b.op; });
    break;
  }
  return plan;
}

/// What the judge accepts is right in every execution, planner or not.
TEST(SyncRandom, TheJudgeAcceptsNothingWrong) {
  size_t accepted = 0, refused = 0;
  for (uint32_t seed = 0; seed < 6000; ++seed) {
    Dice dice(seed);
    forEveryCount(seed, [&](const SyncProblem &problem,
                            const Result<SyncSolution> &solution) {
      if (!solution || solution->plan.signals.empty())
        return;
      SyncPlan mutant =
          mutated(solution->plan, dice, problem.operations.size());
      if (findViolation(problem, mutant)) {
        ++refused;
        return;
      }
      ++accepted;
      ASSERT_EQ(exploreAll(problem, mutant), "") << textOf(problem, mutant);
    });
  }
  EXPECT_GT(accepted, 100u);
  EXPECT_GT(refused, 1000u);
}
