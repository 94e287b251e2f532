//===- ProgramScenarioTest.cpp - loops and ifs with their arithmetic ------===//

#include "tally/plan/sync/Execution.h"
#include "tally/plan/sync/Report.h"
#include "tally/plan/sync/TestDrawing.h"
#include "tally/plan/sync/TestOracle.h"
#include "tally/plan/sync/Text.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

using namespace tally;
using namespace tally::plan::sync;

/// Queues A, B, C of depth 2, and the lines.
static SyncProblem program(const std::string &file, const std::string &lines) {
  std::string queues;
  for (char queue : {'A', 'B', 'C'})
    queues += std::string("queue ") + queue + " depth 2\n";
  Result<SyncProblem> problem =
      parseProblem("file " + file + "\n" + queues + lines, "p.sync");
  EXPECT_TRUE(problem) << problem.error().str();
  return *problem;
}

/// The first fault of any execution that is short enough to explore.
static std::string exploreProgram(const SyncProblem &problem,
                                  const SyncPlan &plan) {
  for (const Choice &choice : choicesOf(problem)) {
    Execution run = execute(problem, plan, choice);
    if (run.problem.operations.size() > 14)
      continue;
    if (std::string fault = exploreAll(run.problem, run.plan); !fault.empty())
      return fault + " with " + choice.text(problem);
  }
  return "";
}

/// Solves, judges, executes, and gives the commands as text.
static std::string planned(const SyncProblem &problem) {
  Result<SyncSolution> solution = solve(problem);
  if (!solution)
    return solution.error().str();
  EXPECT_EQ(findViolation(problem, solution->plan).message, "");
  EXPECT_EQ(exploreProgram(problem, solution->plan), "");
  return textOf(problem, solution->plan);
}

static constexpr const char *kCarried = "loop l trips 9\n"
                                        "op a A\n"
                                        "op b B\n"
                                        "after b back 1 a\n"
                                        "end\n";

//===----------------------------------------------------------------------===//
// A loop-carried dependency in each way
//===----------------------------------------------------------------------===//

TEST(SyncLoops, TokensHaveCreditForTheFirstTrip) {
  // b of trip i takes what a of trip i - 1 gave; b of trip 0 the credit. After
  // n trips: 1 + n given, n taken, 1 is left, which the gate behind takes.
  EXPECT_EQ(planned(program("token count 2 bits 8", kCarried)),
            "a signals 0; before l/A signals 0; b waits 0>=1; "
            "after l/B waits 0>=1");
}

TEST(SyncLoops, RelativeWaitsCountFromWhatWasIssued) {
  // Issued before b: a of this trip and all before. All but 1 are awaited; in
  // trip 0 that is none.
  EXPECT_EQ(planned(program("counter count 2 relative", kCarried)),
            "a signals 0; b waits 0>=-1");
}

TEST(SyncLoops, WithoutBothEveryTripDrains) {
  SyncProblem drains = program("counter count 2 drains", kCarried);
  EXPECT_EQ(planned(drains), "drain before a");
  EXPECT_EQ(solve(drains)->report.method, Method::Epochs);
  EXPECT_EQ(
      solve(program("counter count 2", kCarried)).error().str(),
      "no waits are right in every trip of a loop: there are no relative "
      "waits; the command processor does not drain [SYNC-13]; give the file "
      "relative waits and loops their trips, or let the command processor "
      "drain");
}

TEST(SyncLoops, ARelativeCounterHasToCountAllTrips) {
  // 9 signals; 3 bits count to 7, 4 bits to 15.
  std::string narrow = "counter count 2 relative bits ";
  EXPECT_EQ(planned(program(narrow + "4", kCarried)),
            "a signals 0; b waits 0>=-1");
  SyncPlan plan = solve(program(narrow + "4", kCarried))->plan;
  EXPECT_EQ(findViolation(program(narrow + "3", kCarried), plan).law, "WIDTH");
  Diagnostic refusal = solve(program(narrow + "3", kCarried)).takeError();
  EXPECT_NE(
      refusal.message.find("counters end at 7, and loops may signal more"),
      std::string::npos);
}

TEST(SyncLoops, AGateSignalsAsOftenAsItsLoopIsReached) {
  // By hand: the gate behind the inner loop signals once in each of 9 trips of
  // the outer one, and c waits for it in the next. 3 bits count to 7.
  for (auto [bits, law] : {std::pair("4", ""), std::pair("3", "WIDTH")}) {
    SyncProblem problem =
        program(std::string("counter count 1 relative bits ") + bits,
                "loop o trips 9\nop c C\nloop i trips 5\nop a A\nend\nend\n"
                "after c back 1 a\n");
    SyncPlan plan;
    plan.registers = {{}};
    plan.gates = {{1, true, 0}};
    plan.signals = {{2, 0}};
    plan.waits = {{0, 0, 0, 0, true}};
    plan.finalClears = {0};
    EXPECT_EQ(findViolation(problem, plan).law, law) << bits;
  }
}

