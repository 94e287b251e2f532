//===- TextTest.cpp - text, JSON and drawing of plans and refusals --------===//

#include "tally/plan/sync/Text.h"
#include "tally/plan/sync/Report.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

using namespace tally;
using namespace tally::plan::sync;

static constexpr const char *kTwoPairs = "file counter count 2 # registers\n"
                                         "queue A depth 4\n"
                                         "queue B\n"
                                         "queue C\n"
                                         "queue D\n"
                                         "op a1 A 3\n"
                                         "op b1 B 2\n"
                                         "op c1 C\n"
                                         "op d1 D\n"
                                         "after b1 a1\n"
                                         "after d1 c1\n";

static Diagnostic refusalOf(const std::string &text) {
  Result<SyncProblem> problem = parseProblem(text, "p.sync");
  if (!problem)
    return problem.takeError();
  Result<SyncSolution> solution = solve(*problem);
  EXPECT_FALSE(solution) << text;
  return solution ? Diagnostic() : solution.takeError();
}

TEST(SyncText, WritesWhatItReads) {
  SyncProblem problem = *parseProblem(kTwoPairs, "p.sync");
  problem.file.reserved = {0, 1};
  problem.queues[1].inOrder = false;
  std::string text = writeProblem(problem);
  EXPECT_EQ(writeProblem(*parseProblem(text, "p.sync")), text);
  EXPECT_NE(text.find("reserved 0,1"), std::string::npos);
  EXPECT_NE(text.find("queue B depth 1 out-of-order"), std::string::npos);
}

/// The JSON form says the same.
static void expectJsonOf(const Diagnostic &refusal) {
  std::string text;
  llvm::raw_string_ostream os(text);
  writeRefusalJson(os, refusal);
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(text);
  ASSERT_TRUE(bool(value)) << text;
  const llvm::json::Object *refused =
      value->getAsObject()->getObject("refused");
  ASSERT_TRUE(refused) << text;
  EXPECT_EQ(refused->getString("rule"), refusal.rule);
  EXPECT_EQ(refused->getString("message"), refusal.message);
  EXPECT_EQ(refused->getString("hint"), refusal.hint);
}

/// Solves what only structs can hold.
static void expectRefusal(const SyncProblem &problem,
                          const std::string &message) {
  Result<SyncSolution> solution = solve(problem);
  ASSERT_FALSE(solution) << message;
  EXPECT_EQ(solution.error().str(), message);
  expectJsonOf(solution.error());
}

