//===- RefusalTest.cpp - what helpers and sequences are refused for -------===//

#include "tally/emit/routine/Commands.h"
#include "tally/emit/routine/Scalars.h"
#include "tally/emit/routine/TestHelpers.h"

#include <gtest/gtest.h>

using namespace tally;
using namespace tally::emit;

static std::string refusal(const machine::Machine &machine,
                           const Program &program) {
  std::string text = emitOn(machine, program).failure;
  size_t at = text.find("RefusalTest.cpp:");
  size_t end = text.find_first_not_of("0123456789", at + 16);
  return at == text.npos ? text : text.replace(at, end - at, "L");
}

TEST(RoutineRefusal, WhatTheMachineLacks) {
  machine::Machine machine = testMachine(4);
  EXPECT_EQ(refusal(machine, [](Scope &scope) { take(scope, 0, 1); }),
            "'take' is not for machine 'test': its synchronization registers "
            "are no tokens, recorded at L [ENC-MACHINE]");
  EXPECT_EQ(refusal(machine, [](Scope &scope) { fence(scope, 3, 0); }),
            "'fence' with queue 3: machine 'test' has 3, recorded at L "
            "[ENC-RANGE]");
  machine.sync.scalarThresholds = false;
  EXPECT_EQ(
      refusal(machine, [](Scope &scope) { waitReached(scope, 0, 1, 1024); }),
      "'wait.ge' with imm 1024: 0 to 1023 can be encoded, recorded at L "
      "[ENC-RANGE]");
  EXPECT_EQ(refusal(machine,
                    [](Scope &scope) {
                      Scratch a = constant(scope, 2, "a");
                      scope.routine().instruction(isa::Opcode::Mul, {a, a, a});
                    }),
            "'mul' is not for machine 'test': its subset rv32i has no "
            "multiplication, recorded at L [ENC-MACHINE]");
}

TEST(RoutineRefusal, BodiesThatDoNotKeepWhatTheyAreToKeep) {
  const StagedFields offset = {{0, uint32_t(isa::DmaField::SrcOffset)}};
  EXPECT_EQ(refusal(testMachine(4),
                    [&](Scope &scope) {
                      issue(scope, testCopy(0));
                      loop(scope, 2, "rows", offset,
                           [](Scope &body) { issue(body, testCopy(64)); });
                    }),
            "loop 'rows' does not keep field 6 of queue 0 [EMIT-9]; stage at "
            "the end of its body what it holds before the loop");
}

TEST(RoutineRefusal, WhatNoInstructionTakes) {
  machine::Machine machine = testMachine(4);
  auto instruction = [&](isa::Opcode opcode,
                         std::vector<Routine::Argument> operands) {
    return refusal(machine, [&](Scope &scope) {
      scope.routine().instruction(opcode, operands);
    });
  };
  const std::string hint = " [EMIT-5]; see the instruction's row in "
                           "docs/reference/isa.md";
  EXPECT_EQ(instruction(isa::Opcode::Beq, {}),
            "'beq@L': loop(), branch() and finish() make it" + hint);
  EXPECT_EQ(instruction(isa::Opcode::Addi, {Operand()}),
            "'addi@L': 1 operands; it takes 3" + hint);
  EXPECT_EQ(instruction(isa::Opcode::Addi, {Operand(), 5, 0}),
            "'addi@L': rs1 is a register" + hint);
  EXPECT_EQ(instruction(isa::Opcode::Addi, {Operand(), Operand(), Operand()}),
            "'addi@L': imm is a number" + hint);
  EXPECT_EQ(
      refusal(machine,
              [](Scope &scope) { loop(scope, -1, "rows", [](Scope &) {}); }),
      "loop 'rows' at L makes -1 trips; 0 to 2147483647 can be counted "
      "[EMIT-5]");
}

TEST(RoutineRefusal, CommandsThatAreNotAllowed) {
  EXPECT_EQ(refusal(testMachine(4),
                    [](Scope &scope) {
                      isa::Command command = testCopy(0);
                      ASSERT_TRUE(command.config.set(isa::DmaField::Size0, 0));
                      issue(scope, command);
                    }),
            "dma command 'copy': field 'size0' is 0; at least 1 is needed, "
            "issued at L [CMD-FIELD]");
  EXPECT_EQ(refusal(testMachine(4),
                    [](Scope &scope) {
                      isa::Command command = testCopy(0);
                      command.resultAddend = 4;
                      issue(scope, command);
                    }),
            "the command issued at L has addends of its own [EMIT-5]; give "
            "them to issue() as registers");
}

//===----------------------------------------------------------------------===//
// Sequences
//===----------------------------------------------------------------------===//

static std::vector<isa::Instruction> sequence() {
  return {{isa::Opcode::Addi, {5, 0, 9}}, {isa::Opcode::Sw, {5, 0, 8}}};
}

// The sequence destroys x5, so what lives across it is in another register.
TEST(RoutineRefusal, InlinedSequence) {
  Program program = [](Scope &scope) {
    Scratch kept = constant(scope, 7, "kept");
    scope.routine().inlined("nine", sequence(), 1 << 5);
    ContextWord(scope, {}, 0).store(kept);
  };
  EXPECT_EQ(emitOn(testMachine(8), program).trace.context,
            (std::map<uint32_t, uint32_t>{{0, 7}, {8, 9}}));
  std::string failure = emitOn(testMachine(1), program).failure;
  EXPECT_NE(failure.find("is clobbered by 'nine@"), std::string::npos)
      << failure;
}

TEST(RoutineRefusal, SequencesThatAreNotInlined) {
  auto with = [](std::vector<isa::Instruction> instructions,
                 uint32_t clobbers) {
    return refusal(testMachine(4), [&](Scope &scope) {
      scope.routine().inlined("s", instructions, clobbers);
    });
  };
  const std::string hint = " [EMIT-7]; declare all registers that it writes";
  EXPECT_EQ(with(sequence(), 1 << 6),
            "the sequence 's' at L destroys x5 by 'addi' and does not say so" +
                hint);
  EXPECT_EQ(with({{isa::Opcode::Addi, {5, 6, 9}}}, 1 << 5),
            "the sequence 's' at L reads x6, which it has not written" + hint);
  EXPECT_EQ(with({{isa::Opcode::Jal, {0, 8}}}, 0),
            "the sequence 's' at L has 'jal', and a sequence has no jumps" +
                hint);
  EXPECT_EQ(
      with({{isa::Opcode::Addi, {5, 0, 9}}, {isa::Opcode::Go, {0, 1, 5, 0}}},
           1 << 5),
      "the sequence 's' at L has 'go', which reads x5 late" + hint);
}
