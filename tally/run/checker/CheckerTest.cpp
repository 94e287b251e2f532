//===- CheckerTest.cpp - what is accepted and what is not -----------------===//

#include "tally/run/checker/Checker.h"
#include "tally/run/checker/TestOracle.h"
#include "tally/run/checker/TestPrograms.h"

#include <gtest/gtest.h>

using namespace tally;
using namespace tally::checker;

/// "accepted", or the code of the rule.
static std::string judge(const Subject &subject) {
  Result<Verdict> verdict = check(subject);
  if (!verdict)
    return verdict.error().str();
  return verdict->isAccepted ? "accepted"
                             : std::string(infoOf(verdict->rule).code);
}

TEST(Checker, copyThroughTwoQueues) {
  Builder b(testMachine(2));
  b.size(isa::kConstantsRegion, 16);
  b.copy(2, {0, 0}, sram(0), 8).signal(2, 0);
  b.wait(0, 0, 1).copy(0, sram(0), sram(16), 8);
  b.fence().reset(0).end();
  EXPECT_EQ(judge(b.subject), "accepted");
  Subject withoutWait = b.subject;
  for (isa::Instruction &instruction : withoutWait.text)
    if (instruction.opcode == isa::Opcode::WaitGe)
      instruction = {isa::Opcode::Addi, {0, 0, 0}};
  EXPECT_EQ(judge(withoutWait), "CHK-8");
}

/// The loop of ringProgram without the wait for a free buffer to load into.
static Subject withoutFreeBufferWait(Subject subject) {
  for (isa::Instruction &instruction : subject.text)
    if (instruction.opcode == isa::Opcode::WaitRel) {
      instruction = {isa::Opcode::Addi, {0, 0, 0}};
      return subject;
    }
  return subject;
}

TEST(Checker, fourBuffersAreNotEnoughForever) {
  EXPECT_EQ(judge(ringProgram(4, 100)), "accepted");
  // Four trips never come back to a buffer; the fifth does.
  EXPECT_EQ(judge(withoutFreeBufferWait(ringProgram(4, 4))), "accepted");
  EXPECT_EQ(judge(withoutFreeBufferWait(ringProgram(4, 5))), "CHK-8");
  EXPECT_EQ(judge(withoutFreeBufferWait(ringProgram(4, 100))), "CHK-8");
}

TEST(Checker, orderByFullQueuesIsNotUsed) {
  // The load queue holds 4 entries, so that the load of the last trip is not
  // issued before the first has long been used. With deeper queues it is.
  Subject subject = withoutFreeBufferWait(ringProgram(3, 4));
  EXPECT_EQ(exploreAll(subject).harm, "");
  EXPECT_EQ(judge(subject), "CHK-8");
  Result<Verdict> verdict = check(subject);
  ASSERT_FALSE(verdict->schedule.empty());
  EXPECT_TRUE(verdict->scheduleNeedsDepth);
}

/// Trip n of a loop fills bytes [20 n, 20 n + 24) of 64; a scalar says how many
/// trips there are.
TEST(Checker, everyValueOfAScalarIsChecked) {
  Builder b(testMachine(1));
  b.size(isa::kConstantsRegion, 64).size(isa::kContextRegion, 8);
  b.op(isa::Opcode::Lw, {5, 0, 4}).li(6, 0);
  int64_t loop = b.here();
  b.cfg(1, isa::DmaField::Size3, 24).cfg(1, isa::DmaField::SrcSpace, 0);
  b.cfg(1, isa::DmaField::SrcStride3, 1).cfg(1, isa::DmaField::DstStride3, 1);
  b.cfgR(1, int64_t(isa::DmaField::DstOffset), 6);
  b.op(isa::Opcode::Go, {1, int64_t(isa::CommandCode::DmaCopy), 0, 0});
  b.op(isa::Opcode::Addi, {6, 6, 20}).op(isa::Opcode::Addi, {5, 5, -1});
  b.branch(isa::Opcode::Bge, 5, 0, loop).end();
  b.subject.scalars = {{"n", 4, 0, 2}};
  EXPECT_EQ(judge(b.subject), "accepted"); // 2 * 20 + 24 = 64
  EXPECT_EQ(check(b.subject)->statistics.executions, 3u);
  b.subject.scalars[0].greatest = 7;
  Result<Verdict> verdict = check(b.subject);
  ASSERT_FALSE(verdict->isAccepted);
  ASSERT_EQ(verdict->scalars.size(), 1u);
  EXPECT_EQ(verdict->scalars[0].first, "n");
  EXPECT_EQ(verdict->scalars[0].second, 3); // 3 * 20 + 24 > 64
}

TEST(Checker, workIsBounded) {
  Builder b(testMachine(1));
  b.size(isa::kContextRegion, 8);
  b.signal(0, 0).fence().reset(0).end();
  b.subject.scalars = {{"n", 0, 0, 999}};
  CheckOptions options;
  options.limits.work = 999;
  EXPECT_EQ(check(b.subject, options).error().str(),
            "the run-time scalars have 1000 combinations of values, and all "
            "executions together too many queue entries [CHECK-1]; declare "
            "smaller ranges");
  options.limits.work = 1000;
  EXPECT_TRUE(check(b.subject, options)->isAccepted);
}

/// Two queues signal one counter. Which signal a wait has seen follows from
/// counting alone.
TEST(Checker, sharedCountersAreCounted) {
  auto program = [](int64_t threshold) {
    Builder b(testMachine(3));
    b.size(isa::kConstantsRegion, 16);
    b.copy(3, {0, 0}, sram(0), 16).fence();
    b.copy(0, sram(0), sram(16), 4).signal(0, 0);
    b.copy(1, sram(0), sram(20), 4).signal(1, 0);
    b.wait(2, 0, threshold).copy(2, sram(16), sram(24), 8);
    b.fence().reset(0).end();
    return b.subject;
  };
  EXPECT_EQ(judge(program(2)), "accepted");
  EXPECT_EQ(judge(program(1)), "CHK-8"); // either one
}

/// A wait for two of three signals is after the first of the queue that has
/// two: the other two stand for each other.
TEST(Checker, oneOfSeveralSignalsIsNotKnown) {
  auto program = [](int64_t read) {
    Builder b(testMachine(3));
    b.size(isa::kConstantsRegion, 16);
    b.copy(3, {0, 0}, sram(0), 16).fence();
    b.copy(0, sram(0), sram(16), 4).signal(0, 0);
    b.copy(0, sram(0), sram(20), 4).signal(0, 0);
    b.copy(1, sram(0), sram(24), 4).signal(1, 0);
    b.wait(2, 0, 2).copy(2, sram(read), sram(32), 4);
    b.fence().reset(0).end();
    return b.subject;
  };
  EXPECT_EQ(judge(program(16)), "accepted");
  EXPECT_EQ(judge(program(20)), "CHK-8");
  EXPECT_EQ(judge(program(24)), "CHK-8");
}