TEST(SyncText, EveryRefusalIsExplained) {
  struct Case {
    const char *text, *message;
  } cases[] = {
      {"file counter\nfoo\n", "p.sync:2: 'foo' starts no statement [SYNC-1]; "
                              "statements: file, queue, op, after, "
                              "loop, if, else, end"},
      {"queue A\n",
       "p.sync:1: no 'file' describes the registers [SYNC-1]; write for "
       "instance file counter count 4"},
      {"file lamp\n", "p.sync:1: a file of no known kind [SYNC-1]; kinds: "
                      "counter, token, flag"},
      {"file flag count x\n", "p.sync:1: 'x' is no whole number [SYNC-1]"},
      {"file flag\nqueue A\nqueue A\n",
       "p.sync:3: queue 'A' is listed twice [SYNC-1]; give each a name of its "
       "own"},
      {"file flag\nop a A\n", "p.sync:2: there is no queue 'A' yet [SYNC-1]; "
                              "list it before this line"},
      {"file flag\nqueue A depth 0\n",
       "queue 'A' has depth 0 [SYNC-2]; the running operation needs one "
       "place"},
      {"file flag\nqueue A\nop a A -1\n",
       "operation 'a' takes -1 [SYNC-3]; durations are from 0 to 4294967295"},
      {"file counter bits 40\n",
       "registers of 40 bits [SYNC-6]; 1 to 32 are possible"},
      {"file counter count 2 reserved 2\n",
       "register 2 is reserved, but the file ends at 2 [SYNC-6]; reserve "
       "registers of the file only"},
      {"file counter count 1 reserved 0\nqueue A\nqueue B\nop a A\nop b B\n"
       "after b a\n",
       "no usable register (1, 1 of them reserved), but 1 edges need one "
       "[SYNC-7]; 1 counter is enough; or let the command processor drain"},
      {"file flag count 1\nqueue A\nqueue B\nqueue C\nop a A\nop b B\nop c C\n"
       "after b a\nafter c b\n",
       "1 usable registers; without added order 2 are needed, and 2 to run "
       "one operation after the other [SYNC-8]; give the file at least 2 "
       "registers, or let the command processor drain"},
      {"file counter count 1 bits 1\nqueue A\nqueue B\nop a A\nop b B\n"
       "op c A\nop d B\nafter b a\nafter d c\n",
       "2 signals on 1 counters that count to 1 [SYNC-9]; use more registers "
       "or bits, or let the command processor drain"},
      {"file flag\nelse\n", "p.sync:2: 'else' stands in no if, or a second "
                            "time [SYNC-1]; write if NAME ... else ... end"},
      {"file flag\nend\n",
       "p.sync:2: 'end' ends no loop or if [SYNC-1]; one 'end' for each"},
      {"file flag\nloop l\n", "p.sync:2: 'l' has no end [SYNC-1]; write 'end' "
                              "behind its last operation"},
      {"file flag\nloop l trips -1\nend\n",
       "p.sync:2: a loop of -1 trips [SYNC-1]; say how many it has at most, or "
       "leave it out"},
      {"file flag\nif\nend\n",
       "p.sync:2: an if has a name [SYNC-1]; write if NAME"},
      {"file flag\nqueue A\nop a A\nafter a back -1 a\n",
       "p.sync:4: a dependency cannot go back -1 trips [SYNC-1]"},
      {"file flag\nqueue A\nop a A\nafter a back 1 a\n",
       "a depends on an earlier trip's a, but no loop holds both [SYNC-12]; "
       "leave the distance out"},
      {"file flag\nqueue A\nloop l\nop a A\nafter a back 65536 a\nend\n",
       "a depends on a of 65536 trips before [SYNC-12]; 0 to 65535 are "
       "possible"},
      {"file token count 1\nqueue A\nqueue B\nqueue C\nloop l\nop a A\n"
       "op b B\nop c C\nafter b a\nafter c b\nend\n",
       "no waits are right in every trip of a loop: loops need 2 registers, 1 "
       "are usable; the command processor does not drain [SYNC-13]; give the "
       "file more or wider registers, or let the command processor drain"},
      {"file token count 4\nqueue A out-of-order\nqueue B\nloop l\nop a A\n"
       "op b B\nafter b a\nend\n",
       "no waits are right in every trip of a loop: queue 'A' completes out of "
       "order; the command processor does not drain [SYNC-13]; give the file "
       "more or wider registers, or let the command processor drain"},
  };
  for (const Case &one : cases) {
    Diagnostic refusal = refusalOf(one.text);
    EXPECT_EQ(refusal.str(), one.message);
    expectJsonOf(refusal);
  }
}

TEST(SyncText, ProblemsThatOnlyStructsCanHoldAreExplained) {
  SyncProblem problem = *parseProblem(kTwoPairs, "p.sync");
  SyncProblem noQueue = problem;
  noQueue.operations[0].queue = 7;
  expectRefusal(noQueue, "operation 'a1' is in queue 7 of 4 [SYNC-3]; list the "
                         "queue first");
  SyncProblem noOperation = problem;
  noOperation.dependencies = {{9, 0}};
  expectRefusal(noOperation,
                "a dependency from operation 9 to 0 of 4 [SYNC-4]; operations "
                "are numbered from 0 in issue order");
  SyncProblem outside = problem;
  outside.regions = {{Region::Loop, "l", 2, 9, 0, 3}};
  expectRefusal(outside, "region 'l' has operations 2 to 9 of 4 [SYNC-11]; "
                         "regions are half-open intervals of operations");
  SyncProblem crossed = problem;
  crossed.regions = {{Region::Loop, "l", 0, 2, 0, 3},
                     {Region::If, "i", 1, 3, 2}};
  expectRefusal(crossed, "region 'i' is partly inside 'l' [SYNC-11]; regions "
                         "nest or lie apart, outer ones first");
}

TEST(SyncText, AnOrderThatIsTooLargeIsRefusedAtOnce) {
  // 50,000 operations, each with a number for each of 50,000 queues: 2.5 * 10^9
  // is more than 2^31.
  SyncProblem wide;
  wide.queues.assign(50000, {"q", 1, true});
  for (uint32_t op = 0; op < 50000; ++op)
    wide.operations.push_back({"o", op, 1});
  expectRefusal(wide,
                "the order of 50000 operations needs more than 2^31 numbers: "
                "50000 operations and queues run independently [SYNC-10]; plan "
                "fewer operations at a time, or queues that complete in order");
  // 300 operations over 65,535 + 3 trips: 1.9 * 10^7 is more than 2^24.
  SyncProblem deep;
  deep.queues.assign(2, {"q", 1, true});
  for (uint32_t op = 0; op < 300; ++op)
    deep.operations.push_back({"o", op % 2, 1});
  deep.regions = {{Region::Loop, "l", 0, 300}};
  deep.dependencies = {{0, 1, Strength::Completed, 65535}};
  expectRefusal(
      deep, "loops of 300 operations are looked at over more than 2^24 "
            "operations in as many trips as dependencies go back [SYNC-10]; "
            "shorten distances or loops, or nest fewer loops");
}

