//===- ControlRulesTest.cpp - CHK-1 to CHK-6, each broken -----------------===//

#include "tally/run/checker/TestVerdicts.h"

#include <gtest/gtest.h>

using namespace tally;
using namespace tally::checker;
using machine::Machine;

TEST(Rules, AcceptedProgram) {
  EXPECT_EQ(judged(kCopies + R"(
  go load0, copy, x0, x0
  signal load0, s0
  wait.ge vector, s0, 1
  go vector, copy, x0, x0
  signal vector, s1
  wait.ge store, s1, 1
  go store, copy, x0, x0
  fence.all
  reset s0
  reset s1
  ecall
)"),
            "x.s: accepted: 1 execution, 3 commands among 7 queue entries, 24 "
            "instructions\n");
}

TEST(Rules, ControlEnds) {
  EXPECT_EQ(judged(R"(
.text
again:
  jal x0, again
)",
                   edge(), {.limits = {.instructions = 1000}}),
            "x.s: rejected: the program does not end within 1000 instructions "
            "[CHK-1]\n"
            "  at 'jal x0, 0' at 0x0 (x.s:4)\n");
  EXPECT_EQ(
      judged(".text\n  ebreak\n"),
      "x.s: rejected: the program ends at ebreak, which means failure [CHK-1]\n"
      "  at 'ebreak' at 0x0 (x.s:2)\n");
  EXPECT_EQ(
      judged(".text\n  addi x5, x0, 1\n"),
      "x.s: rejected: control leaves the text behind this instruction [CHK-1]\n"
      "  at 'addi x5, x0, 1' at 0x0 (x.s:2)\n"
      "  end the program with ecall\n");
  EXPECT_EQ(judged(".text\n  jal x0, 2\n  ecall\n"),
            "x.s: rejected: control goes between two instructions [CHK-1]\n"
            "  at 'jal x0, 2' at 0x0 (x.s:2)\n");
  EXPECT_EQ(judged(".text\n  signal vector, s0\n  signal vector, s0\n  ecall\n",
                   edge(), {.limits = {.events = 1}}),
            "x.s: rejected: the program has more than 1 queue entries, which "
            "the checker does not follow [CHK-1]\n"
            "  at 'signal vector, s0' at 0x4 (x.s:3)\n");
}

TEST(Rules, ScalarsAreDefined) {
  // Defined on the path that is not taken.
  EXPECT_EQ(judged(R"(
.context
n: .word 0
.scalar n 0, 0, 1
.text
.node "loop head"
  lw x5, 0(x0)
  bne x5, x0, .Luse
  addi x6, x0, 1
.Luse:
  addi x6, x6, 1
  ecall
)"),
            "x.s: rejected: x6 is read before anything wrote it [CHK-2]\n"
            "  at 'addi x6, x6, 1' at 0xc (x.s:11), node 'loop head'\n"
            "  with 'n' = 1\n");
}

TEST(Rules, ControlIsIndependentOfData) {
  EXPECT_EQ(
      judged(R"(
.context
n: .word 0
.text
  lw x5, 0(x0)
  ecall
)"),
      "x.s: rejected: word 0 of the context is no run-time scalar and was not "
      "stored by the program, so control would depend on data [CHK-3]\n"
      "  at 'lw x5, 0(x0)' at 0x0 (x.s:5)\n"
      "  declare it with its range\n");
  EXPECT_EQ(judged(R"(
.context
n: .word 0
.scalar n 0, 0, 1
.text
  lw x5, 0(x0)
  addi x5, x5, 1
  sw x5, 0(x0)
  ecall
)"),
            "x.s: rejected: the store leaves 2 in 'n', whose range is 0 to 1 "
            "[CHK-3]\n"
            "  at 'sw x5, 0(x0)' at 0x8 (x.s:8)\n"
            "  with 'n' = 1\n");
  EXPECT_EQ(
      judged(R"(
.context
  .zero 32
.scalar n 16, 0, 0
)" + kCopies +
             R"(
  go load0, copy, x0, x0
  fence.all
  cfg.i store, src.offset, 0
  cfg.i store, dst.space, 2
  cfg.i store, dst.offset, 8
.node "keep state"
  go store, copy, x0, x0
  ecall
)"),
      "x.s: rejected: the command writes word 16 of the context, which control "
      "depends on [CHK-3]\n"
      "  at 'go store, copy, x0, x0' at 0x48 (x.s:29), node 'keep state'\n"
      "  with 'n' = 0\n");
}

