//===- SyncRulesTest.cpp - CHK-7 and CHK-11 to CHK-15, broken -------------===//

#include "tally/run/checker/TestVerdicts.h"

#include <gtest/gtest.h>

using namespace tally;
using namespace tally::checker;
using machine::Machine;
using machine::SyncKind;

TEST(Rules, RegistersAreUsedAsDeclared) {
  Machine machine = edge();
  machine.sync.key = machine::SyncKey::Source;
  EXPECT_EQ(judged(".text\n  signal vector, s8\n  ecall\n", machine),
            "x.s: rejected: register s8 is signalled by load1 alone, not by "
            "vector [CHK-7]\n"
            "  at 'signal vector, s8' at 0x0 (x.s:2)\n");
  machine.sync.key = machine::SyncKey::SourceDestination;
  machine.sync.count = 1;
  EXPECT_EQ(
      judged(".text\n  signal load0, s1\n  wait.ge vector, s1, 1\n"
             "  ecall\n",
             machine),
      "x.s: rejected: on register s1 only load1 waits, not vector [CHK-7]\n"
      "  at 'wait.ge vector, s1, 1' at 0x4 (x.s:3)\n");
  machine = edge();
  machine.sync.multipleWaiters = false;
  EXPECT_EQ(
      judged(R"(
.text
  signal load0, s0
  wait.ge vector, s0, 1
  wait.ge store, s0, 1
  fence.all
  reset s0
  ecall
)",
             machine),
      "x.s: rejected: two queues wait on register s0, which this machine "
      "allows one only [CHK-7]\n"
      "  the first:  'wait.ge vector, s0, 1' at 0x4 (x.s:4), entry 1 of "
      "vector\n"
      "  the second: 'wait.ge store, s0, 1' at 0x8 (x.s:5), entry 1 of store\n"
      "  signal a register for each waiting queue\n");
}

TEST(Rules, NoDeadlock) {
  EXPECT_EQ(
      judged(R"(
.text
  wait.ge vector, s0, 1
  ecall
)"),
      "x.s: rejected: the program hangs: 2 actors do not get on [CHK-11]\n"
      "  vector stands at 'wait.ge vector, s0, 1' at 0x0 (x.s:3), entry 1 of "
      "vector\n"
      "    register s0 is 0 and has to reach 1; no signal of it is left\n"
      "  processor stands at 'ecall' at 0x4 (x.s:4), entry 1 of processor\n"
      "    it waits for all queues\n"
      "  issue what signals before what waits for it, or make the distance "
      "smaller than the queue's depth\n");
  // The signal stands behind the ninth entry of a queue of eight that waits.
  std::string entries;
  for (int i = 0; i < 8; ++i)
    entries += "  signal vector, s1\n";
  EXPECT_EQ(
      judged(".text\n  wait.ge vector, s0, 1\n" + entries +
             "  signal load0, s0\n  ecall\n"),
      "x.s: rejected: the program hangs: 2 actors do not get on [CHK-11]\n"
      "  vector stands at 'wait.ge vector, s0, 1' at 0x0 (x.s:2), entry 1 of "
      "vector\n"
      "    register s0 is 0 and has to reach 1; its next signal is entry 1 of "
      "load0, which the processor has not issued\n"
      "  processor stands at 'signal vector, s1' at 0x20 (x.s:10)\n"
      "    it cannot issue: queue vector is full with 8 entries\n"
      "  issue what signals before what waits for it, or make the distance "
      "smaller than the queue's depth\n");
  EXPECT_EQ(
      judged(R"(
.text
  wait.ge vector, s0, 1
  fence vector, 0
  signal load0, s0
  ecall
)"),
      "x.s: rejected: the program hangs: 2 actors do not get on [CHK-11]\n"
      "  vector stands at 'wait.ge vector, s0, 1' at 0x0 (x.s:3), entry 1 of "
      "vector\n"
      "    register s0 is 0 and has to reach 1; its next signal is entry 1 of "
      "load0, which the processor has not issued\n"
      "  processor stands at 'fence vector, 0' at 0x4 (x.s:4), entry 1 of "
      "processor\n"
      "    it waits for queue vector\n"
      "  issue what signals before what waits for it, or make the distance "
      "smaller than the queue's depth\n");
}

