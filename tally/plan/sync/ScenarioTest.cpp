//===- ScenarioTest.cpp - small cases with their arithmetic ---------------===//

#include "tally/plan/sync/Simulation.h"
#include "tally/plan/sync/TestDrawing.h"
#include "tally/plan/sync/TestOracle.h"

#include <gtest/gtest.h>

using namespace tally;
using namespace tally::plan::sync;

/// Solves, judges, executes, and gives the plan as text.
static std::string planned(const SyncProblem &problem) {
  Result<SyncSolution> solution = solve(problem);
  if (!solution)
    return solution.error().str();
  EXPECT_EQ(findViolation(problem, solution->plan).message, "");
  if (problem.operations.size() < 12)
    EXPECT_EQ(exploreAll(problem, solution->plan), "");
  return textOf(problem, solution->plan);
}

static SyncReport reportOf(const SyncProblem &problem,
                           SolveOptions options = {}) {
  Result<SyncSolution> solution = solve(problem, options);
  EXPECT_TRUE(solution) << solution.error().str();
  return solution ? solution->report : SyncReport();
}

//===----------------------------------------------------------------------===//
// Edges
//===----------------------------------------------------------------------===//

TEST(SyncEdges, ALaterOperationOfTheQueueFollows) {
  // b2 is behind b1.
  EXPECT_EQ(planned(draw("a1 b1 b2", "a1>b1 a1>b2")),
            "a1 signals 0; b1 waits 0>=1");
}

TEST(SyncEdges, AChainImpliesItsEnds) {
  // a1, b1 may count together: c1 waits for both, b1 for the first of them.
  EXPECT_EQ(planned(draw("a1 b1 c1", "a1>b1 b1>c1 a1>c1")),
            "a1 signals 0; b1 signals 0; b1 waits 0>=1; c1 waits 0>=2");
}

TEST(SyncEdges, TheLatestOfAQueueImpliesEarlierOnes) {
  EXPECT_EQ(planned(draw("a1 a2 b1", "a1>b1 a2>b1")),
            "a2 signals 0; b1 waits 0>=1");
}

TEST(SyncEdges, CrossingEdgesCollapse) {
  EXPECT_EQ(planned(draw("a1 a2 b1 b2", "a1>b2 a2>b1")),
            "a2 signals 0; b1 waits 0>=1");
}

TEST(SyncEdges, WhatTheQueueKnowsIsInherited) {
  // c2 is behind c1, which is behind b1 and so behind a1.
  EXPECT_EQ(reportOf(draw("a1 b1 c1 c2", "a1>b1 b1>c1 a1>c2")).edges, 2u);
}

TEST(SyncEdges, ADuplicateOrOwnDependencyCostsNothing) {
  EXPECT_EQ(planned(draw("a1 b1", "a1>a1 b1>b1")), "");
  EXPECT_EQ(planned(draw("", "")), "");
  EXPECT_EQ(planned(draw("a1 a2 a3", "a1>a2 a1>a3 a2>a3")), "");
  EXPECT_EQ(planned(draw("a1 b1", "a1>b1 a1>b1 a1~b1")),
            "a1 signals 0; b1 waits 0>=1");
}

TEST(SyncEdges, OutOfOrderCompletionKeepsBoth) {
  SyncProblem problem = draw("a1 a2 b1", "a1>b1 a2>b1");
  problem.queues[0].inOrder = false;
  // Both count, in any order, and b1 needs both.
  EXPECT_EQ(planned(problem), "a1 signals 0; a2 signals 0; b1 waits 0>=2");
  // The first to signal may be either.
  SyncPlan plan = solve(problem)->plan;
  plan.waits[0].value = 1;
  EXPECT_EQ(findViolation(problem, plan).law, "ORDER");
  EXPECT_EQ(exploreAll(problem, plan), "race");
}

TEST(SyncEdges, AWeakPathDoesNotImplyAStrongEdge) {
  SyncProblem problem = draw("a1 a2 b1", "a2>b1 a1~b1");
  problem.queues[0].inOrder = false;
  // a1 starts before a2: that much b1 knows from a2.
  EXPECT_EQ(reportOf(problem).edges, 1u);
  problem.dependencies.push_back({0, 2, Strength::Completed});
  EXPECT_EQ(reportOf(problem).edges, 2u);
}