TEST(SyncLoops, NoTripAtAll) {
  SyncProblem problem = program("token count 2 bits 8", kCarried);
  SyncPlan plan = solve(problem)->plan;
  Execution none = execute(problem, plan, {{0}});
  // Only the gates are left: one signal, one wait.
  EXPECT_EQ(none.problem.operations.size(), 2u);
  EXPECT_EQ(exploreAll(none.problem, none.plan), "");
}

TEST(SyncLoops, CreditThatIsNotTakenIsFound) {
  SyncProblem problem = program("token count 2 bits 8", kCarried);
  SyncPlan plan = solve(problem)->plan;
  SyncPlan residue = plan;
  residue.waits.pop_back(); // of the gate behind the loop
  EXPECT_EQ(findViolation(problem, residue).law, "RESIDUE");
  EXPECT_EQ(exploreProgram(problem, residue), "residue with 0 trips of 'l'");
  SyncPlan hang = plan;
  hang.signals.pop_back(); // of the gate before it
  EXPECT_NE(findViolation(problem, hang).law, "");
  EXPECT_EQ(exploreProgram(problem, hang), "hang with 0 trips of 'l'");
}

TEST(SyncLoops, ACounterThatGrowsFromTripToTripIsFound) {
  // A straight line's thresholds: right in the first trip only.
  SyncProblem problem =
      program("counter count 1", "loop l\nop a A\nop b B\nafter b a\nend\n");
  SyncPlan plan;
  plan.registers = {{}};
  plan.signals = {{0, 0}};
  plan.waits = {{1, 0, 1}};
  plan.finalClears = {0};
  Violation found = findViolation(problem, plan);
  EXPECT_EQ(found.law, "BALANCE");
  EXPECT_EQ(found.message, "with 2 trips of 'l': a trip of loop 'l' changes "
                           "what register 0 holds by 1");
  Execution twice = execute(problem, plan, {{2}});
  EXPECT_EQ(exploreAll(twice.problem, twice.plan), "race");
}

//===----------------------------------------------------------------------===//
// Two buffers
//===----------------------------------------------------------------------===//

static constexpr const char *kTwoBuffers = "loop tiles trips 9\n"
                                           "op load A 4\n"
                                           "op mul B 6\n"
                                           "after mul load\n"
                                           "after load back 2 mul\n"
                                           "end\n";

TEST(SyncLoops, TwoBuffersAreTwoCredits) {
  // load may be 2 trips ahead of mul: 2 tokens before the loop.
  EXPECT_EQ(planned(program("token count 2 bits 8", kTwoBuffers)),
            "load signals 1; mul signals 0; before tiles/B signals 0; "
            "before tiles/B signals 0; load waits 0>=1; mul waits 1>=1; "
            "after tiles/A waits 0>=1; after tiles/A waits 0>=1");
}

TEST(SyncLoops, TheLoopRunsAsFastAsItsBuffersLet) {
  // 4 trips: load 0-4, then mul 6 each: 4 + 4 * 6 with credit; with a drain in
  // every trip 4 * (4 + 6).
  SyncReport credited =
      solve(program("token count 2 bits 8", kTwoBuffers))->report;
  EXPECT_EQ(credited.makespan, 4 + 4 * 6);
  EXPECT_EQ(credited.unlimited, 4 + 4 * 6);
  EXPECT_EQ(credited.pricedTrips, std::vector<uint32_t>{4});
  SyncReport epochs =
      solve(program("counter count 2 drains", kTwoBuffers))->report;
  EXPECT_EQ(epochs.makespan, 4 * (4 + 6));
}

TEST(SyncLoops, AFlagHandsOnOneAtATime) {
  // The flag of load holds 1, so load may signal again only after mul has seen
  // it; mul's flag holds no second credit. So load waits for mul of the trip
  // before, which implies that of 2 trips before.
  std::string text = planned(program("flag count 4", kTwoBuffers));
  EXPECT_EQ(text, "load signals 1; mul signals 0; before tiles/B signals 0; "
                  "load waits 0>=1; mul waits 1>=1; after tiles/A waits 0>=1; "
                  "load clears 0; mul clears 1; after tiles/A clears 0");
}

TEST(SyncLoops, NarrowTokensHoldTheProducerBack) {
  // Nothing but the depth of B limits what A signals ahead: 2 in the queue, 1
  // between. 1 bit holds 1 token, so a waits for b of the trip before.
  const char *ahead = "loop l\nop a A\nop b B\nafter b a\nend\n";
  EXPECT_EQ(planned(program("token count 4 bits 8", ahead)),
            "a signals 0; b waits 0>=1");
  SyncPlan loose = solve(program("token count 4 bits 8", ahead))->plan;
  EXPECT_EQ(findViolation(program("token count 4 bits 1", ahead), loose).law,
            "WIDTH");
  EXPECT_EQ(planned(program("token count 4 bits 1", ahead)),
            "a signals 1; b signals 0; before l/B signals 0; a waits 0>=1; "
            "b waits 1>=1; after l/A waits 0>=1");
}

