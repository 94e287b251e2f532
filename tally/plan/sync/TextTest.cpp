//===- TextTest.cpp - text, JSON and drawing of plans and refusals --------===//

#include "tally/plan/sync/Text.h"
#include "tally/plan/sync/Report.h"

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
  };
  for (const Case &one : cases)
    EXPECT_EQ(refusalOf(one.text).str(), one.message);
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
