//===- RefusalJsonTest.cpp - refused problems as JSON ---------------------===//
//
// One for each rule of a problem; RefusalTest.cpp has those of plans.
//
//===----------------------------------------------------------------------===//

#include "tally/plan/registers/Report.h"
#include "tally/plan/registers/Text.h"

#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

using namespace tally;
using namespace tally::plan::registers;

static std::string json(const char *text) {
  Refusal refusal;
  Result<RegisterProblem> problem = parseProblem(text, "p.regs");
  if (!problem)
    refusal.diagnostic = problem.takeError();
  else
    EXPECT_FALSE(planRegisters(*problem, &refusal));
  std::string result;
  llvm::raw_string_ostream os(result);
  writeRefusalJson(os, refusal);
  return result;
}

TEST(RegistersRefusalJson, Text) {
  EXPECT_EQ(json("registers 1\nop 1 use v\n"), R"({
  "rule": "REG-1",
  "file": "p.regs:2",
  "message": "there is no value 'v' yet",
  "hint": "list it before this line"
}
)");
}

TEST(RegistersRefusalJson, Machine) {
  EXPECT_EQ(json("registers 2 reserved 1\nvalue v fixed 1\n"), R"({
  "rule": "REG-2",
  "message": "'v' is fixed to r1, which is reserved"
}
)");
}

TEST(RegistersRefusalJson, Tree) {
  EXPECT_EQ(json("registers 1\nop 1\nop 1\n"), R"({
  "rule": "REG-3",
  "message": "statement '1' is there twice",
  "hint": "give each a name of its own"
}
)");
}

TEST(RegistersRefusalJson, Operands) {
  EXPECT_EQ(json("registers 1\nvalue v\nop 1 def v\nop 2 late v\n"), R"({
  "rule": "REG-4",
  "message": "'2' reads 'v' late, but runs in no queue",
  "hint": "name its queue, or latch the value"
}
)");
}

TEST(RegistersRefusalJson, Loops) {
  EXPECT_EQ(json("registers 1\nvalue i\nloop L counter i\nop 1 def i\nend\n"),
            R"({
  "rule": "REG-5",
  "message": "'1' writes 'i', the counter of 'L'",
  "hint": "use another value"
}
)");
}

TEST(RegistersRefusalJson, ReadOfTheUndefined) {
  EXPECT_EQ(json("registers 1\nvalue v\nop 1 use v\n"), R"({
  "rule": "REG-6",
  "message": "'1' reads 'v', which is not written on every path to it",
  "hint": "write it before, on each path"
}
)");
}