//===----------------------------------------------------------------------===//
// In and out of loops, and loops in loops
//===----------------------------------------------------------------------===//

TEST(SyncLoops, GatesCarryWhatLiesAround) {
  // b waits for w once, not in every trip; y for the last a, however many.
  EXPECT_EQ(planned(program("token count 4 bits 8", "op w A\n"
                                                    "loop l\n"
                                                    "op a A\n"
                                                    "op b B\n"
                                                    "after b w\n"
                                                    "end\n"
                                                    "op y C\n"
                                                    "after y a\n")),
            "w signals 0; after l/A signals 1; y waits 1>=1; "
            "before l/B waits 0>=1");
}

TEST(SyncLoops, LoopsInLoops) {
  SyncProblem problem = program("token count 8 bits 8", "loop rows\n"
                                                        "op w A\n"
                                                        "loop columns\n"
                                                        "op a A\n"
                                                        "op b B\n"
                                                        "after b w a\n"
                                                        "after a back 2 b\n"
                                                        "end\n"
                                                        "op s C\n"
                                                        "after s b\n"
                                                        "after w back 1 s\n"
                                                        "end\n");
  Result<SyncSolution> solution = solve(problem);
  ASSERT_TRUE(solution);
  EXPECT_EQ(solution->report.method, Method::Credited);
  EXPECT_EQ(planned(problem).find("race"), std::string::npos);
}

TEST(SyncLoops, LoopsOneAfterTheOtherShareWhileThereIsRoom) {
  // Loop x gives 4 tokens in a trip, loop y has a credit of 2. Before y's last
  // gate has taken 2 with each of 2 commands in B's queue, x's 4 may be there:
  // 4 + 2 * 2 = 8. 4 bits hold 15, 3 bits 7, though each loop alone fits:
  // 4 + 2 * 1 and 2 + 1 + 2 * 2.
  std::string x = "op a1 A\nop b1 B\nop a2 A\nop b2 B\nop a3 A\nop b3 B\n"
                  "op a4 A\nop b4 B\n"
                  "after b1 a1\nafter b2 a2\nafter b3 a3\nafter b4 a4\n";
  std::string lines = "loop y\nop a B\nop b A\nafter a back 2 b\nend\n"
                      "loop x\n" +
                      x + "end\n";
  for (auto [bits, registers] : {std::pair(4, 1u), std::pair(3, 2u)}) {
    SyncProblem problem =
        program("token count 4 bits " + std::to_string(bits), lines);
    Result<SyncSolution> solution = solve(problem);
    ASSERT_TRUE(solution) << solution.error().str();
    EXPECT_EQ(findViolation(problem, solution->plan).message, "");
    EXPECT_EQ(solution->plan.registers.size(), registers) << bits;
  }
}

TEST(SyncLoops, ShortFilesOfRelativeCountersShare) {
  const char *lines = "loop l trips 5\n"
                      "op a A\nop b B\nop c C\n"
                      "after c a b\nafter a back 1 c\nend\n";
  // One counter: each signal waits for those issued before it.
  for (const char *file :
       {"counter count 1 relative", "counter count 2 relative",
        "counter count 3 relative"})
    EXPECT_EQ(planned(program(file, lines)).find("SYNC"), std::string::npos);
}

//===----------------------------------------------------------------------===//
// Ifs
//===----------------------------------------------------------------------===//

static constexpr const char *kSignalInIf = "if edge\n"
                                           "op pad A\n"
                                           "end\n"
                                           "op mul B\n"
                                           "after mul pad\n";

TEST(SyncIfs, ASignalInsideIsMadeOnEveryPath) {
  for (const char *kind : {"counter", "token", "flag"}) {
    SyncProblem problem = program(std::string(kind) + " count 4", kSignalInIf);
    EXPECT_NE(planned(problem).find("pad signals 0"), std::string::npos);
    SyncPlan plan = solve(problem)->plan;
    ASSERT_EQ(plan.compensated, std::vector<Op>{0});
    // Where pad does not run and nothing else signals, mul waits for ever.
    plan.compensated.clear();
    EXPECT_EQ(findViolation(problem, plan).law, "REACH") << kind;
    EXPECT_EQ(exploreProgram(problem, plan), "hang with 'edge' else") << kind;
  }
}

TEST(SyncIfs, BothBranchesCountAlike) {
  // a or b, then c: c waits for both signals, of which one is compensated.
  EXPECT_EQ(planned(program("counter count 1", "if which\nop a A\nelse\n"
                                               "op b B\nend\nop c C\n"
                                               "after c a b\n")),
            "a signals 0; b signals 0; c waits 0>=2");
}

