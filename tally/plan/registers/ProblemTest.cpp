//===- ProblemTest.cpp - the rules of register problems and their text ----===//

#include "tally/plan/registers/Report.h"
#include "tally/plan/registers/TestPrograms.h"
#include "tally/plan/registers/Text.h"

#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

using namespace tally;
using namespace tally::plan::registers;

static std::string reasonOf(const RegisterProblem &problem) {
  Result<RegisterSolution> solution = planRegisters(problem);
  return solution ? "" : solution.error().str();
}

static std::string reason(const char *text) {
  return reasonOf(readProblem(text));
}

static std::string textReason(const char *text) {
  Result<RegisterProblem> problem = parseProblem(text, "p.txt");
  return problem ? "" : problem.error().str();
}

TEST(RegistersProblem, Text) {
  EXPECT_EQ(textReason(""), "p.txt:0: there is no line of registers [REG-1]; "
                            "add 'registers N'");
  EXPECT_EQ(textReason("registers x"),
            "p.txt:1: 'x' is no whole number [REG-1]");
  EXPECT_EQ(textReason("registers"), "p.txt:1: a number is missing at the end "
                                     "of the line [REG-1]");
  EXPECT_EQ(textReason("registers 1\nregisters 1"),
            "p.txt:2: a second line of registers [REG-1]");
  EXPECT_EQ(textReason("registers 1 many"),
            "p.txt:1: 'many' says nothing about registers [REG-1]");
  EXPECT_EQ(textReason("registers 1 reserved"),
            "p.txt:1: registers are missing at the end of the line [REG-1]");
  EXPECT_EQ(textReason("registers 1 reserved 0,x"),
            "p.txt:1: 'x' is no register [REG-1]");
  EXPECT_EQ(textReason("registers 1\njump 1"),
            "p.txt:2: 'jump' starts no statement [REG-1]; one of registers, "
            "queue, value, op, wait, loop, if, else, end");
  EXPECT_EQ(textReason("registers 1\nqueue"),
            "p.txt:2: a queue has no name [REG-1]");
  EXPECT_EQ(textReason("registers 1\nqueue q\nqueue q"),
            "p.txt:3: queue 'q' is listed twice [REG-1]");
  EXPECT_EQ(textReason("registers 1\nvalue v\nvalue v"),
            "p.txt:3: value 'v' is listed twice [REG-1]");
  EXPECT_EQ(textReason("registers 1\nvalue v fixed -1"),
            "p.txt:2: '-1' is no register [REG-1]");
  EXPECT_EQ(textReason("registers 1\nvalue v in r0"),
            "p.txt:2: 'in' says nothing about a value [REG-1]");
  EXPECT_EQ(textReason("registers 1\nop 1 use v"),
            "p.txt:2: there is no value 'v' yet [REG-1]; list it before this "
            "line");
  EXPECT_EQ(textReason("registers 1\nwait 1"),
            "p.txt:2: a queue is missing at the end of the line [REG-1]");
  EXPECT_EQ(textReason("registers 1\nop 1 trips 2"),
            "p.txt:2: 'trips' has no place in this statement [REG-1]");
  EXPECT_EQ(textReason("registers 1\nend"),
            "p.txt:2: 'end' without a 'loop' or 'if' [REG-1]");
  EXPECT_EQ(textReason("registers 1\nloop L\nelse"),
            "p.txt:3: 'else' without an 'if' [REG-1]");
  EXPECT_EQ(textReason("registers 1\nloop L\nend now"),
            "p.txt:3: 'now' is too much [REG-1]");
  EXPECT_EQ(textReason("registers 1\nloop L"),
            "p.txt:2: 'L' has no 'end' [REG-1]");
}

TEST(RegistersProblem, EverythingIsWritten) {
  const char *text = R"(registers 4 reserved 0,3 slots 2 cost 7
queue q
value a fixed 1 role base of w
value i
loop L trips 3 counter i
  op 1 on q use i def a clobber 2
  if 2 use a
    op 3 on q late a use i
  else
    wait 4 q pending 1
  end
end
)";
  EXPECT_EQ(writeProblem(readProblem(text)), text);
}

TEST(RegistersProblem, Machine) {
  EXPECT_EQ(reason("registers 0"),
            "0 registers; 1 to 65536 can be planned [REG-2]");
  EXPECT_EQ(reason("registers 1 reserved 1"),
            "the reserved r1 is not one of 1 registers [REG-2]");
  EXPECT_EQ(reason("registers 1 slots -1"),
            "a save area of -1 slots at cost 1; both are from 0 to 65536 "
            "[REG-2]");
  EXPECT_EQ(reason("registers 1\nvalue v fixed 1"),
            "'v''s fixed r1 is not one of 1 registers [REG-2]");
  EXPECT_EQ(reason("registers 1 reserved 0\nvalue v fixed 0"),
            "'v' is fixed to r0, which is reserved [REG-2]");
  EXPECT_EQ(reason("registers 1\nop 1 clobber 1"),
            "'1''s clobbered r1 is not one of 1 registers [REG-2]");
}