TEST(SyncEdges, AWaitThatIsThereCoversAScratchOperand) {
  // a1 reads a scratch register until it completes; b2, which needs it for
  // itself, stands behind b1, which waits for a1's result anyway.
  SyncProblem data = draw("a1 b1 b2", "a1>b1");
  SyncProblem scratch = draw("a1 b1 b2", "a1>b1 a1>b2");
  EXPECT_EQ(planned(scratch), planned(data));
  EXPECT_EQ(reportOf(scratch).needed, 1);
  // Without that wait it costs one of its own.
  EXPECT_EQ(planned(draw("a1 b1 b2", "a1>b2")), "a1 signals 0; b2 waits 0>=1");
}

//===----------------------------------------------------------------------===//
// Counters
//===----------------------------------------------------------------------===//

TEST(SyncCounters, OneSignalServesAnyNumber) {
  EXPECT_EQ(planned(draw("a1 b1 c1 d1", "a1>b1 a1>c1 a1>d1")),
            "a1 signals 0; b1 waits 0>=1; c1 waits 0>=1; d1 waits 0>=1");
}

TEST(SyncCounters, ProducersOfOneJoinShare) {
  EXPECT_EQ(planned(draw("a1 b1 c1 d1", "a1>d1 b1>d1 c1>d1")),
            "a1 signals 0; b1 signals 0; c1 signals 0; d1 waits 0>=3");
}

TEST(SyncCounters, AnotherWaiterSeparatesProducers) {
  // e1 must not wait for b1 or c1, so a1 cannot count with them.
  SyncReport report =
      reportOf(draw("a1 b1 c1 d1 e1", "a1>d1 b1>d1 c1>d1 a1>e1"));
  EXPECT_EQ(report.needed, 2);
  EXPECT_EQ(report.lowerBound, 2);
}

TEST(SyncCounters, IndependentPairsNeedTwoOrOrder) {
  SyncProblem problem = draw("a1 b1 c1 d1", "a1>b1 c1>d1");
  SyncReport report = reportOf(problem);
  EXPECT_EQ(report.needed, 2);
  ASSERT_EQ(report.pressure.size(), 2u);
  EXPECT_EQ(report.pressure[0].op, opNamed(problem, "a1"));
  EXPECT_EQ(report.pressure[1].op, opNamed(problem, "c1"));
  problem.file.count = 1;
  // c1 is put behind a1, so that the second signal is c1's.
  EXPECT_EQ(planned(problem), "a1 signals 0; c1 signals 0; b1 waits 0>=1; "
                              "c1 waits 0>=1; d1 waits 0>=2");
}

TEST(SyncCounters, AChainCountsOnOne) {
  EXPECT_EQ(reportOf(draw("a1 b1 c1 d1", "a1>b1 b1>c1 c1>d1")).needed, 1);
}

TEST(SyncCounters, WaitCommandsCarryWhatACommandCannot) {
  // e1 needs a1, b1, c1, each on its own counter for f1, g1, h1.
  SyncProblem problem =
      draw("a1 b1 c1 e1 f1 g1 h1", "a1>e1 b1>e1 c1>e1 a1>f1 b1>g1 c1>h1");
  problem.file.waitsPerCommand = 1;
  SyncPlan plan = solve(problem)->plan;
  std::vector<uint32_t> commands;
  for (const Wait &wait : plan.waits)
    if (wait.op == opNamed(problem, "e1"))
      commands.push_back(wait.command);
  EXPECT_EQ(commands, (std::vector<uint32_t>{0, 1, 2}));
  EXPECT_EQ(findViolation(problem, plan).law, "");
  plan.waits[1].command = 0;
  EXPECT_EQ(findViolation(problem, plan).law, "WAITS");
}

/// a1 .. an in one queue, each awaited by one of the other.
static SyncProblem stream(int count, SyncFile file) {
  std::string operations, dependencies;
  for (int i = 1; i <= count; ++i) {
    std::string n = std::to_string(i);
    operations += "a" + n + " b" + n + " ";
    dependencies += "a" + n + ">b" + n + " ";
  }
  return draw(operations, dependencies, std::move(file));
}