TEST(SyncIfs, RelativeWaitsNeedNoCompensation) {
  // Between a and c, x may or may not signal: at most 0 may be missing.
  EXPECT_EQ(planned(program("counter count 1 relative",
                            "loop l trips 9\nop a A\nif odd\nop x A\nend\n"
                            "op c C\nafter c a\nafter c back 1 x\nend\n")),
            "a signals 0; x signals 0; c waits 0>=-0");
}

TEST(SyncIfs, ADependencyBetweenBranchesIsRefused) {
  SyncProblem problem = program("counter", "if which\nop a A\nelse\n"
                                           "op b B\nend\n");
  problem.dependencies = {{0, 1}};
  EXPECT_EQ(solve(problem).error().str(),
            "b depends on a, but if 'which' runs one or the other [SYNC-12]; "
            "leave it out, or let it go back a trip");
}

//===----------------------------------------------------------------------===//
// How it reads
//===----------------------------------------------------------------------===//

TEST(SyncProgramText, ThePlanReadsLikeThis) {
  SyncProblem problem = program("token count 4 bits 8", kTwoBuffers);
  std::string text;
  llvm::raw_string_ostream os(text);
  printSolution(os, problem, *solve(problem, {.priceCurve = true}));
  EXPECT_EQ(
      text,
      R"(2 of 2 dependencies need a signal; the others follow from them and the queues
tokens: 2 needed without added order (at least 1), 4 usable, 0 reserved
signals of loops and ifs:
  mul (B), awaited by load, live from trip to trip, slack 0
  load (A), awaited by mul, live operations 0 to 1, slack 0
plan: credit from trip to trip, 0 edges added; predicted 28 (unlimited 28, serial 40)
  with 4 trips of tiles
  2 registers: 28 (credit from trip to trip)

before tiles in B: signal 1 signal 1
loop tiles
  load: wait 1 signal 0
  mul: wait 0 signal 1
end
after tiles in A: wait 1 wait 1
)");
}

TEST(SyncProgramText, TheJsonFormNamesGatesAndTrips) {
  SyncProblem problem = program("token count 4 bits 8", kTwoBuffers);
  std::string text;
  llvm::raw_string_ostream os(text);
  writeSolutionJson(os, problem, *solve(problem, {.priceCurve = true}));
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(text);
  ASSERT_TRUE(bool(value)) << text;
  const llvm::json::Object &plan = *value->getAsObject();
  EXPECT_EQ(plan.getString("method"), "credit from trip to trip");
  EXPECT_EQ(plan.getObject("priced_trips")->getInteger("tiles"), 4);
  const llvm::json::Array &gates = *plan.getArray("gates");
  ASSERT_EQ(gates.size(), 2u);
  const llvm::json::Object &last = *gates[0].getAsObject();
  EXPECT_EQ(last.getString("name"), "after tiles in A");
  EXPECT_EQ(last.getString("loop"), "tiles");
  EXPECT_EQ(last.getString("side"), "after");
  EXPECT_EQ(last.getString("queue"), "A");
  const llvm::json::Object &holder =
      *(*plan.getArray("pressure"))[1].getAsObject();
  EXPECT_EQ(holder.getString("op"), "load");
  EXPECT_EQ(holder.getString("queue"), "A");
  EXPECT_EQ((*holder.getArray("live"))[1].getAsInteger(), 1);
  EXPECT_EQ((*plan.getArray("signals"))[2].getAsObject()->getString("op"),
            "before tiles in B");
}

TEST(SyncProgramText, TheJsonFormTellsRelativeAndCompensatedCommands) {
  auto jsonOf = [](const SyncProblem &problem) {
    std::string text;
    llvm::raw_string_ostream os(text);
    writeSolutionJson(os, problem, *solve(problem));
    return text;
  };
  EXPECT_NE(
      jsonOf(program("counter relative", kCarried)).find("\"relative\": true"),
      std::string::npos);
  EXPECT_NE(jsonOf(program("counter", kSignalInIf))
                .find("\"compensated\": [\n    \"pad\"\n  ]"),
            std::string::npos);
}

TEST(SyncProgramText, TheDrawingShowsAnExecution) {
  SyncProblem problem = program("token count 4 bits 8", kTwoBuffers);
  std::string svg = drawSvg(problem, *solve(problem));
  // 4 trips of two operations, and two gates.
  size_t boxes = 0;
  for (size_t at = 0; (at = svg.find("<rect class=\"op\"", at)) != svg.npos;
       ++at)
    ++boxes;
  EXPECT_EQ(boxes, 4u * 2 + 2);
  EXPECT_NE(svg.find("load[3]"), std::string::npos);
}
