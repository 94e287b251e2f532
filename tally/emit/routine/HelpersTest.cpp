//===- HelpersTest.cpp - what helpers do, in short and long form ----------===//

#include "tally/emit/routine/Commands.h"
#include "tally/emit/routine/Scalars.h"
#include "tally/emit/routine/TestHelpers.h"

#include <gtest/gtest.h>

#include <random>

using namespace tally;
using namespace tally::emit;

static Emitted emitted(const Program &program, RoutineOptions options = {}) {
  return emitOn(testMachine(8), program, options);
}

/// The word at address 0 of the context, in short form and in long.
static uint32_t wordOf(const Program &program) {
  Emitted usual = emitted(program), longer = emitted(program, {true});
  EXPECT_EQ(usual.failure, "");
  EXPECT_EQ(usual.trace, longer.trace);
  EXPECT_EQ(usual.trace.fault, "");
  return usual.trace.context[0];
}

static void store(Scope &scope, Operand value) {
  ContextWord(scope, {}, 0).store(value);
}

/// `values` and `count` more at random.
static std::vector<int32_t> withRandom(std::vector<int32_t> values,
                                       size_t count, unsigned seed) {
  std::mt19937 random(seed);
  for (; count > 0; --count)
    values.push_back(static_cast<int32_t>(random()));
  return values;
}

TEST(RoutineHelpers, Constants) {
  std::vector<int32_t> values =
      withRandom({0, 1, -1, 2047, 2048, 4095, -2048, -2049, INT32_MIN,
                  INT32_MAX, 4096, 8192, 0x1800, 0x7ffff800},
                 100, 1);
  for (int32_t value : values)
    EXPECT_EQ(wordOf([&](Scope &scope) {
                store(scope, constant(scope, value, "value"));
              }),
              static_cast<uint32_t>(value));
}

TEST(RoutineHelpers, SumsAndMultiples) {
  std::vector<int32_t> values =
      withRandom({0, 1, 3, 12, 64, -1, -8, 4096, 40961}, 50, 2);
  for (int32_t value : values) {
    EXPECT_EQ(wordOf([&](Scope &scope) {
                Scratch index = constant(scope, 13, "index");
                addConstant(scope, index, index, value);
                store(scope, index);
              }),
              13u + static_cast<uint32_t>(value));
    EXPECT_EQ(wordOf([&](Scope &scope) {
                Scratch index = constant(scope, 13, "index");
                Scratch result = scope.borrow("multiple");
                scale(scope, result, index, value);
                store(scope, result);
              }),
              13u * static_cast<uint32_t>(value));
  }
}

TEST(RoutineHelpers, MultiplicationWhereTheMachineHasOne) {
  machine::Machine machine = testMachine(8);
  machine.processor.hasMultiply = true;
  Program program = [](Scope &scope) {
    Scratch index = constant(scope, 13, "index");
    Scratch result = scope.borrow("multiple");
    scale(scope, result, index, 40961);
    store(scope, result);
  };
  Emitted multiplied = emitOn(machine, program), added = emitted(program);
  EXPECT_EQ(multiplied.trace.context[0], 13u * 40961u);
  EXPECT_LT(multiplied.lines, added.lines);
}

// Words near and far from a base.
TEST(RoutineHelpers, ContextWords) {
  for (int32_t offset : {0, 8, 2044, 2048, 40000}) {
    Emitted result = emitted([&](Scope &scope) {
      Scratch base = constant(scope, 16, "base");
      Scratch value = scope.borrow("value");
      ContextWord word(scope, base, offset);
      word.load(value);
      addConstant(scope, value, value, 1);
      word.store(value);
    });
    auto address = static_cast<uint32_t>(16 + offset);
    EXPECT_EQ(result.trace.context[address], 1000 + address + 1);
  }
}

//===----------------------------------------------------------------------===//
// Long forms
//===----------------------------------------------------------------------===//