TEST(SyncCounters, ACounterThatIsFullIsDrained) {
  SyncFile file = fileOf(FileKind::Counter, 1);
  file.bits = 8;
  file.drains = true;
  // 255 signals fit in 8 bits; the 256th does not.
  EXPECT_EQ(solve(stream(255, file))->plan.drains.size(), 0u);
  SyncProblem problem = stream(300, file);
  SyncPlan plan = solve(problem)->plan;
  ASSERT_EQ(plan.drains.size(), 1u);
  EXPECT_EQ(problem.operations[plan.drains[0]].name, "a256");
  EXPECT_EQ(findViolation(problem, plan).message, "");
  plan.drains.clear();
  EXPECT_TRUE(findViolation(problem, plan));
}

TEST(SyncCounters, UnusedCountersComeBeforeDrains) {
  SyncFile file = fileOf(FileKind::Counter, 2);
  file.bits = 8;
  SyncPlan plan = solve(stream(300, file))->plan;
  EXPECT_EQ(plan.registers.size(), 2u);
  EXPECT_EQ(findViolation(stream(300, file), plan).message, "");
}

TEST(SyncCounters, ReservedOnesAreNotUsed) {
  SyncProblem problem = draw("a1 b1 c1 d1", "a1>b1 c1>d1");
  problem.file.count = 4;
  problem.file.reserved = {0, 2};
  SyncPlan plan = solve(problem)->plan;
  ASSERT_EQ(plan.registers.size(), 2u);
  EXPECT_EQ(plan.registers[0].number, 1u);
  EXPECT_EQ(plan.registers[1].number, 3u);
  plan.registers[1].number = 2;
  EXPECT_EQ(findViolation(problem, plan).law, "KEY");
}

TEST(SyncCounters, ASignalIsDeferredWhereSlackCoversIt) {
  // a1 (ends 1) and c1 (ends 1) exclude each other. b1 starts at 9 behind b0;
  // a2, which is after c1, ends at 2. So a2 may signal for a1: c1 precedes it,
  // and with one counter b1 waits for 2, d1 for 1.
  SyncProblem problem = draw("b0 a1 c1 a2 b1 d1", "a1>b1 c1>d1 c1>a2");
  problem.operations[0].duration = 9;
  SyncReport plenty = reportOf(problem);
  EXPECT_EQ(plenty.needed, 2);
  problem.file.count = 1;
  EXPECT_EQ(planned(problem),
            "c1 signals 0; a2 signals 0; a2 waits 0>=1; b1 waits 0>=2; d1 "
            "waits 0>=1");
  SyncReport report = reportOf(problem, {true});
  EXPECT_EQ(report.method, Method::Deferred);
  EXPECT_EQ(report.makespan, plenty.makespan);
  ASSERT_EQ(report.curve.size(), 2u);
  EXPECT_EQ(report.curve[0].method, Method::Deferred);
  // Without the slack a1 has to signal: b1 starts as soon as a1 has ended.
  problem.operations[0].duration = 0;
  EXPECT_NE(reportOf(problem).method, Method::Deferred);
}

TEST(SyncCounters, OrderIsAddedWhereThereIsSlack) {
  // Nothing orders a1 and c1; but b1 starts at 9 and c1 has ended at 1 by then,
  // and d1 at 9, too. Each waits for both signals.
  SyncProblem problem = draw("b0 d0 a1 c1 b1 d1", "a1>b1 c1>d1");
  problem.operations[0].duration = problem.operations[1].duration = 9;
  problem.file.count = 1;
  EXPECT_EQ(planned(problem),
            "a1 signals 0; c1 signals 0; b1 waits 0>=2; d1 waits 0>=2");
  SyncReport report = reportOf(problem);
  EXPECT_EQ(report.method, Method::Slack);
  EXPECT_EQ(report.makespan, 10);
}