TEST(RegistersProblem, Tree) {
  EXPECT_EQ(reason("registers 1\nop 1\nop 1"),
            "statement '1' is there twice [REG-3]; give each a name of its "
            "own");
  RegisterProblem problem = readProblem("registers 1\nop 1\nop 2\n");
  problem.body = {0, 0, 1};
  EXPECT_EQ(reasonOf(problem), "'1' is part of two bodies [REG-3]");
  problem.body = {0};
  EXPECT_EQ(reasonOf(problem), "'2' is part of no body [REG-3]");
  problem.body = {0, 1, 2};
  EXPECT_EQ(reasonOf(problem), "there is no statement 2 [REG-3]");
  problem.body = {0};
  problem.statements[0].body = {1};
  EXPECT_EQ(reasonOf(problem), "'1' cannot have that body [REG-3]");
}

// 16 loops around the operation are planned, 17 are not.
TEST(RegistersProblem, Depth) {
  auto nested = [](size_t depth) {
    std::string text = "registers 1\n";
    for (size_t loop = 0; loop < depth; ++loop)
      text += "loop L" + std::to_string(loop) + "\n";
    text += "op inner\n";
    for (size_t loop = 0; loop < depth; ++loop)
      text += "end\n";
    return reason(text.c_str());
  };
  EXPECT_EQ(nested(16), "");
  EXPECT_EQ(nested(17), "'inner' lies in more than 16 loops and ifs [REG-3]");
}

TEST(RegistersProblem, Operands) {
  RegisterProblem good =
      readProblem("registers 1\nqueue q\nvalue v\nop 1 def v\nwait 2 q\n");
  RegisterProblem problem = good;
  problem.statements[0].uses = {{7}};
  EXPECT_EQ(reasonOf(problem), "'1' reads a value that does not exist [REG-4]");
  problem = good;
  problem.statements[0].defs = {7};
  EXPECT_EQ(reasonOf(problem),
            "'1' writes a value that does not exist [REG-4]");
  problem = good;
  problem.statements[0].queue = 1;
  EXPECT_EQ(reasonOf(problem), "'1' names a queue that does not exist [REG-4]");
  problem = good;
  problem.statements[1].queue = kNone;
  EXPECT_EQ(reasonOf(problem), "'2' names a queue that does not exist [REG-4]");
  problem = good;
  problem.statements[1].defs = {0};
  EXPECT_EQ(reasonOf(problem),
            "'2' writes registers and is no operation [REG-4]");
  EXPECT_EQ(reason("registers 1\nvalue v\nop 1 def v v"),
            "'1' writes 'v' twice [REG-4]");
  EXPECT_EQ(reason("registers 1\nvalue v\nop 1 def v\nop 2 late v"),
            "'2' reads 'v' late, but runs in no queue [REG-4]; name its "
            "queue, or latch the value");
  EXPECT_EQ(reason("registers 1\nqueue q\nwait 1 q pending -1"),
            "'1' waits for less than nothing pending [REG-4]");
}

TEST(RegistersProblem, Loops) {
  EXPECT_EQ(reason("registers 1\nloop L trips -2\nend"),
            "'L' makes -2 trips [REG-5]");
  EXPECT_EQ(reason("registers 1\nvalue i\nloop L counter i\nop 1 def i\nend"),
            "'1' writes 'i', the counter of 'L' [REG-5]; use another value");
  EXPECT_EQ(reason("registers 1\nvalue i\nloop L counter i\nloop M counter "
                   "i\nend\nend"),
            "'M' writes 'i', the counter of 'L' [REG-5]; use another value");
  RegisterProblem problem = readProblem("registers 1\nloop L\nend\n");
  problem.statements[0].counter = 3;
  EXPECT_EQ(reasonOf(problem),
            "'L' counts in a value that does not exist [REG-4]");
}

// Written by one way of an if, or by a loop that may make no trip.
TEST(RegistersProblem, ReadOfTheUndefined) {
  EXPECT_EQ(reason("registers 1\nvalue v\nop 1 use v\n"),
            "'1' reads 'v', which is not written on every path to it [REG-6]; "
            "write it before, on each path");
  EXPECT_EQ(reason("registers 1\nvalue v\nif c\nop 1 def v\nend\nop 2 use v\n"),
            "'2' reads 'v', which is not written on every path to it [REG-6]; "
            "write it before, on each path");
  EXPECT_EQ(reason("registers 1\nvalue v\nloop L\nop 1 def v\nend\nop 2 use v"),
            "'2' reads 'v', which is not written on every path to it [REG-6]; "
            "write it before, on each path");
  EXPECT_EQ(reason("registers 1\nvalue v\nloop L trips 1\nop 1 def v\nend\n"
                   "op 2 use v"),
            "");
  EXPECT_EQ(reason("registers 1\nvalue v\nif c\nop 1 def v\nelse\nop 2 def "
                   "v\nend\nop 3 use v\n"),
            "");
}

// The second trip's write meets the first trip's read.
TEST(RegistersProblem, WriteOfWhatIsInFlight) {
  const char *text = "registers 9\nqueue q\nvalue p\nloop L trips 2\nop 1 def "
                     "p\nop 2 on q late p\nend\n";
  EXPECT_EQ(reason(text), "'1' writes 'p' while queue 'q' may still read it "
                          "[REG-7]; wait for 'q' before, or write another "
                          "value");
  Refusal refusal;
  EXPECT_FALSE(planRegisters(readProblem(text), &refusal));
  std::string json;
  llvm::raw_string_ostream os(json);
  writeRefusalJson(os, refusal);
  EXPECT_EQ(json, R"({
  "rule": "REG-7",
  "message": "'1' writes 'p' while queue 'q' may still read it",
  "hint": "wait for 'q' before, or write another value"
}
)");
}