// A small offset and one beyond 2^31 take the same registers, in either mode.
TEST(RoutineHelpers, FarOffsetsTakeNoMoreRegisters) {
  auto with = [](int64_t offset) {
    return [offset](Scope &scope) {
      Scratch kept = constant(scope, 1, "kept");
      issue(scope, testCopy(offset));
      store(scope, kept);
    };
  };
  int64_t far = (int64_t(1) << 31) + 8;
  for (bool longPaths : {false, true}) {
    Emitted near = emitted(with(0), {longPaths});
    Emitted beyond = emitted(with(far), {longPaths});
    EXPECT_EQ(near.failure, "");
    EXPECT_EQ(beyond.registers, (std::set<int64_t>{5, 6}));
    EXPECT_NE(near.trace.entries, beyond.trace.entries);
    // A machine with just those registers takes both; with one fewer, neither.
    for (Program program : {with(0), with(far)}) {
      EXPECT_EQ(emitOn(testMachine(2), program, {longPaths}).failure, "");
      EXPECT_NE(emitOn(testMachine(1), program, {longPaths}).failure, "");
    }
  }
}

// Addends of 0 reserve what far ones take, until the command has completed.
TEST(RoutineHelpers, TwoFarAddendsOfOneCommand) {
  auto with = [](int32_t first, int32_t second) {
    return [=](Scope &scope) {
      issue(scope, testCopy(0), {}, Addend::of(scope, first),
            Addend::of(scope, second));
    };
  };
  Emitted both = emitted(with(70000, 80000));
  EXPECT_NE(both.trace.entries[0].find(" 70000 80000"), std::string::npos);
  EXPECT_EQ(emitOn(testMachine(3), with(70000, 80000)).failure, "");
  EXPECT_EQ(emitOn(testMachine(3), with(0, 0)).failure, "");
  for (Program program : {with(70000, 80000), with(0, 0)}) {
    std::string failure = emitOn(testMachine(1), program).failure;
    EXPECT_NE(failure.find("registers needed at"), std::string::npos);
    EXPECT_NE(failure.find("addend"), std::string::npos) << failure;
  }
}

// A far threshold is read late, so in a loop the next trip would overwrite it.
// A near one is refused with the same words, and not once a network is large.
TEST(RoutineHelpers, ThresholdsInLoopsNeedAFence) {
  auto with = [](int64_t threshold, bool fences) {
    return [=](Scope &scope) {
      loop(scope, 3, "tiles", [&](Scope &body) {
        Pending wait = waitReached(body, 1, 2, threshold);
        if (fences)
          waitFor(body, wait);
      });
    };
  };
  for (int64_t threshold : {5, 5000}) {
    EXPECT_EQ(emitted(with(threshold, true)).failure, "");
    std::string failure = emitted(with(threshold, false)).failure;
    EXPECT_NE(failure.find("(threshold, HelpersTest.cpp:"), std::string::npos)
        << failure;
    EXPECT_NE(failure.find("while queue 'matrix' may still read it [REG-7]"),
              std::string::npos)
        << failure;
  }
}

// The result is the operand: the far addend is in another register, or nowhere.
TEST(RoutineHelpers, ResultIsTheOperand) {
  Program program = [](Scope &scope) {
    Scratch value = constant(scope, 1, "value");
    addConstant(scope, value, value, 70000);
    store(scope, value);
  };
  EXPECT_EQ(emitOn(testMachine(2), program).trace.context[0], 70001u);
  std::string failure = emitOn(testMachine(1), program).failure;
  EXPECT_NE(failure.find("2 registers needed at 'lui@"), std::string::npos)
      << failure;
  EXPECT_NE(failure.find("(value, HelpersTest.cpp:"), std::string::npos);
}

// 1,100 instructions are more than a branch of 4 KiB jumps over.
TEST(RoutineHelpers, LoopsAndBranchesThatAreFar) {
  Emitted result = emitted([](Scope &scope) {
    Scratch sum = constant(scope, 0, "sum");
    Scratch limit = constant(scope, 2200, "limit");
    loop(scope, 3, "big", [&](Scope &body) {
      branch(body, sum, Relation::Less, limit, [&](Scope &then) {
        for (int i = 0; i < 1100; ++i)
          addConstant(then, sum, sum, 1);
      });
    });
    store(scope, sum);
  });
  EXPECT_EQ(result.failure, "");
  EXPECT_EQ(result.trace.context[0], 2200u);
}

TEST(RoutineHelpers, JumpThatIsTooFar) {
  std::string failure =
      emitted([](Scope &scope) {
        Scratch sum = constant(scope, 0, "sum");
        loop(scope, 3, "huge", [&](Scope &body) {
          body.routine().inlined(
              "padding",
              std::vector<isa::Instruction>(263000, {isa::Opcode::Addi, {}}),
              0);
        });
      }).failure;
  EXPECT_NE(failure.find("jumps over -1052"), std::string::npos) << failure;
  EXPECT_NE(failure.find("[EMIT-6]"), std::string::npos);
}

