//===- JudgeTest.cpp - the judge sees through wrong register plans --------===//

#include "tally/plan/registers/TestPrograms.h"

#include <gtest/gtest.h>

using namespace tally::plan::registers;

/// The law that `registers` break, one for each value of `text`.
static std::string violation(const char *text, std::vector<int64_t> registers,
                             std::vector<Transfer> transfers = {}) {
  return findViolation(readProblem(text),
                       {std::move(registers), std::move(transfers)});
}

// The first trip is right: i is read before t is written.
TEST(RegistersJudge, BodyClashesWithTheCounterOfTheSecondTrip) {
  const char *text = R"(
registers 2
value i
value t
loop L trips 3 counter i
  op read use i
  op write def t
end
)";
  EXPECT_EQ(violation(text, {0, 1}), "");
  EXPECT_EQ(violation(text, {0, 0}),
            "'L' reads 'i' in r0, which holds 't' since 'write', from trip 2 "
            "of 'L' on");
}

// Without a counter in the way, the read at the top is the one that fails.
TEST(RegistersJudge, BottomClashesWithTheTopOfTheSecondTrip) {
  const char *text = R"(
registers 2
value x
value t
op before def x
loop L trips 3
  op top use x
  op bottom def t
end
)";
  EXPECT_EQ(violation(text, {0, 1}), "");
  EXPECT_EQ(violation(text, {0, 0}),
            "'top' reads 'x' in r0, which holds 'x' since 'before' or 't' "
            "since 'bottom', from trip 2 of 'L' on");
  // Once is harmless.
  EXPECT_EQ(violation(R"(
registers 2
value x
value t
op before def x
loop L trips 1
  op top use x
  op bottom def t
end
)",
                      {0, 0}),
            "");
}

static const char *const kLate = R"(
registers 2
queue dma0
value p
value x
op set def p
op copy on dma0 late p
op next def x
)";

TEST(RegistersJudge, LateReadIsInTheWay) {
  EXPECT_EQ(violation(kLate, {0, 1}), "");
  EXPECT_EQ(violation(kLate, {0, 0}),
            "'next' writes r0 while queue 'dma0' may still read it for "
            "'copy'");
}

TEST(RegistersJudge, CoveringWaitOrLatchedReadIsNot) {
  EXPECT_EQ(violation(R"(
registers 1
queue q
value p
value x
op set def p
op copy on q late p
wait done q
op next def x
)",
                      {0, 0}),
            "");
  EXPECT_EQ(violation(R"(
registers 1
queue q
value p
value x
op set def p
op copy on q use p
op next def x
)",
                      {0, 0}),
            "");
}

// pending 1 lets copy, the newest, stay unfinished.
TEST(RegistersJudge, WaitThatCoversTooLittle) {
  EXPECT_EQ(violation(R"(
registers 1
queue q
value p
value x
op set def p
op copy on q late p
wait done q pending 1
op next def x
)",
                      {0, 0}),
            "'next' writes r0 while queue 'q' may still read it for 'copy'");
}

TEST(RegistersJudge, NamesTheQueueThatWasNotWaitedFor) {
  EXPECT_EQ(violation(R"(
registers 1
queue a
queue b
value p
value x
op set def p
op copyA on a late p
op copyB on b late p
wait done a
op next def x
)",
                      {0, 0}),
            "'next' writes r0 while queue 'b' may still read it for 'copyB'");
}

TEST(RegistersJudge, ClobberUnderALiveValue) {
  const char *text = R"(
registers 2
value k
op set def k
op f clobber 0
op get use k
)";
  EXPECT_EQ(violation(text, {1}), "");
  EXPECT_EQ(violation(text, {0}),
            "'get' reads 'k' in r0, which holds nothing since 'f'");
}

TEST(RegistersJudge, ClobberUnderALateRead) {
  EXPECT_EQ(violation(R"(
registers 2
queue q
value k
op set def k
op copy on q late k
op f clobber 0
)",
                      {0}),
            "'f' writes r0 while queue 'q' may still read it for 'copy'");
}

// The same registers are right on the path that writes v last.
TEST(RegistersJudge, UndefinedOnOnePath) {
  EXPECT_EQ(violation(R"(
registers 1
value c
value v
op cond def c
if choose use c
  op set def v
end
op get use v
)",
                      {0, 0}),
            "'get' reads 'v' in r0, which holds 'v' since 'set' or 'c' since "
            "'cond'");
}

TEST(RegistersJudge, TwoResultsOfOneOperation) {
  EXPECT_EQ(violation("registers 2\nvalue a\nvalue b\nop 1 def a b\n", {0, 0}),
            "'1' writes two values to r0");
}

TEST(RegistersJudge, FormOfAPlan) {
  const char *text = "registers 3 reserved 2\nvalue a fixed 1\nvalue b\n"
                     "op 1 def a\nop 2 def b\nop 3 use b\n";
  EXPECT_EQ(violation(text, {1, 0}), "");
  EXPECT_EQ(violation(text, {1}), "1 registers for 2 values");
  EXPECT_EQ(violation(text, {0, 0}), "'a' is fixed to r1 and placed in r0");
  EXPECT_EQ(violation(text, {1, 2}), "r2 of 'b' is reserved or does not exist");
  EXPECT_EQ(violation(text, {1, 3}), "r3 of 'b' is reserved or does not exist");
  EXPECT_EQ(violation(text, {1, kNone}),
            "'2' writes 'b', which has no register there");
}

static const char *const kSaved = R"(
registers 1 slots 2
value a
value b
op 1 def a
op 2 def b
op 3 use b
op 4 use a
)";

static Transfer save(StatementId at, int64_t reg, int64_t slot) {
  return {Transfer::Save, at, 0, reg, slot};
}
static Transfer reload(StatementId at, int64_t reg, int64_t slot) {
  return {Transfer::Reload, at, 0, reg, slot};
}

TEST(RegistersJudge, TransfersMustMeet) {
  EXPECT_EQ(violation(kSaved, {kNone, 0}, {save(0, 0, 0), reload(3, 0, 0)}),
            "");
  EXPECT_EQ(violation(kSaved, {kNone, 0}, {save(0, 0, 0), reload(3, 0, 1)}),
            "'4' reads 'a' in slot 1, which holds nothing");
  EXPECT_EQ(violation(kSaved, {kNone, 0}, {save(0, 0, 0)}),
            "'4' reads 'a', which has no register there");
  EXPECT_EQ(violation(kSaved, {kNone, 0}, {reload(3, 0, 0)}),
            "'1' writes 'a', which has no register there");
  EXPECT_EQ(violation(kSaved, {kNone, 0}, {save(0, 0, 2)}),
            "a transfer of 'a' at '1' has slot 2 of 2");
  EXPECT_EQ(violation(kSaved, {kNone, 0}, {save(0, 1, 0)}),
            "a transfer of 'a' at '1' is in r1, which is reserved or does not "
            "exist");
  EXPECT_EQ(violation(kSaved, {0, 0}, {save(0, 0, 0)}),
            "a transfer of 'a' at '1' has a register besides");
  EXPECT_EQ(violation(kSaved, {kNone, 0}, {save(9, 0, 0)}),
            "a transfer is of no statement or value");
}

// The save area holds the a of statement 1; statement 2 wrote another one.
TEST(RegistersJudge, StaleSlot) {
  EXPECT_EQ(violation(R"(
registers 2 slots 2
value a
op 1 def a
op 2 def a
op 3 use a
)",
                      {kNone}, {save(0, 0, 0), save(1, 1, 1), reload(2, 0, 0)}),
            "'3' reads 'a' in slot 0, which holds nothing since '2'");
}