/// 32 tiles of 6 operations in 5 queues: two loads, two matrix operations, a
/// vector operation, a store; 4 buffers. Durations from 1 to 9.
static SyncProblem pipeline() {
  std::string operations, dependencies;
  for (int i = 1; i <= 32; ++i) {
    std::string n = std::to_string(i), again = std::to_string(i - 4);
    operations +=
        "w" + n + " l" + n + " m" + n + " m" + n + "x v" + n + " s" + n + " ";
    dependencies += "w" + n + ">m" + n + " l" + n + ">m" + n + " m" + n + ">m" +
                    n + "x m" + n + "x>v" + n + " v" + n + ">s" + n + " ";
    if (i > 4)
      dependencies += "m" + again + "x>w" + n + " m" + again + "x>l" + n +
                      " s" + again + ">v" + n + " ";
  }
  SyncProblem problem = draw(operations, dependencies);
  uint32_t state = 1;
  for (Operation &operation : problem.operations) {
    state = state * 1664525 + 1013904223;
    operation.duration = 1 + state / 65536 % 9;
  }
  return problem;
}

TEST(SyncCounters, EveryCountRunsAsPredicted) {
  SyncProblem problem = pipeline();
  ASSERT_EQ(problem.operations.size(), 192u);
  SyncReport plenty = reportOf(problem);
  int64_t last = INT64_MAX;
  for (int64_t count = 1; count <= plenty.needed; ++count) {
    problem.file.count = count;
    Result<SyncSolution> solution = solve(problem);
    EXPECT_EQ(findViolation(problem, solution->plan).message, "");
    EXPECT_EQ(simulate(problem, solution->plan).makespan,
              solution->report.makespan)
        << count;
    EXPECT_LE(solution->report.makespan, last) << count;
    last = solution->report.makespan;
    // All that signals runs in a row, and most operations do.
    if (count == 1)
      EXPECT_GT(solution->report.makespan * 10, plenty.serial * 8);
  }
  EXPECT_EQ(last, plenty.unlimited);
}

TEST(SyncCounters, FewerNeverRunFaster) {
  // Four independent pairs of streams: 8 queues, 4 signal.
  std::string operations, dependencies;
  for (int i = 1; i <= 12; ++i)
    for (std::string pair : {"ab", "cd", "ef", "gh"}) {
      std::string n = std::to_string(i);
      operations += pair[0] + n + " " + pair[1] + n + " ";
      dependencies += pair[0] + n + ">" + pair[1] + n + " ";
    }
  SyncProblem problem = draw(operations, dependencies);
  problem.file.drains = true;
  std::vector<PricePoint> curve = reportOf(problem, {true}).curve;
  ASSERT_EQ(curve.size(), 5u); // 0 to 4
  for (size_t i = 2; i < curve.size(); ++i)
    EXPECT_LE(curve[i].makespan, curve[i - 1].makespan);
  // 12 signals and the last wait, 1 each; one counter: all 48 in a row.
  EXPECT_EQ(curve[4].makespan, 12 + 1);
  EXPECT_EQ(curve[1].makespan, 48 + 1);
  for (int64_t count = 0; count <= 4; ++count) {
    problem.file.count = count;
    EXPECT_EQ(findViolation(problem, solve(problem)->plan).message, "");
  }
}

//===----------------------------------------------------------------------===//
// Tokens and flags
//===----------------------------------------------------------------------===//

TEST(SyncTokens, EveryDestinationTakesItsOwn) {
  SyncFile file = fileOf(FileKind::Token, 8);
  EXPECT_EQ(planned(draw("a1 b1 c1 d1", "a1>b1 a1>c1 a1>d1", file)),
            "a1 signals 0; a1 signals 1; a1 signals 2; b1 waits 0>=1; "
            "c1 waits 1>=1; d1 waits 2>=1");
}

TEST(SyncTokens, AFullOneHoldsTheProducerBack) {
  SyncFile file = fileOf(FileKind::Token, 4);
  file.bits = 2;
  // 2 bits hold 3: before a5 adds the fourth, b1 must have started.
  SyncProblem problem =
      draw("a1 a2 a3 b1 a4 b2 b3 b4", "a1>b1 a2>b2 a3>b3 a4>b4", file);
  Result<SyncSolution> solution = solve(problem);
  ASSERT_TRUE(solution);
  EXPECT_EQ(solution->report.method, Method::Throttled);
  EXPECT_EQ(planned(problem).find("a4 waits") != std::string::npos, true);
  problem.file.bits = 8;
  SyncPlan loose = solve(problem)->plan;
  EXPECT_EQ(findViolation(problem, loose).law, "");
  problem.file.bits = 2;
  EXPECT_EQ(findViolation(problem, loose).law, "WIDTH");
  EXPECT_EQ(exploreAll(problem, loose), "lost");
}

