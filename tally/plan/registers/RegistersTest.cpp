//===- RegistersTest.cpp - plans, drawn as text ---------------------------===//

#include "tally/plan/registers/TestPrograms.h"

#include "tally/plan/registers/Report.h"

#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

using namespace tally;
using namespace tally::plan::registers;

using Registers = std::vector<int64_t>;

static Registers registersOf(const char *text) {
  return planAndJudge(readProblem(text)).registers;
}

// a and b live together: two registers. c begins when both are read for the
// last time, and a result may take an operand's register: r0 again.
TEST(Registers, ReusesWhatIsNeededNoMore) {
  EXPECT_EQ(registersOf(R"(
registers 2
value a
value b
value c
op 1 def a
op 2 def b
op 3 use a b def c
op 4 use c
)"),
            (Registers{0, 1, 0}));
}

// The counter lives from the entry to the last latch, so the body's value gets
// the other register.
TEST(Registers, CounterAndBodyAreApart) {
  EXPECT_EQ(registersOf(R"(
registers 2
value i role loop counter
value t
loop L trips 3 counter i
  op 1 use i def t
  op 2 use t
end
)"),
            (Registers{0, 1}));
}

// x is written before the loop, read at its top and written at its bottom: it
// lives through the whole body, also where no later read is in the text. Of
// t, which lives between, nothing may be in x's register.
TEST(Registers, ValueAroundTheBackEdgeLivesThroughTheBody) {
  Registers registers = registersOf(R"(
registers 3
value i
value x
value t
op before def x
loop L trips 3 counter i
  op top use x
  op middle def t
  op bottom use t def x
end
)");
  // x dies at top and is written again at bottom, where t was: between them
  // its register is free, i's is not.
  EXPECT_EQ(registers, (Registers{1, 0, 0}));
}

// The same, but the bottom only reads x: it has no hole, t needs a third.
TEST(Registers, ValueOfTheNextTripIsKept) {
  EXPECT_EQ(registersOf(R"(
registers 3
value i
value x
value t
op before def x
loop L trips 3 counter i
  op top use x
  op middle def t
  op bottom use t
end
)"),
            (Registers{1, 0, 2}));
}

// p is in flight over x's write: two registers. With a wait before it, or a
// read that is latched, x takes p's.
TEST(Registers, LateReadKeepsItsRegisterUntilTheWait) {
  const char *head = "registers 2\nqueue q\nvalue p\nvalue x\nop 1 def p\n";
  std::string late = head, waited = head, latched = head;
  late += "op 2 on q late p\nop 3 def x\nop 4 use x\n";
  waited += "op 2 on q late p\nwait 3 q\nop 4 def x\nop 5 use x\n";
  latched += "op 2 on q use p\nop 3 def x\nop 4 use x\n";
  EXPECT_EQ(registersOf(late.c_str()), (Registers{0, 1}));
  EXPECT_EQ(registersOf(waited.c_str()), (Registers{0, 0}));
  EXPECT_EQ(registersOf(latched.c_str()), (Registers{0, 0}));
}

// One operation may stay unfinished: that is 3, so p has landed, and o has not.
TEST(Registers, WaitWithPendingCoversAllButTheNewest) {
  EXPECT_EQ(registersOf(R"(
registers 2
queue q
value p
value o
value x
op 1 def p
op 2 on q late p def o
op 3 on q late o
wait 4 q pending 1
op 5 def x
op 6 use x
)"),
            (Registers{0, 1, 0}));
}

// Both queues read p; a wait for one does not free it.
TEST(Registers, EachQueueHoldsItsOwnRead) {
  EXPECT_EQ(registersOf(R"(
registers 2
queue a
queue b
value p
value x
op 1 def p
op 2 on a late p
op 3 on b late p
wait 4 a
op 5 def x
op 6 use x
)"),
            (Registers{0, 1}));
}

// f destroys r0 while k lives, so k is in r1. f reads k's neighbour in r0
// before that, and its result may be in r0 too.
TEST(Registers, CallMovesWhatLivesAcrossIt) {
  EXPECT_EQ(registersOf(R"(
registers 2
value a
value k
value r
op 1 def k
op 2 def a
op f use a def r clobber 0
op 3 use k r
)"),
            (Registers{0, 1, 0}));
}

// Helpers that need fixed registers get them; the reserved one is left alone.
TEST(Registers, FixedAndReservedAreKept) {
  EXPECT_EQ(registersOf(R"(
registers 4 reserved 0,3
value a
value b fixed 1
op 1 def a
op 2 def b
op 3 use a b
)"),
            (Registers{2, 1}));
}

// a in r0 from the first branch would meet c; the scan's first choice is a dead
// end, undoing it is not: x (r0) and y (r1) are alone on their paths.
TEST(Registers, BranchesShareRegisters) {
  EXPECT_EQ(registersOf(R"(
registers 2
value c
value x
value y
op 1 def c
if 2 use c
  op 3 def x
  op 4 use x c
else
  op 5 def y
  op 6 use y c
end
)"),
            (Registers{0, 1, 1}));
}

// Three values, two registers. a is read far away: saved after 1, reloaded
// before 5, one write and one read at cost 4 each.
static const char *const kSpill = R"(
registers 2 slots 1 cost 4
value a role far base
value b
value c
op 1 def a
op 2 def b
op 3 use b def c
op 4 use b c
op 5 use a
)";

TEST(Registers, SaveAreaTakesWhatDoesNotFit) {
  RegisterProblem problem = readProblem(kSpill);
  RegisterSolution solution = planAndJudge(problem);
  EXPECT_EQ(solution.registers, (Registers{kNone, 0, 1}));
  std::string text;
  llvm::raw_string_ostream os(text);
  printPlan(os, problem, solution);
  EXPECT_EQ(text, R"(registers: 2 of 2 used; peak 3 at '3'
  'a' (far base; written by '1', needed until '5')
  'b' (written by '2', needed until '4')
  'c' (written by '3', needed until '4')
values:
  r0 'b'
  r1 'c'
transfers, cost 8:
  after '1': save 'a' from r0, slot 0
  before '5': reload 'a' to r0, slot 0
pressure:
  1 '1'
  2 '2'
  3 '3'
  3 '4'
  1 '5'
)");
}

TEST(Registers, PlanAsJson) {
  RegisterProblem problem =
      readProblem("registers 1\nvalue a\nop 1 def a\nop 2 use a\n");
  std::string text;
  llvm::raw_string_ostream os(text);
  writePlanJson(os, problem, planAndJudge(problem));
  EXPECT_EQ(text, R"({
  "usable": 1,
  "used": 1,
  "peak": 1,
  "peak_at": "1",
  "peak_set": [
    {
      "value": "a",
      "written_by": "1",
      "until": "'2'"
    }
  ],
  "transfer_cost": 0,
  "moves": 0,
  "values": [
    {
      "value": "a",
      "register": 0
    }
  ],
  "parts": [],
  "transfers": [],
  "pressure": [
    {
      "statement": "1",
      "registers": 1
    },
    {
      "statement": "2",
      "registers": 1
    }
  ]
}
)");
}

TEST(Registers, EmptyProgramNeedsNothing) {
  EXPECT_EQ(registersOf("registers 1 reserved 0\nvalue unused\n"),
            (Registers{kNone}));
}
