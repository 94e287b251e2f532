//===- VerdictTest.cpp - verdicts as JSON, rules as documented ------------===//

#include "tally/run/checker/TestVerdicts.h"

#include "tally/run/checker/Report.h"

#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>

using namespace tally;
using namespace tally::checker;

TEST(Rules, Json) {
  Result<Verdict> verdict = check(assembled(R"(
.context
n: .word 0
.scalar n 0, 3, 3
)" + kCopies + R"(
.node conv
  go load0, copy, x0, x0
.node relu
  go vector, copy, x0, x0
  ecall
)",
                                            edge()));
  std::string printed;
  llvm::raw_string_ostream os(printed);
  writeVerdictJson(os, *verdict);
  EXPECT_EQ(printed, R"({
  "version": 1,
  "accepted": false,
  "rule": "CHK-8",
  "message": "the second reads what the first writes, and nothing orders them",
  "hint": "let the queue of the second wait for a signal behind the first",
  "first": {
    "address": 52,
    "instruction": "go load0, copy, x0, x0",
    "actor": "load0",
    "entry": 1,
    "node": "conv",
    "line": "x.s:24"
  },
  "second": {
    "address": 56,
    "instruction": "go vector, copy, x0, x0",
    "actor": "vector",
    "entry": 1,
    "node": "relu",
    "line": "x.s:26"
  },
  "overlap": {
    "space": "sram",
    "begin": 0,
    "end": 16
  },
  "schedule_needs_deeper_queues": false,
  "schedule": [
    {
      "from": 1,
      "to": 1,
      "address": 56,
      "instruction": "go vector, copy, x0, x0",
      "actor": "vector",
      "entry": 1,
      "node": "relu",
      "line": "x.s:26"
    }
  ],
  "scalars": {
    "n": 3
  },
  "statistics": {
    "executions": 1,
    "instructions": 16,
    "entries": 2,
    "commands": 2,
    "accesses": 4,
    "rounds": 1
  }
}
)");
}

TEST(Rules, JsonOfADeadlock) {
  Result<Verdict> verdict =
      check(assembled(".text\n  wait.ge vector, s0, 1\n  ecall\n", edge()));
  std::string printed;
  llvm::raw_string_ostream os(printed);
  writeVerdictJson(os, *verdict);
  EXPECT_NE(printed.find(R"("blocked": [
    {
      "address": 0,
      "instruction": "wait.ge vector, s0, 1",
      "actor": "vector",
      "entry": 1,
      "line": "x.s:2",
      "reason": "register s0 is 0 and has to reach 1; no signal of it is left"
    },)"),
            std::string::npos)
      << printed;
}

TEST(Rules, AreDocumented) {
  std::ifstream file(std::string(TALLY_SOURCE_DIR) +
                     "/docs/reference/checker.md");
  std::string page(std::istreambuf_iterator<char>(file), {});
  std::set<std::string_view> codes;
  for (const RuleInfo &rule : allRules()) {
    EXPECT_TRUE(codes.insert(rule.code).second) << rule.code;
    std::string row = "| " + std::string(rule.code) + " | " +
                      std::string(rule.name) + " | " +
                      std::string(rule.meaning) + " |\n";
    EXPECT_NE(page.find(row), std::string::npos) << row;
  }
}