TEST(Rules, CommandsAreExecutable) {
  EXPECT_EQ(judged(".text\n  cfg.i vector, a.space, 7\n"
                   "  go vector, copy, x0, x0\n  ecall\n"),
            "x.s: rejected: vector command 'copy': 'a' is in region 7, which "
            "the engine does not reach there [CMD-SPACE] [CHK-4]\n"
            "  at 'go vector, copy, x0, x0' at 0x4 (x.s:3)\n");
  EXPECT_EQ(judged(".text\n  addi x5, x0, -1\n  cfg.r load0, size3, x5\n"
                   "  ecall\n"),
            "x.s: rejected: field 'size3' of a dma engine takes 0 to 16777215, "
            "not 4294967295 [CHK-4]\n"
            "  at 'cfg.r load0, size3, x5' at 0x4 (x.s:3)\n");
  Subject subject = assembled(".text\n  signal vector, s2\n  ecall\n", edge());
  subject.machine.sync.reserved = {2};
  EXPECT_EQ(check(subject)->rule, Rule::Command);
  EXPECT_EQ(check(subject)->message,
            "'signal' with sync 2: machine 'edge' reserves it [ENC-RANGE]");
}

TEST(Rules, AccessesLieInside) {
  EXPECT_EQ(judged(kCopies + R"(
.node fetch
  cfg.i load0, src.offset, 56
  go load0, copy, x0, x0
  ecall
)"),
            "x.s: rejected: operand src touches bytes 56 to 72 of region 'in', "
            "which has 64 [CHK-5]\n"
            "  at 'go load0, copy, x0, x0' at 0x38 (x.s:21), node 'fetch'\n");
  EXPECT_EQ(judged(kCopies + R"(
  cfg.i store, dst.space, 3
  go store, copy, x0, x0
  ecall
)"),
            "x.s: rejected: operand dst writes region 'in', which is read only "
            "[CHK-5]\n"
            "  at 'go store, copy, x0, x0' at 0x38 (x.s:20)\n");
  EXPECT_EQ(judged(kCopies + R"(
  cfg.i store, dst.space, 5
  go store, copy, x0, x0
  ecall
)"),
            "x.s: rejected: operand dst lies in space 5, which the program "
            "does not have [CHK-5]\n"
            "  at 'go store, copy, x0, x0' at 0x38 (x.s:20)\n");
  EXPECT_EQ(judged(".text\n  sw x0, 4(x0)\n  ecall\n"),
            "x.s: rejected: the store to word 4 is not a word of the context, "
            "which has 0 bytes [CHK-5]\n"
            "  at 'sw x0, 4(x0)' at 0x0 (x.s:2)\n");
}

TEST(Rules, RegionsFit) {
  EXPECT_EQ(
      judged(".arena 4096, 64\n.text\n  ecall\n", edge(), {.budget = 4095}),
      "x.s: rejected: region 'arena' is an arena of 4096 bytes, the budget is "
      "4095 [CHK-6]\n"
      "  compile for this budget\n");
  Machine machine = edge();
  machine.global.windows = {{0, 4096}, {8192, 9216}};
  EXPECT_EQ(judged(".arena 3072, 64\n.input a i8 1024\n.input b i8 1088\n"
                   ".text\n  ecall\n",
                   machine),
            "x.s: rejected: region 'b' of 1088 bytes finds no place in the "
            "windows of global memory beside the larger ones [CHK-6]\n"
            "  a region lies whole in one window\n");
  EXPECT_EQ(judged(".arena 3072, 64\n.input a i8 1024\n.input b i8 1024\n"
                   ".text\n  ecall\n",
                   machine),
            "x.s: accepted: 1 execution, 0 commands among 0 queue entries, 1 "
            "instructions\n");
}