// Region and offset: the offset is a register, or a register plus a number, and
// takes the same registers in each case.
TEST(RoutineHelpers, OffsetsFromRegisters) {
  auto with = [](int32_t plus) {
    return [plus](Scope &scope) {
      Scratch tile = constant(scope, 512, "tile");
      issue(scope, testCopy(0),
            {{static_cast<uint32_t>(isa::DmaField::SrcOffset), tile, plus}});
      store(scope, tile);
    };
  };
  for (int32_t plus : {0, 64, 70000}) {
    Emitted result = emitted(with(plus)), fixed = emitted([&](Scope &scope) {
                                            issue(scope, testCopy(512 + plus));
                                          });
    EXPECT_EQ(result.trace.entries, fixed.trace.entries);
    EXPECT_EQ(emitOn(testMachine(3), with(plus)).failure, "");
    EXPECT_NE(emitOn(testMachine(1), with(plus)).failure, "");
  }
}

//===----------------------------------------------------------------------===//
// Control
//===----------------------------------------------------------------------===//

/// How often the body runs, for trips that are known and that are not.
TEST(RoutineHelpers, Trips) {
  for (int32_t trips : {0, 1, 2, 7}) {
    auto count = [&](bool known) {
      return wordOf([&](Scope &scope) {
        Scratch sum = constant(scope, 0, "sum");
        auto body = [&](Scope &inner) { addConstant(inner, sum, sum, 1); };
        if (known)
          loop(scope, trips, "known", body);
        else
          loop(scope, constant(scope, trips, "trips"), "unknown", body);
        store(scope, sum);
      });
    };
    EXPECT_EQ(count(true), static_cast<uint32_t>(trips));
    EXPECT_EQ(count(false), static_cast<uint32_t>(trips));
  }
}

TEST(RoutineHelpers, Relations) {
  struct Case {
    Relation relation;
    bool holds; ///< for -1 and 1
  };
  for (auto [relation, holds] :
       {Case{Relation::Equal, false}, Case{Relation::NotEqual, true},
        Case{Relation::Less, true}, Case{Relation::GreaterEqual, false},
        Case{Relation::LessUnsigned, false},
        Case{Relation::GreaterEqualUnsigned, true}}) {
    EXPECT_EQ(
        wordOf([&](Scope &scope) {
          Scratch a = constant(scope, -1, "a");
          Scratch b = constant(scope, 1, "b");
          Scratch result = scope.borrow("result");
          branch(
              scope, a, relation, b,
              [&](Scope &then) { setConstant(then, result, 10); },
              [&](Scope &otherwise) { setConstant(otherwise, result, 20); });
          store(scope, result);
        }),
        holds ? 10u : 20u);
  }
}

// What one trip leaves staged, the next may not count on: offset is 0 at first
// and 64 later, and each trip stages it again. Behind a branch, what both ways
// have staged is known.
TEST(RoutineHelpers, StagedFieldsAroundLoopsAndBranches) {
  Emitted result = emitted([](Scope &scope) {
    loop(scope, 2, "rows", [](Scope &body) {
      issue(body, testCopy(0));
      issue(body, testCopy(64));
    });
    Scratch zero = constant(scope, 0, "zero");
    branch(
        scope, zero, Relation::Equal, {},
        [](Scope &then) { issue(then, testCopy(128)); },
        [](Scope &otherwise) { issue(otherwise, testCopy(192)); });
    issue(scope, testCopy(64));
  });
  std::vector<std::string> &entries = result.trace.entries;
  ASSERT_EQ(entries.size(), 6u);
  EXPECT_EQ(entries[0], entries[2]);
  EXPECT_EQ(entries[1], entries[3]);
  EXPECT_EQ(entries[1], entries[5]);
  EXPECT_NE(entries[0], entries[1]);
}

// The second command differs in one field of 27: one cfg, one go.
TEST(RoutineHelpers, KnownFieldsAreNotStagedAgain) {
  auto copies = [](int count) {
    return emitted([count](Scope &scope) {
             for (int i = 0; i < count; ++i)
               issue(scope, testCopy(64 * i));
           })
        .lines;
  };
  EXPECT_EQ(copies(2), copies(1) + 2);
}

