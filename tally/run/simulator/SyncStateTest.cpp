//===- SyncStateTest.cpp - registers of each kind and who may use them ----===//

#include "tally/run/simulator/SyncState.h"

#include <gtest/gtest.h>

using namespace tally;
using namespace tally::simulator;
using isa::Opcode;
using machine::SyncCompare;
using machine::SyncKey;
using machine::SyncKind;

namespace {
/// Three queues and a file that tests change.
class SyncStates : public testing::Test {
protected:
  SyncStates() {
    machine.queues = {{"a", 0}, {"b", 0}, {"c", 0}};
    machine.sync.count = 2;
    machine.sync.bits = 2;
  }
  void expectRefusal(Opcode opcode, int64_t reg, uint32_t queue,
                     const std::string &message) {
    SyncState state(machine);
    auto wrong = state.admit(opcode, reg, queue);
    ASSERT_TRUE(wrong);
    EXPECT_EQ(*wrong, message);
  }
  machine::Machine machine;
};
} // namespace

TEST_F(SyncStates, CountersReachThresholdsAndEnd) {
  SyncState state(machine);
  EXPECT_TRUE(state.hasReached(1, 0));
  EXPECT_FALSE(state.hasReached(1, 1));
  for (int i = 0; i < 3; ++i)
    EXPECT_FALSE(state.signal(1));
  EXPECT_TRUE(state.hasReached(1, 3));
  EXPECT_EQ(*state.signal(1), "synchronization register s1 has its largest "
                              "value, 3, and is signalled once more");
  EXPECT_EQ(state.value(0), 0);
}

TEST_F(SyncStates, ModularCountersGoRound) {
  machine.sync.compare = SyncCompare::Modular;
  SyncState state(machine);
  // Of 2 bits: values 0 and 1 ahead of a threshold have reached it.
  for (int64_t signals = 0; signals < 12; ++signals) {
    for (int64_t threshold = 0; threshold < 12; ++threshold)
      EXPECT_EQ(state.hasReached(0, threshold),
                (signals - threshold + 12) % 4 < 2)
          << signals << " " << threshold;
    EXPECT_FALSE(state.signal(0));
    EXPECT_EQ(state.value(0), (signals + 1) % 4);
  }
}

TEST_F(SyncStates, TokensAreTakenAndFlagsStay) {
  machine.sync.kind = SyncKind::Token;
  SyncState tokens(machine);
  EXPECT_FALSE(tokens.signal(0));
  EXPECT_FALSE(tokens.signal(0));
  tokens.take(0);
  EXPECT_EQ(tokens.value(0), 1);
  machine.sync.kind = SyncKind::Flag;
  SyncState flags(machine);
  EXPECT_FALSE(flags.signal(0));
  EXPECT_FALSE(flags.signal(0));
  EXPECT_EQ(flags.value(0), 1);
  flags.clear(0);
  EXPECT_EQ(flags.value(0), 0);
}

TEST_F(SyncStates, ResetForgetsWhatWasIssued) {
  SyncState state(machine);
  state.countIssued(0);
  EXPECT_EQ(state.issued(0), 1);
  state.reset(0);
  EXPECT_EQ(state.issued(0), 0);
}

TEST_F(SyncStates, RegistersExistAndAreNotReserved) {
  machine.sync.reserved = {1};
  expectRefusal(Opcode::Signal, 2, 0,
                "synchronization register s2 does not exist: there are 2");
  expectRefusal(Opcode::Signal, 1, 0,
                "synchronization register s1 is reserved");
}

TEST_F(SyncStates, InstructionsAreOfTheKind) {
  expectRefusal(Opcode::Take, 0, 0,
                "the machine's synchronization registers do not take take");
  expectRefusal(Opcode::Clear, 0, 0,
                "the machine's synchronization registers do not take clear");
  expectRefusal(Opcode::WaitRel, 0, 0, "the machine has no wait.rel");
  expectRefusal(Opcode::WaitGeR, 0, 0, "the machine has no wait.ge.r");
  machine.sync.kind = SyncKind::Flag;
  expectRefusal(Opcode::WaitGe, 0, 0,
                "the machine's synchronization registers do not take wait.ge");
}

TEST_F(SyncStates, RegistersBelongToSources) {
  machine.sync.key = SyncKey::Source; // 2 for each of 3 queues
  expectRefusal(Opcode::Signal, 3, 0,
                "synchronization register s3 is signalled by queue 1 alone");
  SyncState state(machine);
  EXPECT_FALSE(state.admit(Opcode::Signal, 3, 1));
  EXPECT_FALSE(state.admit(Opcode::WaitGe, 3, 2));
}

TEST_F(SyncStates, RegistersBelongToPairs) {
  machine.sync.key = SyncKey::SourceDestination;
  // Source 1, destination 2 of 3: registers (1 * 3 + 2) * 2 and one more.
  SyncState state(machine);
  EXPECT_FALSE(state.admit(Opcode::Signal, 11, 1));
  EXPECT_FALSE(state.admit(Opcode::WaitGe, 11, 2));
  expectRefusal(Opcode::WaitGe, 11, 0,
                "synchronization register s11 is waited on by queue 2 alone");
}

TEST_F(SyncStates, SomeMachinesAllowOneWaiter) {
  machine.sync.multipleWaiters = false;
  SyncState state(machine);
  EXPECT_FALSE(state.admit(Opcode::WaitGe, 0, 1));
  EXPECT_FALSE(state.admit(Opcode::WaitGe, 0, 1));
  EXPECT_EQ(*state.admit(Opcode::WaitGe, 0, 2),
            "synchronization register s0 has a second waiting queue since its "
            "reset, the machine allows one");
  state.reset(0);
  EXPECT_FALSE(state.admit(Opcode::WaitGe, 0, 2));
}
