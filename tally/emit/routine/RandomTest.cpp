//===- RandomTest.cpp - random routines, modes and faults -----------------===//

#include "tally/emit/routine/TestProcessor.h"
#include "tally/emit/routine/TestRoutines.h"
#include "tally/emit/routine/Verifier.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace tally;
using namespace tally::emit;

static Result<Code> emitRandom(unsigned seed, const machine::Machine &machine,
                               size_t statements, RoutineOptions options = {}) {
  Routine routine(machine, options);
  recordRandom(routine, seed, statements);
  return routine.finish();
}

// A plan is found or refused by name, whatever the routine; what it does is the
// same in every mode and does not depend on what registers held before.
TEST(RoutineRandom, ModesDoTheSame) {
  machine::Machine machine = testMachine(8);
  size_t planned = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    Result<Code> code = emitRandom(seed, machine, 30);
    if (!code) {
      ASSERT_EQ(code.error().rule, "REG-8") << code.error().str();
      continue;
    }
    ++planned;
    Trace trace = run(code->instructions(), machine);
    ASSERT_EQ(trace.fault, "") << seed << "\n" << toText(*code);
    for (const RoutineOptions &options :
         {RoutineOptions{.longPaths = true}, RoutineOptions{.seed = seed},
          RoutineOptions{.seed = seed, .poison = true},
          RoutineOptions{.minimalPool = true, .poison = true}}) {
      Result<Code> other = emitRandom(seed, machine, 30, options);
      ASSERT_TRUE(other) << seed << ": " << other.error().str();
      ASSERT_EQ(run(other->instructions(), machine, 12345), trace)
          << seed << "\n"
          << toText(*other);
    }
  }
  EXPECT_GE(planned, 150u);
}

// 1,000 choices of registers for one routine: the same memory and commands.
TEST(RoutineRandom, ThousandSeedsOfRegisterChoice) {
  machine::Machine machine = testMachine(8);
  constexpr unsigned kRoutine = 3;
  Result<Code> code = emitRandom(kRoutine, machine, 40);
  ASSERT_TRUE(code) << code.error().str();
  Trace trace = run(code->instructions(), machine);
  ASSERT_EQ(trace.fault, "");
  ASSERT_GE(trace.entries.size(), 2u);
  ASSERT_GE(trace.context.size(), 4u);
  std::vector<std::vector<int64_t>> all;
  for (uint32_t seed = 0; seed < 1000; ++seed) {
    Result<Code> other = emitRandom(kRoutine, machine, 40, {.seed = seed});
    ASSERT_TRUE(other) << other.error().str();
    ASSERT_EQ(run(other->instructions(), machine, seed), trace) << seed;
    std::vector<int64_t> &choice = all.emplace_back();
    for (const CodeLine &line : other->lines)
      if (line.rd)
        choice.push_back(line.instruction.operands[0]);
  }
  std::ranges::sort(all);
  EXPECT_GE(std::unique(all.begin(), all.end()) - all.begin(), 900);
}

// With the smallest pool for which there is a plan, one register fewer is
// refused.
TEST(RoutineRandom, MinimalPoolIsMinimal) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    Result<Code> least =
        emitRandom(seed, testMachine(8), 20, {.minimalPool = true});
    if (!least)
      continue;
    // A register that is only reserved is never written.
    int64_t scratch = 1;
    while (!emitRandom(seed, testMachine(scratch), 20))
      ++scratch;
    ASSERT_GE(scratch, least->scratchUsed) << seed;
    for (const CodeLine &line : least->lines)
      if (line.rd)
        ASSERT_LT(line.instruction.operands[0], 5 + scratch) << seed;
  }
}

namespace {
struct Verdicts {
  size_t flagged = 0, dead = 0;
};
} // namespace

/// One register operand of one line, with every other scratch register in it.
static void mutate(const Code &code, size_t line, size_t operand,
                   const machine::Machine &machine, const Trace &trace,
                   Verdicts &verdicts) {
  Code mutant = code;
  int64_t &place = mutant.lines[line].instruction.operands[operand];
  int64_t original = place;
  for (uint32_t reg : machine.processor.scratch) {
    if (reg == original)
      continue;
    place = reg;
    if (!findViolation(mutant, machine).empty()) {
      ++verdicts.flagged;
      continue;
    }
    ++verdicts.dead;
    for (uint32_t garbage : {0xdeadbeefu, 17u})
      ASSERT_EQ(run(mutant.instructions(), machine, garbage), trace)
          << "line " << line << ", x" << reg << "\n"
          << toText(mutant);
  }
}

TEST(RoutineRandom, EveryMutationIsFlaggedOrDead) {
  machine::Machine machine = testMachine(5);
  Verdicts verdicts;
  for (unsigned seed = 0; seed < 40; ++seed) {
    Result<Code> code = emitRandom(seed, machine, 15);
    if (!code)
      continue;
    Trace trace = run(code->instructions(), machine);
    for (size_t line = 0; line < code->lines.size(); ++line) {
      auto operands = code->lines[line].instruction.info().operands();
      for (size_t at = 0; at < operands.size(); ++at) {
        bool isRegister = operands[at].kind == isa::OperandKind::Rd ||
                          operands[at].kind == isa::OperandKind::Rs1 ||
                          operands[at].kind == isa::OperandKind::Rs2;
        if (isRegister && code->lines[line].instruction.operands[at] != 0)
          mutate(*code, line, at, machine, trace, verdicts);
        ASSERT_FALSE(HasFatalFailure()) << seed;
      }
    }
  }
  EXPECT_GE(verdicts.flagged, 3000u);
  EXPECT_GE(verdicts.dead, 50u);
  RecordProperty("flagged", static_cast<int>(verdicts.flagged));
  RecordProperty("dead", static_cast<int>(verdicts.dead));
}

// Every fence that a late operand needs: taken out, the verifier sees it.
TEST(RoutineRandom, EveryFenceThatMattersIsMissed) {
  machine::Machine machine = testMachine(4);
  size_t missed = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    Result<Code> code = emitRandom(seed, machine, 25);
    if (!code)
      continue;
    for (size_t line = 0; line < code->lines.size(); ++line) {
      isa::Opcode opcode = code->lines[line].instruction.opcode;
      if (opcode != isa::Opcode::Fence && opcode != isa::Opcode::FenceQueue)
        continue;
      Code mutant = *code;
      // Nothing instead, so that jumps keep their distance.
      mutant.lines[line].instruction = {isa::Opcode::Addi, {0, 0, 0}};
      if (findViolation(mutant, machine).empty())
        ASSERT_EQ(run(mutant.instructions(), machine).fault, "") << seed;
      else
        ++missed;
    }
  }
  EXPECT_GE(missed, 50u);
}