TEST(SyncFlags, NothingTellsThatAFlagWasSeen) {
  SyncProblem problem =
      draw("a1 b1 a2 b2 a3 b3", "a1>b1 a2>b2 a3>b3", fileOf(FileKind::Flag, 3));
  SyncReport report = reportOf(problem);
  EXPECT_EQ(report.needed, 3);
  EXPECT_EQ(report.pressure.size(), 3u);
  // One flag in issue order looks fine, but a2 may set it before b1 clears.
  SyncPlan one = solve(problem)->plan;
  one.registers.resize(1);
  one.finalClears = {0};
  for (Signal &signal : one.signals)
    signal.reg = 0;
  for (Wait &wait : one.waits)
    wait.reg = 0;
  for (Clear &clear : one.clears)
    clear.reg = 0;
  EXPECT_TRUE(findViolation(problem, one));
  EXPECT_NE(exploreAll(problem, one), "");
}

TEST(SyncFlags, TwoBuffersNeedTwoEachWay) {
  // a3 refills what b1 has read: flags of a1 and a3 take turns.
  SyncProblem problem = draw("a1 b1 a2 b2 a3 b3 a4 b4 a5 b5",
                             "a1>b1 a2>b2 a3>b3 a4>b4 a5>b5 b1>a3 b2>a4 b3>a5",
                             fileOf(FileKind::Flag, 8, FileKey::Source));
  Result<SyncSolution> solution = solve(problem);
  EXPECT_EQ(solution->report.needed, 2);
  EXPECT_EQ(solution->plan.registers.size(), 4u);
  EXPECT_EQ(planned(problem).find("race"), std::string::npos);
}

TEST(SyncFlags, KeysTellDestinationsApart) {
  // Both of a's flags are live at once.
  SyncFile file = fileOf(FileKind::Flag, 8, FileKey::Source);
  SyncProblem problem = draw("a1 a2 b1 c1", "a1>c1 a2>b1", file);
  EXPECT_EQ(reportOf(problem).needed, 2);
  problem.file.key = FileKey::SourceDestination;
  EXPECT_EQ(reportOf(problem).needed, 1);
}

TEST(SyncFlags, AHandOffNeedsOneForEachDestination) {
  // A waiter that arrives early would take an old flag for a new one, so each
  // of the three waiting queues has a flag of its own.
  SyncProblem problem =
      draw("a1 b1 c1 a2 b2 c2", "a1>b1 b1>c1 c1>a2 a2>b2 b2>c2 a1>c1",
           fileOf(FileKind::Flag, 3));
  EXPECT_NE(planned(problem), "");
  problem.file.count = 2;
  EXPECT_EQ(solve(problem).error().rule, "SYNC-8");
  problem.file.drains = true;
  // With drains: two flags serve the edges into b1 and c1, start over behind
  // one drain, and serve those into b2 and c2. One flag serves every other.
  problem.file.count = 2;
  EXPECT_EQ(planned(problem),
            "a1 signals 0; b1 signals 1; a2 signals 1; b2 signals 0; b1 waits "
            "0>=1; c1 waits 1>=1; b2 waits 1>=1; c2 waits 0>=1; b1 clears 0; "
            "c1 clears 1; b2 clears 1; c2 clears 0; drain before a2");
  problem.file.count = 1;
  EXPECT_EQ(planned(problem),
            "a1 signals 0; c1 signals 0; b2 signals 0; b1 waits 0>=1; a2 waits "
            "0>=1; c2 waits 0>=1; b1 clears 0; a2 clears 0; c2 clears 0; drain "
            "before c1; drain before b2");
  problem.file.count = 0;
  EXPECT_EQ(planned(problem), "drain before b1; drain before c1; drain before "
                              "a2; drain before b2; drain before c2");
}

