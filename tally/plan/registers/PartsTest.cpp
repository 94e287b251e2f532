//===- PartsTest.cpp - values that change their register ------------------===//

#include "tally/plan/registers/Report.h"
#include "tally/plan/registers/TestPrograms.h"

#include "llvm/Support/raw_ostream.h"

#include "tally/plan/registers/Solver.h"

#include <gtest/gtest.h>

#include <set>

using namespace tally::plan::registers;

static std::string planText(const char *text) {
  RegisterProblem problem = readProblem(text);
  std::string result;
  llvm::raw_string_ostream os(result);
  printPlan(os, problem, planAndJudge(problem));
  return result;
}

// a outlives f, which destroys r0, and g, which destroys r1: it has to be in r1
// over f and in r0 over g.
static const char *const kTwoCalls = R"(
registers 2
value a
op 1 def a
op f clobber 0
op g clobber 1
op 2 use a
)";

TEST(RegistersParts, ValueMovesBetweenTwoCalls) {
  EXPECT_EQ(planText(kTwoCalls), R"(registers: 2 of 2 used; peak 2 at 'f'
  'a' (written by '1', needed until '2')
  r0 is clobbered by 'f'
values:
  r0 'a'
parts, 1 moves:
  r1 'a' from '1' to 'f', moved back
pressure:
  1 '1'
  2 'f'
  2 'g'
  1 '2'
)");
}

// Three arcs of a circle: around the loop a lives from 4 to 3, b from 6 to 4
// and c from 3 to 5, never more than two at once, but each together with each
// of the others. Between 5 and 6 a is alone and moves, in each of 5 trips.
TEST(RegistersParts, ThreeArcsOfALoopInTwoRegisters) {
  const char *text = R"(
registers 2
value a
value b
value c
op 1 def a
op 2 def b
loop L trips 5
  op 3 use a def c
  op 4 use b def a
  op 5 use c
  op 6 def b
end
op 7 use a b
)";
  RegisterProblem problem = readProblem(text);
  RegisterSolution solution = planAndJudge(problem);
  EXPECT_EQ(solution.parts.size(), 1u);
  EXPECT_EQ(makeReport(problem, solution).peak, 2);
  EXPECT_EQ(makeReport(problem, solution).moves, 5);
}

// The move into the part would be inside the loop; outside it costs once.
TEST(RegistersParts, MovesAreMadeOutsideOfLoops) {
  RegisterProblem problem = readProblem(R"(
registers 2
value a
op 1 def a
op f clobber 0
loop L trips 100
  op g clobber 1
  op 2 use a
end
)");
  RegisterSolution solution = planAndJudge(problem);
  EXPECT_EQ(makeReport(problem, solution).moves, 1);
}

TEST(RegistersParts, PartAsJson) {
  RegisterProblem problem = readProblem(kTwoCalls);
  std::string text;
  llvm::raw_string_ostream os(text);
  writePlanJson(os, problem, planAndJudge(problem));
  EXPECT_NE(text.find(R"(  "parts": [
    {
      "value": "a",
      "first": "1",
      "last": "f",
      "register": 1,
      "move_in": false,
      "move_out": true
    }
  ])"),
            std::string::npos)
      << text;
}

//===----------------------------------------------------------------------===//
// The judge
//===----------------------------------------------------------------------===//

/// The law that a plan with a in `home` and these parts of it breaks.
static std::string violation(int64_t home, std::vector<Part> parts) {
  return findViolation(readProblem(kTwoCalls), {{home}, {}, std::move(parts)});
}

// Statements: 1 is 0, f is 1, g is 2, 2 is 3.
TEST(RegistersJudge, MovesOfParts) {
  EXPECT_EQ(violation(0, {{0, 0, 1, 1, false, true}}), "");
  EXPECT_EQ(violation(0, {{0, 0, 1, 1, false, false}}),
            "'2' reads 'a' in r0, which holds nothing since 'f'");
  EXPECT_EQ(violation(1, {{0, 2, 3, 0, false, false}}),
            "'2' reads 'a' in r0, which holds nothing since 'f'");
  EXPECT_EQ(violation(1, {{0, 2, 3, 0, true, false}}), "");
  // Back over g, which has destroyed it.
  EXPECT_EQ(violation(1, {{0, 0, 1, 0, true, false}}),
            "'1' reads 'a' in r1, which holds nothing");
  // Too late: g has destroyed r1.
  EXPECT_EQ(violation(1, {{0, 3, 3, 0, true, false}}),
            "'2' reads 'a' in r1, which holds nothing since 'g'");
}

TEST(RegistersJudge, FormOfParts) {
  EXPECT_EQ(violation(0, {{0, 0, 9, 1}}), "a part is of no statement or value");
  EXPECT_EQ(violation(0, {{0, 0, 1, 2}}),
            "the part of 'a' from '1' on is in r2, which is reserved or does "
            "not exist");
  EXPECT_EQ(findViolation(
                readProblem("registers 2\nvalue a\nop 1 def a\nop 2 use a\n"),
                {{0}, {}, {{0, 1, 0, 1, true, false}}}),
            "the part of 'a' from '2' on does not end in its body");
  EXPECT_EQ(violation(0, {{0, 0, 2, 1}, {0, 1, 3, 1}}),
            "parts of 'a' overlap at 'g'");
  EXPECT_EQ(violation(kNone, {{0, 0, 1, 1, false, true}}),
            "'f' moves 'a', which has no register there");
  EXPECT_EQ(findViolation(readProblem("registers 2\nvalue a fixed 0\nop 1 def "
                                      "a\n"),
                          {{0}, {}, {{0, 0, 0, 1}}}),
            "the part of 'a' from '1' on is in r1, and the value is fixed to "
            "r0");
}

//===----------------------------------------------------------------------===//
// Seeds
//===----------------------------------------------------------------------===//

TEST(RegistersParts, SeedsChooseOtherRegistersThatAreRightToo) {
  RegisterProblem problem = randomProgram(3, {8, 14, true});
  std::set<std::vector<int64_t>> plans;
  for (uint32_t seed = 0; seed < 100; ++seed) {
    auto solution = planRegisters(problem, nullptr, seed);
    ASSERT_TRUE(solution);
    ASSERT_EQ(findViolation(problem, *solution), "");
    plans.insert(solution->registers);
  }
  EXPECT_GE(plans.size(), 90u);
  EXPECT_EQ(planRegisters(problem, nullptr, 7)->registers,
            planRegisters(problem, nullptr, 7)->registers);
}
