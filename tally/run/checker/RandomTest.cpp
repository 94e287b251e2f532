//===- RandomTest.cpp - random small programs against all executions ------===//
//
// Whatever the checker accepts must be right in every execution. What it
// rejects though all executions are right is counted, and must be rare or of a
// kind that the documentation names.
//
//===----------------------------------------------------------------------===//

#include "tally/emit/encode/Random.h"
#include "tally/machine/ShippedMachines.h"
#include "tally/run/checker/Checker.h"
#include "tally/run/checker/TestBuilder.h"
#include "tally/run/checker/TestOracle.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

using namespace tally;
using namespace tally::checker;
using machine::SyncKind;

namespace {
/// Small programs on three vector queues and a few bytes of SRAM.
class Drawing {
public:
  explicit Drawing(uint32_t seed) : random(seed) {}
  Subject draw();

private:
  int64_t below(int64_t n) { return int64_t(random() % uint64_t(n)); }
  bool chance(int percent) { return below(100) < percent; }
  machine::Machine drawMachine();
  void statement(Builder &b);
  void command(Builder &b);
  void wait(Builder &b);
  void cleanUp(Builder &b);

  std::mt19937 random;
  int64_t queues = 2, registers = 2;
  std::vector<int64_t> signalled;
};
} // namespace

machine::Machine Drawing::drawMachine() {
  queues = 2 + below(2);
  machine::Machine machine = testMachine(uint32_t(queues), 1 + below(4));
  machine.sync.count = registers = 1 + below(3);
  machine.sync.bits = chance(30) ? 2 : 8;
  machine.sync.kind = SyncKind(below(3));
  if (chance(30))
    machine.sync.compare = machine::SyncCompare::Modular;
  if (chance(20))
    machine.engines[0].inOrder = false;
  machine.latchesOperands = chance(20);
  machine.sram.bytes = 16;
  return machine;
}

void Drawing::command(Builder &b) {
  int64_t slots = 4;
  int64_t from = below(slots), to = (from + 1 + below(slots - 1)) % slots;
  if (chance(15)) {
    int64_t reg = 5 + below(2);
    b.li(reg, 4 * below(2));
    b.copy(below(queues), sram(4 * (from % 3)), sram(4 * to), 4, reg);
    return;
  }
  b.copy(below(queues), sram(4 * from), sram(4 * to + (chance(10) ? 1 : 0)),
         chance(20) ? 2 : 3);
}

void Drawing::wait(Builder &b) {
  int64_t queue = below(queues), reg = below(registers);
  SyncKind kind = b.subject.machine.sync.kind;
  if (kind == SyncKind::Token)
    b.take(queue, reg);
  else if (kind == SyncKind::Flag)
    chance(70) ? b.test(queue, reg) : b.clear(queue, reg);
  else if (chance(20))
    b.op(isa::Opcode::WaitRel, {queue, reg, below(2)});
  else if (chance(20))
    b.li(7, std::max<int64_t>(signalled[reg] - below(2), 0))
        .op(isa::Opcode::WaitGeR, {queue, reg, 7});
  else
    b.wait(queue, reg, std::max<int64_t>(signalled[reg] - below(2), 0));
}

void Drawing::statement(Builder &b) {
  int64_t what = below(100);
  if (what < 40)
    return command(b);
  if (what < 65) {
    int64_t reg = below(registers);
    ++signalled[reg];
    b.signal(below(queues), reg);
    return;
  }
  if (what < 90)
    return wait(b);
  if (what < 94) {
    b.fence(below(queues), below(2));
    return;
  }
  int64_t reg = below(registers);
  if (chance(50))
    b.fence();
  b.reset(reg);
  signalled[reg] = 0;
}

void Drawing::cleanUp(Builder &b) {
  b.fence();
  for (int64_t reg = 0; reg < registers; ++reg)
    b.reset(reg);
  b.end();
}

Subject Drawing::draw() {
  Builder b(drawMachine());
  signalled.assign(registers, 0);
  b.size(isa::kConstantsRegion, 16);
  int64_t dma = queues;
  b.copy(dma, {0, 0}, sram(0), 16).fence();
  for (int64_t i = 3 + below(7); i > 0; --i)
    statement(b);
  cleanUp(b);
  return b.subject;
}