/// Every plan for a1 b1 c1 on one register without drains: each operation
/// signals, waits and clears so and so often, or not at all.
static size_t countRightPlans(SyncProblem problem, uint32_t most) {
  bool isFlag = problem.file.kind == FileKind::Flag;
  uint32_t clears = isFlag ? 2 : 1;
  uint32_t options = (most + 1) * (most + 1) * clears;
  size_t right = 0;
  for (uint32_t code = 0; code < options * options * options; ++code) {
    SyncPlan plan;
    plan.registers = {{}};
    plan.finalClears = {0};
    uint32_t rest = code;
    for (Op op = 0; op < 3; ++op, rest /= options) {
      uint32_t own = rest % options;
      plan.signals.insert(plan.signals.end(), own % (most + 1), {op, 0});
      plan.waits.insert(plan.waits.end(), own / (most + 1) % (most + 1),
                        {op, 0, 1, 0});
      if (own / (most + 1) / (most + 1))
        plan.clears.push_back({op, 0});
    }
    bool isRight = exploreAll(problem, plan).empty();
    EXPECT_TRUE(isRight || findViolation(problem, plan));
    right += isRight;
  }
  return right;
}

TEST(SyncFlags, OneFlagOrTokenCannotServeTwoWaitingQueues) {
  // b1 and c1 stand at the heads of their queues. Whatever lets b1 pass after
  // a1 lets c1 pass as well: there is no plan, whatever order it adds, and the
  // refusal is not for want of trying.
  for (FileKind kind : {FileKind::Flag, FileKind::Token}) {
    SyncProblem chain = draw("a1 b1 c1", "a1>b1 b1>c1", fileOf(kind, 1));
    EXPECT_EQ(countRightPlans(chain, kind == FileKind::Flag ? 1 : 3), 0u);
    EXPECT_EQ(solve(chain).error().rule, "SYNC-8");
  }
  // The search does find plans where there are some.
  SyncProblem pair = draw("a1 b1 c1", "a1>b1", fileOf(FileKind::Token, 1));
  EXPECT_GT(countRightPlans(pair, 2), 0u);
}

TEST(SyncFlags, AFlagThatIsSetLaterInTheIssueOrderHangs) {
  // b1 waits for a2, which is issued after it: with depth 1, b2 would have to
  // wait for a place behind b1 before a2 is issued.
  SyncProblem problem = draw("b1 b2 a2", "", fileOf(FileKind::Flag, 1));
  problem.queues[0].depth = 1;
  SyncPlan plan;
  plan.registers = {{}};
  plan.signals = {{2, 0}};
  plan.waits = {{0, 0}};
  plan.clears = {{0, 0}};
  EXPECT_EQ(findViolation(problem, plan).law, "REACH");
  EXPECT_EQ(exploreAll(problem, plan), "hang");
}

//===----------------------------------------------------------------------===//
// Twice, and no registers at all
//===----------------------------------------------------------------------===//

TEST(SyncEnd, TheNextRunFindsZeros) {
  SyncProblem problem = draw("a1 b1", "a1>b1");
  SyncPlan plan = solve(problem)->plan;
  EXPECT_EQ(plan.finalClears, std::vector<uint32_t>{0});
  plan.finalClears.clear();
  EXPECT_EQ(findViolation(problem, plan).law, "RESIDUE");
  // Two runs in a row, as one: with the register at 0 in between the second is
  // like the first; left at 1, b1 of the second run does not wait for its a1.
  SyncProblem twice = draw("a1 b1 a2 b2", "a1>b1 a2>b2");
  twice.file.drains = true;
  SyncPlan both = plan;
  both.signals.push_back({2, 0});
  both.waits.push_back({3, 0, 1});
  both.finalClears = {0};
  EXPECT_EQ(exploreAll(twice, both), "race");
  both.drains = {2}; // waits for the end, and sets the register to 0
  EXPECT_EQ(exploreAll(twice, both), "");
}

TEST(SyncEnd, WithoutRegistersThereAreDrains) {
  SyncProblem problem = draw("a1 b1", "a1>b1", fileOf(FileKind::Counter, 0));
  EXPECT_EQ(solve(problem).error().rule, "SYNC-7");
  problem.file.drains = true;
  EXPECT_EQ(planned(problem), "drain before b1");
}

TEST(SyncEnd, AnOverlongWaitHangs) {
  SyncProblem problem = draw("a1 b1 a2 c1", "a1>b1 a2>c1");
  SyncPlan plan = solve(problem)->plan;
  ++plan.waits[1].value;
  EXPECT_EQ(findViolation(problem, plan).law, "REACH");
  EXPECT_EQ(exploreAll(problem, plan), "hang");
}