TEST(Rules, WhatIsNotJudged) {
  std::string text = R"(
.context
n: .word 0
.scalar n 0, 0, 65536
.text
  ecall
)";
  EXPECT_EQ(judged(text),
            "the run-time scalars have more than 65536 combinations of values "
            "[CHECK-1]; declare smaller ranges");
  EXPECT_EQ(judged(text, edge(), {.limits = {.combinations = 65537}}),
            "x.s: accepted: 65537 executions, 0 commands among 0 queue "
            "entries, 65537 instructions\n");
  Subject subject = assembled(text, edge());
  subject.scalars[0].offset = 4;
  EXPECT_EQ(check(subject).error().str(),
            "run-time scalar 'n' at 4 is no word of the context [CHECK-2]");
  subject.scalars[0] = {"n", 0, 1, 0};
  EXPECT_EQ(
      check(subject).error().str(),
      "run-time scalar 'n' from 1 to 0 has no value of 32 bits [CHECK-2]");
}

/// x5 = 100 and x6 = -3; the result is stored into a word that may hold nothing
/// but what is expected.
static std::string verdictOnResult(const std::string &instruction,
                                   int32_t expected) {
  std::string value = std::to_string(expected);
  return judged(".context\n  .zero 4\n.scalar r 0, " + value + ", " + value +
                "\n.text\n  addi x5, x0, 100\n  addi x6, x0, -3\n  " +
                instruction + "\n  sw x7, 0(x0)\n  ecall\n");
}

TEST(Rules, ScalarInstructionsCompute) {
  const std::pair<const char *, int32_t> cases[] = {
      {"lui x7, 5", 5 << 12},
      {"addi x7, x5, -12", 88},
      {"slti x7, x6, -2", 1},
      {"slti x7, x6, -3", 0},
      {"sltiu x7, x5, -1", 1},
      {"sltiu x7, x6, 5", 0},
      {"xori x7, x5, -1", ~100},
      {"ori x7, x5, 3", 103},
      {"andi x7, x5, 60", 36},
      {"slli x7, x5, 4", 1600},
      {"srli x7, x6, 28", 15},
      {"srai x7, x6, 1", -2},
      {"add x7, x5, x6", 97},
      {"sub x7, x5, x6", 103},
      {"sll x7, x6, x5", -3 * 16},
      {"slt x7, x6, x5", 1},
      {"sltu x7, x6, x5", 0},
      {"xor x7, x5, x6", 100 ^ -3},
      {"srl x7, x6, x5", 0x0fffffff},
      {"sra x7, x6, x5", -1},
      {"or x7, x5, x6", 100 | -3},
      {"and x7, x5, x6", 100 & -3},
      {"jal x7, 4", 12},
  };
  for (auto [instruction, expected] : cases) {
    EXPECT_NE(verdictOnResult(instruction, expected).find("accepted"),
              std::string::npos)
        << instruction << ": " << verdictOnResult(instruction, expected);
    EXPECT_NE(verdictOnResult(instruction, expected + 1).find("CHK-3"),
              std::string::npos)
        << instruction;
  }
}

TEST(Rules, BranchesAreTaken) {
  // x7 = 1 where the branch is taken, else 0.
  const std::pair<const char *, int32_t> cases[] = {
      {"beq x5, x6", 0},  {"beq x5, x5", 1},  {"bne x5, x6", 1},
      {"bne x6, x6", 0},  {"blt x6, x5", 1},  {"blt x5, x6", 0},
      {"bge x5, x6", 1},  {"bge x6, x5", 0},  {"bge x5, x5", 1},
      {"bltu x5, x6", 1}, {"bltu x6, x5", 0}, {"bgeu x6, x5", 1},
      {"bgeu x5, x6", 0},
  };
  for (auto [branch, taken] : cases) {
    std::string text =
        "addi x7, x0, 1\n  " + std::string(branch) + ", 8\n  addi x7, x0, 0";
    EXPECT_NE(verdictOnResult(text, taken).find("accepted"), std::string::npos)
        << branch << ": " << verdictOnResult(text, taken);
  }
}