static std::string printed(const Subject &subject) {
  std::string text =
      subject.machine.engines[0].inOrder ? "in order\n" : "any order\n";
  for (const isa::Instruction &instruction : subject.text) {
    text += instruction.info().mnemonic;
    for (size_t i = 0; i < instruction.info().operands().size(); ++i)
      text += " " + std::to_string(instruction.operands[i]);
    text += "\n";
  }
  return text;
}

static bool isRightWithDeepQueues(Subject subject) {
  for (machine::Engine &engine : subject.machine.engines)
    engine.depth = 64;
  return exploreAll(subject).harm.empty();
}

/// Programs are other ones with --gtest_random_seed.
static uint32_t firstSeed() {
  return uint32_t(::testing::UnitTest::GetInstance()->random_seed()) * 1000000;
}

TEST(Random, acceptedProgramsAreRightInEveryExecution) {
  constexpr uint32_t kPrograms = 12000;
  uint32_t accepted = 0, right = 0;
  std::map<Rule, uint32_t> cautious;
  for (uint32_t i = 0; i < kPrograms; ++i) {
    uint32_t seed = firstSeed() + i;
    Subject subject = Drawing(seed).draw();
    Exploration truth = exploreAll(subject);
    Result<Verdict> verdict = check(subject);
    ASSERT_TRUE(verdict) << verdict.error().str();
    ASSERT_NE(truth.harm, "?");
    ASSERT_FALSE(verdict->isAccepted && !truth.harm.empty())
        << "seed " << seed << ": accepted, but " << truth.harm << "\n"
        << printed(subject);
    right += truth.harm.empty();
    accepted += verdict->isAccepted;
    if (truth.harm.empty() && !verdict->isAccepted)
      // Order by full queues is not used on purpose.
      cautious[verdict->rule] += isRightWithDeepQueues(subject);
  }
  EXPECT_GT(accepted, kPrograms / 5);
  EXPECT_GT(kPrograms - right, kPrograms / 5);
  // Laws of registers may be kept for no need; a race or a hang is one.
  EXPECT_LE(cautious[Rule::Race], kPrograms / 1000);
  EXPECT_LE(cautious[Rule::Late], kPrograms / 100); // written with its value
  EXPECT_EQ(cautious[Rule::Deadlock], 0u);
  EXPECT_EQ(cautious[Rule::Residue], 0u);
  EXPECT_EQ(cautious[Rule::Initialised], 0u);
}

/// Whatever the instructions are, there is a verdict.
TEST(Random, anyInstructionsAreJudged) {
  std::mt19937_64 random(firstSeed());
  std::set<Rule> broken;
  for (const machine::ShippedMachine &shipped : machine::shippedMachines()) {
    machine::Machine machine = *machine::findMachine(std::string(shipped.name));
    for (int i = 0; i < 1000; ++i) {
      Builder b(machine);
      b.size(isa::kConstantsRegion, 64).size(isa::kArenaRegion, 4096);
      b.size(isa::kContextRegion, 64);
      for (int64_t reg = 1; reg < machine.processor.registers(); ++reg)
        b.li(reg, 4 * reg);
      for (uint64_t count = 1 + random() % 12; count > 0; --count) {
        isa::Instruction next = isa::randomInstruction(random, machine);
        bool isJump = next.info().format == isa::Format::Jump ||
                      next.info().format == isa::Format::Branch;
        // Anything far away ends the program; near is more telling.
        if (isJump)
          next.operands[*next.info().find(isa::OperandKind::Offset)] =
              4 * (int64_t(random() % 9) - 4);
        b.subject.text.push_back(next);
      }
      b.end();
      Result<Verdict> verdict =
          check(b.subject, {.limits = {.instructions = 10000, .events = 1000}});
      ASSERT_TRUE(verdict) << verdict.error().str();
      if (!verdict->isAccepted)
        broken.insert(verdict->rule);
    }
  }
  EXPECT_GE(broken.size(), 7u);
}
