//===- VerifierTest.cpp - the verifier sees through wrong code ------------===//
//
// Code is written by hand, or planned code is spoilt by hand.
//
//===----------------------------------------------------------------------===//

#include "tally/emit/routine/Verifier.h"
#include "tally/emit/routine/Scalars.h"
#include "tally/emit/routine/TestProcessor.h"

#include <gtest/gtest.h>

using namespace tally;
using namespace tally::emit;
using isa::Opcode;

namespace {
/// Writes code line by line. Values are letters.
struct Hand {
  Code code;

  static std::optional<Tag> tag(char value) {
    if (value == '-')
      return std::nullopt;
    return Tag{uint32_t(value - 'a'), 0};
  }
  /// A line with the values of its rd, rs1 and rs2, '-' for none.
  Hand &operator()(Opcode opcode, std::array<int64_t, 4> operands,
                   const char *values = "---") {
    std::string name = std::string(isa::infoOf(opcode).mnemonic) + "#" +
                       std::to_string(code.lines.size());
    code.lines.push_back({{opcode, operands},
                          tag(values[1]),
                          tag(values[2]),
                          tag(values[0]),
                          name});
    return *this;
  }
  Hand &set(int64_t reg, char value) {
    return (*this)(Opcode::Addi, {reg, 0, 1},
                   std::string{value, '-', '-'}.c_str());
  }
  Hand &store(int64_t reg, char value) {
    return (*this)(Opcode::Sw, {reg, 0, 0},
                   std::string{'-', '-', value}.c_str());
  }
  /// A copy of the DMA queue that reads x[reg] late.
  Hand &go(int64_t queue, int64_t reg, char value) {
    return (*this)(Opcode::Go, {queue, queue == 0 ? 1 : 64, reg, 0},
                   std::string{'-', value, '-'}.c_str());
  }
  std::string violation(size_t scratch = 4, bool latches = false) {
    for (char value = 'a'; value <= 'f'; ++value)
      code.names.push_back({*tag(value), std::string(1, value), "hand"});
    (*this)(Opcode::Ecall, {});
    machine::Machine machine = testMachine(scratch);
    machine.latchesOperands = latches;
    return findViolation(code, machine);
  }
};
} // namespace

TEST(RoutineVerifier, ValueThatIsThere) {
  EXPECT_EQ(
      Hand().set(5, 'a').set(6, 'b').store(5, 'a').store(6, 'b').violation(),
      "");
}

TEST(RoutineVerifier, ValueThatWasOverwritten) {
  EXPECT_EQ(Hand().set(5, 'a').set(5, 'b').store(5, 'a').violation(),
            "VER-1: line 2 'sw#2' reads 'a (hand)' in x5, which holds 'b "
            "(hand)' since line 1 'addi#1'");
}

TEST(RoutineVerifier, NothingAtTheStart) {
  EXPECT_EQ(Hand().store(5, 'a').violation(),
            "VER-1: line 0 'sw#0' reads 'a (hand)' in x5, which holds nothing");
}

// After a move both registers hold a; a new a is in one of them alone.
TEST(RoutineVerifier, MovesAndCopiesOutOfDate) {
  Hand moved;
  moved.set(5, 'a')(Opcode::Addi, {6, 5, 0}, "aa-").store(5, 'a').store(6, 'a');
  EXPECT_EQ(moved.violation(), "");
  Hand stale;
  stale.set(5, 'a')(Opcode::Addi, {6, 5, 0}, "aa-").set(6, 'a').store(5, 'a');
  EXPECT_EQ(stale.violation(),
            "VER-1: line 3 'sw#3' reads 'a (hand)' in x5, which holds nothing "
            "since line 2 'addi#2'");
}

// The counter a is in x5. In the first trip b is written after the last read of
// a; the second trip finds b.
TEST(RoutineVerifier, BodyWantsTheRegisterOfTheCounter) {
  Hand hand;
  hand.set(5, 'a').store(5, 'a').set(5, 'b').store(5, 'b');
  hand(Opcode::Jal, {0, -12});
  EXPECT_EQ(
      hand.violation(),
      "VER-1: line 1 'sw#1' reads 'a (hand)' in x5, which holds 'a "
      "(hand)' since line 0 'addi#0' on one path, 'b (hand)' since line 2 "
      "'addi#2' on another; from the second trip of a loop on");
}

// The branch jumps over the write of a.
TEST(RoutineVerifier, BranchOverADefinition) {
  Hand hand;
  hand.set(6, 'c')(Opcode::Beq, {6, 0, 8}, "-c-").set(5, 'a').store(5, 'a');
  EXPECT_EQ(hand.violation(),
            "VER-1: line 3 'sw#3' reads 'a (hand)' in x5, which holds nothing "
            "on one path, 'a (hand)' since line 2 'addi#2' on another");
}

// a is saved, x5 lent to b, a restored; the branch leaves before that.
TEST(RoutineVerifier, JumpOutOfAGuardMissesTheRestore) {
  Hand hand;
  hand.set(5, 'a').store(5, 'a').set(5, 'b');
  hand(Opcode::Beq, {5, 0, 8}, "-b-");
  hand(Opcode::Lw, {5, 0, 0}, "a--").store(5, 'a');
  EXPECT_EQ(
      hand.violation(),
      "VER-1: line 5 'sw#5' reads 'a (hand)' in x5, which holds 'b "
      "(hand)' since line 2 'addi#2' on one path, 'a (hand)' since line 4 "
      "'lw#4' on another");
}