TEST(Rules, CountersStayInWidth) {
  std::string four;
  for (int i = 0; i < 4; ++i)
    four += "  signal load0, s0\n";
  EXPECT_EQ(judged(".text\n" + four + "  fence.all\n  reset s0\n  ecall\n",
                   edgeWith(SyncKind::Counter, 2)),
            "x.s: rejected: one signal more than register s0 can count; it "
            "holds up to 3 [CHK-12]\n"
            "  at 'signal load0, s0' at 0xc (x.s:5), entry 4 of load0\n"
            "  reset the counter before, when its waiters have passed\n");
  EXPECT_EQ(judged(".text\n" + four +
                       "  take vector, s0\n  take vector, s0\n"
                       "  take vector, s0\n  take vector, s0\n  ecall\n",
                   edgeWith(SyncKind::Token, 2)),
            "x.s: rejected: one signal more than register s0 can count; it "
            "holds up to 3 [CHK-12]\n"
            "  at 'signal load0, s0' at 0xc (x.s:5), entry 4 of load0\n"
            "  let the producer wait for the consumer\n");
  Machine modular = edgeWith(SyncKind::Counter, 2);
  modular.sync.compare = machine::SyncCompare::Modular;
  // At 0 the counter would count as past 3.
  EXPECT_EQ(judged(R"(
.text
  signal load0, s0
  signal load0, s0
  signal load0, s0
  wait.ge vector, s0, 3
  signal vector, s1
  wait.ge load0, s1, 1
  signal load0, s0
  fence.all
  reset s1
  ecall
)",
                   modular),
            "x.s: rejected: register s0 may have counted from 0 to 3 signals "
            "while the wait is for 3; comparison tells the order of less than "
            "2 apart [CHK-12]\n"
            "  at 'wait.ge vector, s0, 3' at 0xc (x.s:6), entry 1 of vector\n");
  // Each wait is at most one signal away.
  EXPECT_EQ(judged(R"(
.text
  signal load0, s0
  wait.ge vector, s0, 1
  signal vector, s1
  wait.ge load0, s1, 1
  signal load0, s0
  wait.ge vector, s0, 2
  signal vector, s1
  wait.ge load0, s1, 2
  signal load0, s0
  wait.ge vector, s0, 3
  signal vector, s1
  wait.ge load0, s1, 3
  signal load0, s0
  wait.ge vector, s0, 0
  signal vector, s1
  wait.ge load0, s1, 0
  ecall
)",
                   modular),
            "x.s: accepted: 1 execution, 0 commands among 16 queue entries, 17 "
            "instructions\n");
}

TEST(Rules, CountersReturn) {
  EXPECT_EQ(judged(".text\n  signal load0, s3\n  ecall\n"),
            "x.s: rejected: register s3 is 1 at the end, after its last signal "
            "[CHK-13]\n"
            "  at 'signal load0, s3' at 0x0 (x.s:2), entry 1 of load0\n"
            "  reset the counter when its last waiter has passed\n");
  EXPECT_EQ(judged(".text\n  signal load0, s3\n  ecall\n",
                   edgeWith(SyncKind::Token, 8)),
            "x.s: rejected: register s3 is 1 at the end, after its last signal "
            "[CHK-13]\n"
            "  at 'signal load0, s3' at 0x0 (x.s:2), entry 1 of load0\n"
            "  take every token\n");
  EXPECT_EQ(judged(".text\n  signal load0, s3\n  ecall\n",
                   edgeWith(SyncKind::Flag, 1)),
            "x.s: rejected: register s3 is 1 at the end, after its last signal "
            "[CHK-13]\n"
            "  at 'signal load0, s3' at 0x0 (x.s:2), entry 1 of load0\n"
            "  clear the flag when its last waiter has passed\n");
}

