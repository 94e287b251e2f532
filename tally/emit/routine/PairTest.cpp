//===- PairTest.cpp - any helper inside any other -------------------------===//
//
// Two routines that work alone work when combined, in either nesting order, or
// there are too few registers and the refusal says who holds them. For each
// pair (outer, inner) the inner one runs while the outer one holds its
// registers:
//
//   outer, first half; inner, whole; outer, second half
//
// Outer leaves its number at address 0, inner at 4, whatever registers there
// are and in every mode.
//
//===----------------------------------------------------------------------===//

#include "tally/emit/encode/Encode.h"
#include "tally/emit/routine/TestHelpers.h"
#include "tally/machine/ShippedMachines.h"

#include <gtest/gtest.h>

using namespace tally;
using namespace tally::emit;

static Result<Code> compose(const HelperUse &outer, const HelperUse &inner,
                            const machine::Machine &machine,
                            RoutineOptions options) {
  Routine routine(machine, options);
  {
    Scope scope(routine, "pair");
    outer.record(scope, 0,
                 [&](Scope &body) { inner.record(body, 4, [](Scope &) {}); });
  }
  return routine.finish();
}

static void expectBoth(const HelperUse &outer, const HelperUse &inner,
                       const Code &code, const machine::Machine &machine) {
  Trace trace = run(code.instructions(), machine);
  ASSERT_EQ(trace.fault, "");
  ASSERT_EQ(trace.context[0], outer.result);
  ASSERT_EQ(trace.context[4], inner.result);
  ASSERT_EQ(trace.entries.size(),
            outer.entries + outer.repeats * inner.entries);
}

static const RoutineOptions kModes[] = {
    {},
    {.longPaths = true},
    {.seed = 1},
    {.seed = 2, .poison = true},
    {.minimalPool = true},
    {.longPaths = true, .seed = 3, .minimalPool = true, .poison = true},
};

class RoutinePairs : public testing::TestWithParam<size_t> {};

TEST_P(RoutinePairs, WorkInEitherNestingOrderAndMode) {
  const HelperUse &outer = allHelperUses()[GetParam()];
  machine::Machine machine = testMachine(8);
  for (const HelperUse &inner : allHelperUses())
    for (const RoutineOptions &mode : kModes) {
      SCOPED_TRACE(inner.name);
      Result<Code> code = compose(outer, inner, machine, mode);
      ASSERT_TRUE(code) << code.error().str();
      expectBoth(outer, inner, *code, machine);
      ASSERT_FALSE(HasFatalFailure());
    }
}

// With 1 to 7 registers: works, or says who holds what. More registers never
// make it worse, and both forms of a helper take the same.
TEST_P(RoutinePairs, WorkOrRefuseByNameWithFewRegisters) {
  const HelperUse &outer = allHelperUses()[GetParam()];
  for (const HelperUse &inner : allHelperUses()) {
    bool worked = false;
    for (size_t scratch = 1; scratch <= 7; ++scratch) {
      SCOPED_TRACE(std::string(inner.name) +
                   ", registers: " + std::to_string(scratch));
      machine::Machine machine = testMachine(scratch);
      Result<Code> code = compose(outer, inner, machine, {});
      Result<Code> longer = compose(outer, inner, machine, {true});
      ASSERT_EQ(bool(code), bool(longer));
      if (code) {
        worked = true;
        expectBoth(outer, inner, *code, machine);
        continue;
      }
      ASSERT_FALSE(worked);
      ASSERT_EQ(code.error().rule, "REG-8");
      ASSERT_NE(code.error().message.find("TestHelpers.cpp:"),
                std::string::npos);
    }
    ASSERT_TRUE(worked) << inner.name << " needs more than 7 registers";
    ASSERT_FALSE(HasFatalFailure());
  }
}

/// Rules by which a machine refuses what it has not.
static bool isRefusedByName(const Diagnostic &failure) {
  return failure.rule == "REG-8" || failure.rule == "ENC-MACHINE" ||
         failure.rule == "ENC-RANGE" || failure.rule == "CMD-WAY";
}

// On each machine that comes with Tally: works, or is refused by name. What
// works can be encoded.
TEST_P(RoutinePairs, OnShippedMachines) {
  const HelperUse &outer = allHelperUses()[GetParam()];
  for (const machine::ShippedMachine &shipped : machine::shippedMachines()) {
    Result<machine::Machine> machine =
        machine::findMachine(std::string(shipped.name));
    ASSERT_TRUE(machine) << machine.error().str();
    for (const HelperUse &inner : allHelperUses()) {
      SCOPED_TRACE(machine->name + ", " + inner.name);
      Result<Code> code = compose(outer, inner, *machine, {});
      if (!code) {
        ASSERT_TRUE(isRefusedByName(code.error())) << code.error().str();
        continue;
      }
      expectBoth(outer, inner, *code, *machine);
      for (const isa::Instruction &instruction : code->instructions()) {
        ASSERT_TRUE(isa::checkFor(instruction, *machine));
        ASSERT_EQ(*isa::decode(*isa::encode(instruction)), instruction);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Helpers, RoutinePairs,
                         testing::Range<size_t>(0, allHelperUses().size()),
                         [](const auto &info) {
                           std::string name = allHelperUses()[info.param].name;
                           std::erase_if(
                               name, [](char c) { return !std::isalnum(c); });
                           return name;
                         });