TEST(SyncText, ProgramsAreWrittenAsTheyAreRead) {
  std::string text = "file token count 4 bits 8 key global waits 0\n"
                     "queue A depth 2\n"
                     "queue B depth 1\n"
                     "loop rows trips 9\n"
                     "  op w A 1\n"
                     "  if edge\n"
                     "    op pad A 2\n"
                     "  else\n"
                     "    loop columns\n"
                     "      op a B 1\n"
                     "    end\n"
                     "  end\n"
                     "end\n"
                     "op y B 1\n"
                     "after a w\n"
                     "after w back 2 a\n"
                     "after y issued w\n";
  SyncProblem problem = *parseProblem(text, "p.sync");
  EXPECT_EQ(writeProblem(problem), text);
  ASSERT_EQ(problem.regions.size(), 3u);
  EXPECT_EQ(problem.regions[1].elseAt, 2u);
  EXPECT_EQ(problem.regions[2].trips, Region::kAnyTrips);
  EXPECT_EQ(problem.dependencies[1].distance, 2u);
}

TEST(SyncText, ABackwardDependencyShowsTheCircle) {
  SyncProblem problem = *parseProblem("file counter\nqueue A depth 1\n"
                                      "queue B depth 2\nop b1 B\nop b2 B\n"
                                      "op b3 B\nop a1 A\n",
                                      "p.sync");
  problem.dependencies = {{3, 0}};
  EXPECT_EQ(solve(problem).error().str(),
            "a dependency against the issue order: b1 waits for a1, which is "
            "issued after b3, which waits for a place in queue B (depth 2), "
            "whose head is b1 [SYNC-5]; issue a1 before b1");
  problem.dependencies = {{1, 0}};
  EXPECT_NE(solve(problem).error().message.find("stands behind it"),
            std::string::npos);
  problem.dependencies = {{9, 0}};
  EXPECT_EQ(solve(problem).error().rule, "SYNC-4");
}

TEST(SyncText, ARefusalHasAJsonForm) {
  std::string text;
  llvm::raw_string_ostream os(text);
  writeRefusalJson(os, refusalOf("file lamp\n"));
  EXPECT_EQ(text, R"({
  "version": 1,
  "refused": {
    "rule": "SYNC-1",
    "message": "a file of no known kind",
    "hint": "kinds: counter, token, flag",
    "file": "p.sync:1"
  }
}
)");
}

TEST(SyncText, ThePlanReadsLikeThis) {
  SyncProblem problem = *parseProblem(kTwoPairs, "p.sync");
  std::string text;
  llvm::raw_string_ostream os(text);
  printSolution(os, problem, *solve(problem, {.priceCurve = true}));
  // One counter: c1 after a1 (3), then d1: 3 + 1 + 1; b1 ends at 3 + 2.
  EXPECT_EQ(
      text,
      R"(2 of 2 dependencies need a signal; the others follow from them and the queues
counters: 2 needed without added order (no fewer, proof: witness), 2 usable, 0 reserved
cannot share with each other:
  a1 (A), awaited by b1, live operations 0 to 1, slack 0
  c1 (C), awaited by d1, live operations 2 to 3, slack 0
plan: no order added, 0 edges added; predicted 5 (unlimited 5, serial 7)
  1 registers: 5 (queues grouped on counters)
  2 registers: 5 (no order added)

a1: signal 0
b1: wait 0>=1
c1: signal 1
d1: wait 1>=1
at the end clear 0
at the end clear 1
)");
}

TEST(SyncText, TheDrawingHasABoxAndAnArrowForEach) {
  SyncProblem problem = *parseProblem(kTwoPairs, "p.sync");
  std::string svg = drawSvg(problem, *solve(problem));
  auto count = [&](const std::string &what) {
    size_t found = 0;
    for (size_t at = 0; (at = svg.find(what, at)) != svg.npos; ++at)
      ++found;
    return found;
  };
  EXPECT_EQ(count("<rect class=\"op\""), 4u);
  EXPECT_EQ(count("<line class=\"wait\""), 2u);
  EXPECT_EQ(count("a1 -&gt; b1, register 0"), 1u);
}