// A body that keeps its fields need not stage them: all 27 of the command in
// the body of one that does not, none but the offset in one that keeps the
// others.
TEST(RoutineHelpers, KeptFieldsAreKnownInTheBody) {
  auto lines = [](const StagedFields &kept) {
    Emitted result = emitted([&](Scope &scope) {
      issue(scope, testCopy(128));
      loop(scope, 2, "rows", kept, [](Scope &body) {
        issue(body, testCopy(0));
        issue(body, testCopy(64));
      });
    });
    EXPECT_EQ(result.failure, "");
    EXPECT_EQ(result.trace.entries.size(), 5u);
    EXPECT_EQ(result.trace.entries[1], result.trace.entries[3]);
    return result.lines;
  };
  auto fields =
      static_cast<uint32_t>(isa::allFields(machine::EngineKind::Dma).size());
  StagedFields kept;
  for (uint32_t field = 0; field < fields; ++field)
    if (field != static_cast<uint32_t>(isa::DmaField::SrcOffset))
      kept.push_back({0, field});
  // A field beyond 14 bits takes more than one line.
  EXPECT_GE(lines({}), lines(kept) + fields - 1);
}

// Lines belong to the node that was begun last when they were recorded; the
// branch of a loop to that before its body, the end to none.
TEST(RoutineHelpers, LinesBelongToNodes) {
  machine::Machine machine = testMachine(4);
  Routine routine(machine);
  {
    Scope scope(routine, "all");
    routine.beginNode("first");
    loop(scope, 2, "rows", [&](Scope &body) {
      routine.beginNode("second");
      fence(body, 0, 0);
    });
    routine.beginNode("");
    fenceAll(scope);
  }
  Result<Code> code = routine.finish();
  ASSERT_TRUE(code) << code.error().str();
  std::vector<std::string> names;
  for (const CodeLine &line : code->lines)
    names.push_back(code->nodes[line.node]);
  // li, fence, addi, bne, fence.all, ecall
  EXPECT_EQ(names, (std::vector<std::string>{"first", "second", "second",
                                             "first", "", ""}));
}

// 5 is made once in a row, and again behind the head of a loop.
TEST(RoutineHelpers, CachedConstantsEndAtLabels) {
  auto lines = [](bool inLoop) {
    Emitted result = emitted([inLoop](Scope &scope) {
      ConstantCache cache(scope);
      Scratch sum = constant(scope, 0, "sum");
      add(scope, sum, sum, cache.get(5));
      add(scope, sum, sum, cache.get(5));
      auto body = [&](Scope &inner) { add(inner, sum, sum, cache.get(5)); };
      if (inLoop)
        loop(scope, 2, "again", body);
      else
        body(scope);
      store(scope, sum);
    });
    EXPECT_EQ(result.failure, "");
    EXPECT_EQ(result.trace.context[0], inLoop ? 20u : 15u);
    return result.lines;
  };
  // The loop sets, counts and tests its counter, and makes 5 again.
  EXPECT_EQ(lines(true), lines(false) + 4);
}

// Poison overwrites a register behind the last read of its value; so what a
// later instruction finds there by luck is found out.
TEST(RoutineHelpers, PoisonOverwritesWhatHoldsNothing) {
  machine::Machine machine = testMachine(2);
  Routine routine(machine, {.poison = true});
  {
    Scope scope(routine, "test");
    store(scope, constant(scope, 7, "first"));
    fenceAll(scope);
    store(scope, constant(scope, 8, "second"));
  }
  Result<Code> code = routine.finish();
  ASSERT_TRUE(code) << code.error().str();
  std::vector<std::string> lines;
  for (const CodeLine &line : code->lines)
    lines.push_back(line.origin.substr(0, line.origin.find('@')));
  // Both are poisoned at the start, and x5 behind each store; x6 is left as it
  // is, since nothing was ever in it.
  EXPECT_EQ(lines, (std::vector<std::string>{"poison", "poison", "addi", "sw",
                                             "poison", "fence.all", "addi",
                                             "sw", "poison", "end"}));
  EXPECT_EQ(run(code->instructions(), machine).context.at(0), 8u);
}

TEST(RoutineHelpers, LongPathsAreLonger) {
  Program program = [](Scope &scope) {
    loop(scope, 2, "rows", [](Scope &body) { issue(body, testCopy(0)); });
  };
  EXPECT_GT(emitted(program, {.longPaths = true}).lines,
            emitted(program).lines + 27);
}