TEST(RoutineVerifier, WriteUnderALateRead) {
  EXPECT_EQ(Hand().set(5, 'a').go(0, 5, 'a').set(5, 'b').violation(),
            "VER-2: line 2 'addi#2' writes x5 while queue 'dma' may still read "
            "it for line 1 'go#1'");
  EXPECT_EQ(Hand().set(5, 'a').go(0, 5, 'a').set(5, 'b').violation(4, true),
            "");
  Hand fenced;
  fenced.set(5, 'a').go(0, 5, 'a')(Opcode::FenceQueue, {0, 0}).set(5, 'b');
  EXPECT_EQ(fenced.violation(), "");
}

TEST(RoutineVerifier, FenceOfTheOtherQueue) {
  Hand hand;
  hand.set(5, 'a').go(0, 5, 'a').go(2, 5, 'a');
  hand(Opcode::FenceQueue, {0, 0}).set(5, 'b');
  EXPECT_EQ(hand.violation(),
            "VER-2: line 4 'addi#4' writes x5 while queue 'vector' may still "
            "read it for line 2 'go#2'");
}

// One entry came behind: a fence that lets one pass covers, two do not.
TEST(RoutineVerifier, FencesThatLetEntriesPass) {
  for (int64_t pending : {1, 2}) {
    Hand hand;
    hand.set(5, 'a').go(0, 5, 'a')(Opcode::Signal, {0, 0});
    hand(Opcode::FenceQueue, {0, pending}).set(5, 'b');
    EXPECT_EQ(hand.violation().empty(), pending == 1);
  }
}

// The write is right in the first trip; the second meets the read of the first.
TEST(RoutineVerifier, LateReadAroundABackEdge) {
  Hand hand;
  hand.set(5, 'a').go(0, 5, 'a')(Opcode::Jal, {0, -8});
  EXPECT_EQ(hand.violation(),
            "VER-2: line 0 'addi#0' writes x5 while queue 'dma' may still read "
            "it for line 1 'go#1'; from the second trip of a loop on");
}

// A threshold in a register is read late, too.
TEST(RoutineVerifier, LateThreshold) {
  Hand hand;
  hand.set(5, 'a')(Opcode::WaitGeR, {1, 0, 5}, "-a-").set(5, 'b');
  EXPECT_EQ(hand.violation(),
            "VER-2: line 2 'addi#2' writes x5 while queue 'matrix' may still "
            "read it for line 1 'wait.ge.r#1'");
}

TEST(RoutineVerifier, OtherRegistersAndJumps) {
  EXPECT_EQ(Hand().set(9, 'a').violation(4),
            "VER-3: line 0 'addi#0' writes x9, which is no scratch register");
  Hand out;
  out(Opcode::Jal, {0, 400});
  EXPECT_EQ(out.violation(), "VER-4: line 0 'jal#0' jumps out of the code");
  EXPECT_EQ(findViolation(Code(), testMachine(4)),
            "VER-4: the code does not end");
}

//===----------------------------------------------------------------------===//
// Planned code, spoilt
//===----------------------------------------------------------------------===//

/// Three trips; the body has a value of its own.
static Code plannedLoop(const machine::Machine &machine) {
  Routine routine(machine);
  {
    Scope scope(routine, "scope");
    loop(scope, 3, "rows", [](Scope &body) {
      Scratch word = body.borrow("word");
      ContextWord(body, {}, 0).load(word);
      addConstant(body, word, word, 1);
      ContextWord(body, {}, 0).store(word);
    });
  }
  Result<Code> code = routine.finish();
  EXPECT_TRUE(code) << (code ? "" : code.error().str());
  return *code;
}

// The plan keeps counter and word apart; the forced clash is found in trip 2.
TEST(RoutineVerifier, ForcedClashWithTheCounter) {
  machine::Machine machine = testMachine(4);
  Code code = plannedLoop(machine);
  // 1000 + 0 at first, and three trips add one each.
  EXPECT_EQ(run(code.instructions(), machine).context.at(0), 1003u);
  int64_t counter = code.lines.front().instruction.operands[0];
  for (CodeLine &line : code.lines) {
    if (line.origin.starts_with("lw"))
      line.instruction.operands[0] = counter;
    if (line.origin.starts_with("sw"))
      line.instruction.operands[0] = counter;
  }
  std::string violation = findViolation(code, machine);
  EXPECT_NE(violation.find("VER-1"), std::string::npos) << violation;
}

// The sequence says that it destroys x5; what it leaves has no name.
TEST(RoutineVerifier, SequenceThatDestroysMoreThanItSays) {
  Hand hand;
  hand.set(5, 'a')(Opcode::Lui, {5, 7}).store(5, 'a');
  EXPECT_EQ(hand.violation(),
            "VER-1: line 2 'sw#2' reads 'a (hand)' in x5, which holds nothing "
            "since line 1 'lui#1'");
}