TEST(Rules, ResetsAreOrdered) {
  EXPECT_EQ(
      judged(R"(
.text
  signal load0, s0
  reset s0
  fence.all
  reset s0
  ecall
)"),
      "x.s: rejected: register s0 is reset by the second while the first may "
      "be still to come [CHK-14]\n"
      "  the first:  'signal load0, s0' at 0x0 (x.s:3), entry 1 of load0\n"
      "  the second: 'reset s0' at 0x4 (x.s:4), entry 1 of processor\n"
      "  a schedule, the first being held:\n"
      "    processor: entry 1, 'reset s0' (x.s:4)\n"
      "  order both with a signal on another register, or a fence\n");
  // vector may come to its second test before load0 clears the first setting.
  EXPECT_EQ(
      judged(R"(
.text
  signal load0, s0
  test vector, s0
  signal vector, s1
  test load0, s1
  clear load0, s0
  clear load0, s1
  signal load0, s0
  test vector, s0
  clear vector, s0
  ecall
)",
             edgeWith(SyncKind::Flag, 1)),
      "x.s: rejected: register s0 is reset by the second while the first may "
      "be still to come [CHK-14]\n"
      "  the first:  'signal load0, s0' at 0x18 (x.s:9), entry 5 of load0\n"
      "  the second: 'clear vector, s0' at 0x20 (x.s:11), entry 4 of vector\n"
      "  a schedule, the first being held:\n"
      "    load0: entry 1, 'signal load0, s0' (x.s:3)\n"
      "    vector: entries 1 to 4, 'clear vector, s0' (x.s:11)\n"
      "  order both with a signal on another register, or a fence\n");
  EXPECT_EQ(judged(R"(
.text
  signal load0, s0
  test vector, s0
  clear vector, s0
  ecall
)",
                   edgeWith(SyncKind::Flag, 1)),
            "x.s: accepted: 1 execution, 0 commands among 3 queue entries, 4 "
            "instructions\n");
  EXPECT_EQ(
      judged(R"(
.text
  signal load0, s0
  test vector, s0
  clear vector, s0
  signal vector, s1
  signal load1, s0
  test load1, s1
  clear load1, s1
  clear load1, s0
  ecall
)",
             edgeWith(SyncKind::Flag, 1)),
      "x.s: rejected: register s0 is reset by the second while the first may "
      "be still to come [CHK-14]\n"
      "  the first:  'signal load0, s0' at 0x0 (x.s:3), entry 1 of load0\n"
      "  the second: 'clear vector, s0' at 0x8 (x.s:5), entry 2 of vector\n"
      "  a schedule, the first being held:\n"
      "    load1: entry 1, 'signal load1, s0' (x.s:7)\n"
      "    vector: entries 1 to 2, 'clear vector, s0' (x.s:5)\n"
      "  order both with a signal on another register, or a fence\n");
}

TEST(Rules, TokensReachTheirWaiter) {
  EXPECT_EQ(
      judged(R"(
.text
  signal load0, s0
  signal load0, s0
  take vector, s0
  take store, s0
  ecall
)",
             edgeWith(SyncKind::Token, 8)),
      "x.s: rejected: either of the two may take the token of register s0 that "
      "comes first [CHK-15]\n"
      "  the first:  'take vector, s0' at 0x8 (x.s:5), entry 1 of vector\n"
      "  the second: 'take store, s0' at 0xc (x.s:6), entry 1 of store\n"
      "  a schedule, the first being held:\n"
      "    load0: entry 1, 'signal load0, s0' (x.s:3)\n"
      "    store: entry 1, 'take store, s0' (x.s:6)\n"
      "  use a register for each waiting queue\n");
}
