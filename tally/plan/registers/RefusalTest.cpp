//===- RefusalTest.cpp - every refusal says why and what to do ------------===//

#include "tally/plan/registers/Report.h"
#include "tally/plan/registers/TestPrograms.h"

#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

using namespace tally;
using namespace tally::plan::registers;

static Refusal refuse(const char *text) {
  Refusal refusal;
  EXPECT_FALSE(planRegisters(readProblem(text), &refusal));
  return refusal;
}

static std::string reason(const char *text) {
  return refuse(text).diagnostic.str();
}

static std::string json(const char *text) {
  std::string result;
  llvm::raw_string_ostream os(result);
  writeRefusalJson(os, refuse(text));
  return result;
}

// i to the last latch, base in flight over everything, pitch: 3 in 2.
static const char *const kCrowded = R"(
registers 2
queue dma0
value i role loop counter
value base role base of w3
value pitch
loop L trips 4 counter i
  op load def base
  op copy on dma0 late base
  op row def pitch
  op step use pitch
  wait done dma0
end
)";

TEST(RegistersRefusal, CrowdNamesItsHolders) {
  EXPECT_EQ(
      reason(kCrowded),
      "3 registers needed at 'row', 2 usable and the machine has no save "
      "area: 'i' (loop counter; written by 'L', needed until the next trip of "
      "'L'), 'base' (base of w3; written by 'load', in flight on 'dma0' until "
      "'done'), 'pitch' (written by 'row', needed until 'step') [REG-8]; a "
      "wait for 'dma0' before 'row' frees 'base'");
  EXPECT_EQ(json(kCrowded), R"json({
  "rule": "REG-8",
  "message": "3 registers needed at 'row', 2 usable and the machine has no save area: 'i' (loop counter; written by 'L', needed until the next trip of 'L'), 'base' (base of w3; written by 'load', in flight on 'dma0' until 'done'), 'pitch' (written by 'row', needed until 'step')",
  "hint": "a wait for 'dma0' before 'row' frees 'base'",
  "at": "row",
  "needed": 3,
  "usable": 2,
  "holders": [
    {
      "value": "i",
      "role": "loop counter",
      "written_by": "L",
      "until": "the next trip of 'L'"
    },
    {
      "value": "base",
      "role": "base of w3",
      "written_by": "load",
      "until": "'done'",
      "in_flight_on": "dma0"
    },
    {
      "value": "pitch",
      "written_by": "row",
      "until": "'step'"
    }
  ]
}
)json");
}

// What the hint says is true.
TEST(RegistersRefusal, TheWaitThatIsAdvisedHelps) {
  planAndJudge(readProblem(R"(
registers 2
queue dma0
value i role loop counter
value base role base of w3
value pitch
loop L trips 4 counter i
  op load def base
  op copy on dma0 late base
  wait done dma0
  op row def pitch
  op step use pitch
end
)"));
}

TEST(RegistersRefusal, InFlightToTheEnd) {
  EXPECT_EQ(reason(R"(
registers 1
queue q
value p
value x
op 1 def p
op 2 on q late p
op 3 def x
op 4 use x
)"),
            "2 registers needed at '3', 1 usable and the machine has no save "
            "area: 'p' (written by '1', in flight on 'q' until the end), 'x' "
            "(written by '3', needed until '4') [REG-8]; a wait for 'q' before "
            "'3' frees 'p'");
}

// Both queues read p, so a wait for one frees nothing; o is free after one.
TEST(RegistersRefusal, WaitThatFreesNothingIsNotAdvised) {
  EXPECT_EQ(reason(R"(
registers 2
queue a
queue b
value p
value o
value x
op 1 def p
op 2 on a late p
op 3 on b late p
op 4 def o
op 5 on a late o
op 6 def x
op 7 use x
)"),
            "3 registers needed at '6', 2 usable and the machine has no save "
            "area: 'p' (written by '1', in flight on 'b' until the end), 'o' "
            "(written by '4', in flight on 'a' until the end), 'x' (written by "
            "'6', needed until '7') [REG-8]; a wait for 'a' before '6' frees "
            "'o'");
}

// a lives across f in r1; b, too, must not be in r0.
TEST(RegistersRefusal, ClobberOfALiveValue) {
  const char *text = R"(
registers 2
value a
value b
op 1 def a
op 2 def b
op f clobber 0
op 3 use a b
)";
  EXPECT_EQ(reason(text),
            "3 registers needed at 'f', 2 usable and the machine has no save "
            "area: 'a' (written by '1', needed until '3'), 'b' (written by "
            "'2', needed until '3'), r0 is clobbered by 'f' [REG-8]; all fit "
            "if 'a' is made again where it is needed");
  EXPECT_NE(json(text).find(R"(    {
      "register": 0,
      "clobbered_by": "f"
    })"),
            std::string::npos);
}

// What the hint says is true: b stays in r1 over f.
TEST(RegistersRefusal, MakingAgainAsAdvisedHelps) {
  planAndJudge(readProblem(R"(
registers 2
value a
value b
value again
op 1 def a
op 2 def b
op f clobber 0
op remake def again
op 3 use again b
)"));
}

// All three are operands of one operation: none can be elsewhere.
TEST(RegistersRefusal, SaveAreaCannotHelp) {
  EXPECT_EQ(reason(R"(
registers 2 slots 4
value a
value b
value c
op 1 def a
op 2 def b
op 3 def c
op 4 use a b c
)"),
            "3 registers needed at 'reload c for 4', 2 usable and none of the "
            "values can be saved: 'a' (written by 'reload a for 4', needed "
            "until '4'), 'b' (written by 'reload b for 4', needed until '4'), "
            "'c' (written by 'reload c for 4', needed until '4') [REG-8]; "
            "shorten a life");
}

// One register: of three values two wait in the save area while one is used.
TEST(RegistersRefusal, SaveAreaIsTooSmall) {
  const char *text = R"(
registers 1 slots 1
value a role first
value b
value c
op 1 def a
op 2 def b
op 3 def c
op 4 use c
op 5 use b
op 6 use a
)";
  EXPECT_EQ(reason(text),
            "2 values have no register, 1 usable, and the save area has 1 "
            "slot: 'a' (first; written by '1', needed until '6'), 'b' "
            "(written by '2', needed until '5') [REG-8]; enlarge the save area "
            "or shorten a life");
  EXPECT_NE(json(text).find("\"rule\": \"REG-8\""), std::string::npos);
}

TEST(RegistersRefusal, TwoInOneFixedRegister) {
  const char *text = R"(
registers 2
value a fixed 1
value b fixed 1
op 1 def a
op 2 def b
op 3 use a b
)";
  EXPECT_EQ(reason(text),
            "'b' is fixed to r1 and is not alone there at '2': r1 holds 'b' "
            "(written by '2', needed until '3'), r1 holds 'a' (written by '1', "
            "needed until '3') [REG-9]; copy the value to one without a fixed "
            "register");
  EXPECT_EQ(json(text), R"json({
  "rule": "REG-9",
  "message": "'b' is fixed to r1 and is not alone there at '2': r1 holds 'b' (written by '2', needed until '3'), r1 holds 'a' (written by '1', needed until '3')",
  "hint": "copy the value to one without a fixed register",
  "at": "2",
  "value": "b",
  "usable": 2,
  "holders": [
    {
      "register": 1,
      "value": "b",
      "written_by": "2",
      "until": "'3'"
    },
    {
      "register": 1,
      "value": "a",
      "written_by": "1",
      "until": "'3'"
    }
  ]
}
)json");
}

TEST(RegistersRefusal, ClobberOfAFixedRegister) {
  EXPECT_EQ(reason(R"(
registers 2
value a fixed 1
op 1 def a
op f clobber 1
op 3 use a
)"),
            "'a' is fixed to r1 and is not alone there at 'f': r1 holds 'a' "
            "(written by '1', needed until '3'), r1 is clobbered by 'f' "
            "[REG-9]; copy the value to one without a fixed register");
}

// At no point more than one value and one clobber, but no register of two
// survives both calls, and what is in flight cannot move between them.
TEST(RegistersRefusal, NoRegisterForAWholeLife) {
  const char *text = R"(
registers 2
queue q
value a
op 1 def a
op 2 on q late a
op f clobber 0
op g clobber 1
)";
  EXPECT_EQ(reason(text),
            "no choice of registers gives 'a' of '1' one for its whole life, "
            "and no moves help, though 2 registers suffice at each point: r0 "
            "is clobbered by 'f', r1 is clobbered by 'g' [REG-10]; wait for "
            "'q' earlier: what is in flight cannot move");
  EXPECT_EQ(json(text), R"json({
  "rule": "REG-10",
  "message": "no choice of registers gives 'a' of '1' one for its whole life, and no moves help, though 2 registers suffice at each point: r0 is clobbered by 'f', r1 is clobbered by 'g'",
  "hint": "wait for 'q' earlier: what is in flight cannot move",
  "at": "1",
  "value": "a",
  "usable": 2,
  "holders": [
    {
      "register": 0,
      "clobbered_by": "f"
    },
    {
      "register": 1,
      "clobbered_by": "g"
    }
  ]
}
)json");
}

// With the wait that is advised, nothing needs to move.
TEST(RegistersRefusal, TheEarlierWaitThatIsAdvisedHelps) {
  EXPECT_TRUE(planAndJudge(readProblem(R"(
registers 2
queue q
value a
op 1 def a
op 2 on q late a
op f clobber 0
wait 3 q
op g clobber 1
)"))
                  .parts.empty());
}

// The choice of the scan, a to r0, blocks c at g; it is undone.
TEST(RegistersRefusal, DeadEndsAreLeft) {
  EXPECT_EQ(planAndJudge(readProblem(R"(
registers 2
value a
value c
op 1 def a
op 2 use a def c
op 3 use c
op f clobber 1
op g use c
)"))
                .registers,
            (std::vector<int64_t>{0, 0}));
}
