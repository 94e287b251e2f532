//===- TestHelpers.cpp - the helpers as data for tests --------------------===//

#include "tally/emit/routine/TestHelpers.h"

#include "tally/emit/routine/Commands.h"
#include "tally/emit/routine/Scalars.h"

#include <gtest/gtest.h>

using namespace tally;
using namespace tally::emit;

static void store(Scope &scope, int32_t address, Operand value) {
  ContextWord(scope, {}, address).store(value);
}

Emitted tally::emit::emitOn(const machine::Machine &machine,
                            const Program &program, RoutineOptions options) {
  Routine routine(machine, options);
  {
    Scope scope(routine, "test");
    program(scope);
  }
  Emitted result;
  Result<Code> code = routine.finish();
  if (!code) {
    result.failure = code.error().str();
    return result;
  }
  result.trace = run(code->instructions(), machine);
  result.lines = code->lines.size();
  for (const CodeLine &line : code->lines)
    if (line.rd)
      result.registers.insert(line.instruction.operand(isa::OperandKind::Rd));
  return result;
}

isa::Command tally::emit::testCopy(int64_t offset) {
  CopySide source{isa::kArenaRegion, offset, {0, 0, 64, 1}};
  CopySide destination{isa::kSram, 0, {0, 0, 64, 1}};
  Result<isa::Command> command =
      copyCommand(0, {1, 1, 4, 16}, 1, source, destination);
  EXPECT_TRUE(command) << command.error().str();
  return *command;
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

static void nearConstant(Scope &scope, int32_t address, const Inside &inside) {
  Scratch value = constant(scope, 21, "near constant");
  inside(scope);
  store(scope, address, value);
}

static void farConstant(Scope &scope, int32_t address, const Inside &inside) {
  Scratch value = constant(scope, 123456789, "far constant");
  inside(scope);
  store(scope, address, value);
}

static void sums(Scope &scope, int32_t address, const Inside &inside) {
  Scratch value = constant(scope, 5, "sum");
  addConstant(scope, value, value, 70000);
  inside(scope);
  addConstant(scope, value, value, 1);
  store(scope, address, value);
}

static void twoValues(Scope &scope, int32_t address, const Inside &inside) {
  Scratch a = constant(scope, 100, "first");
  Scratch b = constant(scope, 11, "second");
  inside(scope);
  add(scope, a, a, b);
  copy(scope, b, a);
  store(scope, address, b);
}

static void multiples(Scope &scope, int32_t address, const Inside &inside) {
  Scratch index = constant(scope, 7, "index");
  inside(scope);
  Scratch result = scope.borrow("multiple");
  scale(scope, result, index, 12);
  store(scope, address, result);
}

static void nearWord(Scope &scope, int32_t address, const Inside &inside) {
  Scratch value = constant(scope, 31, "word");
  ContextWord word(scope, {}, address);
  inside(scope);
  word.store(value);
  word.load(value);
  word.store(value);
}

// At 4,096 + address by a base of 4,096; the result is copied from there.
static void farWord(Scope &scope, int32_t address, const Inside &inside) {
  Scratch base = constant(scope, 4096, "base");
  Scratch value = constant(scope, 41, "word");
  ContextWord word(scope, base, address);
  inside(scope);
  word.store(value);
  word.load(value);
  store(scope, address, value);
}

static void cached(Scope &scope, int32_t address, const Inside &inside) {
  ConstantCache cache(scope);
  Scratch sum = constant(scope, 0, "sum");
  add(scope, sum, sum, cache.get(9));
  inside(scope);
  add(scope, sum, sum, cache.get(9));
  store(scope, address, sum);
}

//===----------------------------------------------------------------------===//
// Control
//===----------------------------------------------------------------------===//

static void knownLoop(Scope &scope, int32_t address, const Inside &inside) {
  Scratch sum = constant(scope, 0, "sum");
  loop(scope, 3, "known", [&](Scope &body) {
    inside(body);
    addConstant(body, sum, sum, 2);
  });
  store(scope, address, sum);
}

static void unknownLoop(Scope &scope, int32_t address, const Inside &inside) {
  Scratch sum = constant(scope, 0, "sum");
  Scratch trips = constant(scope, 2, "trips");
  loop(scope, trips, "unknown", [&](Scope &body) {
    inside(body);
    addConstant(body, sum, sum, 4);
  });
  store(scope, address, sum);
}

static void taken(Scope &scope, int32_t address, const Inside &inside) {
  Scratch a = constant(scope, 1, "a"), b = constant(scope, 2, "b");
  Scratch result = scope.borrow("result");
  branch(
      scope, a, Relation::Less, b,
      [&](Scope &then) {
        inside(then);
        setConstant(then, result, 55);
      },
      [&](Scope &otherwise) { setConstant(otherwise, result, 66); });
  store(scope, address, result);
}

static void notTaken(Scope &scope, int32_t address, const Inside &inside) {
  Scratch a = constant(scope, 1, "a"), b = constant(scope, 2, "b");
  Scratch result = constant(scope, 77, "result");
  branch(
      scope, a, Relation::Equal, b,
      [&](Scope &then) { setConstant(then, result, 88); },
      [&](Scope &otherwise) { inside(otherwise); });
  store(scope, address, result);
}

//===----------------------------------------------------------------------===//
// Commands
//===----------------------------------------------------------------------===//

static void fields(Scope &scope, int32_t address, const Inside &inside) {
  Scratch value = constant(scope, 91, "field");
  auto field = static_cast<uint32_t>(isa::DmaField::SrcOffset);
  configure(scope, 0, field, int64_t(1) << 30);
  inside(scope);
  configure(scope, 0, field, value);
  store(scope, address, value);
}

static void command(Scope &scope, int32_t address, const Inside &inside) {
  Scratch value = constant(scope, 101, "value");
  issue(scope, testCopy(256));
  inside(scope);
  store(scope, address, value);
}

static void runtimeCommand(Scope &scope, int32_t address,
                           const Inside &inside) {
  Scratch value = constant(scope, 64, "offset");
  inside(scope);
  issue(scope, testCopy(0),
        {{static_cast<uint32_t>(isa::DmaField::SrcOffset), value}});
  store(scope, address, value);
}

// The addends stay in flight until the fence.
static void lateCommand(Scope &scope, int32_t address, const Inside &inside) {
  Pending pending;
  {
    Scope inner(scope.routine(), "issue");
    pending = issue(inner, testCopy(0), {}, Addend::of(inner, 128),
                    Addend::of(inner, 0));
  }
  inside(scope);
  waitFor(scope, pending);
  store(scope, address, constant(scope, 111, "done"));
}

static void lateThreshold(Scope &scope, int32_t address, const Inside &inside) {
  Pending pending = waitReached(scope, 1, 2, 5000);
  inside(scope);
  waitFor(scope, pending);
  store(scope, address, constant(scope, 121, "done"));
}

static void order(Scope &scope, int32_t address, const Inside &inside) {
  signal(scope, 0, 1);
  waitReached(scope, 1, 1, 1);
  inside(scope);
  waitBehind(scope, 2, 1, 0);
  fence(scope, 1, 0);
  store(scope, address, constant(scope, 131, "done"));
}

static void drained(Scope &scope, int32_t address, const Inside &inside) {
  signal(scope, 2, 3);
  inside(scope);
  fenceAll(scope);
  store(scope, address, constant(scope, 141, "done"));
}

const std::vector<HelperUse> &tally::emit::allHelperUses() {
  static const std::vector<HelperUse> uses = {
      {"near constant", 21, 0, 1, nearConstant},
      {"far constant", 123456789, 0, 1, farConstant},
      {"sums", 70006, 0, 1, sums},          // 5 + 70000 + 1
      {"two values", 111, 0, 1, twoValues}, // 100 + 11
      {"multiples", 84, 0, 1, multiples},   // 7 * 12
      {"near word", 31, 0, 1, nearWord},
      {"far word", 41, 0, 1, farWord},
      {"cached constants", 18, 0, 1, cached}, // 9 + 9
      {"known loop", 6, 0, 3, knownLoop},     // 3 * 2
      {"unknown loop", 8, 0, 2, unknownLoop}, // 2 * 4
      {"branch taken", 55, 0, 1, taken},
      {"branch not taken", 77, 0, 1, notTaken},
      {"fields", 91, 0, 1, fields},
      {"command", 101, 1, 1, command},
      {"command of run-time fields", 64, 1, 1, runtimeCommand},
      {"command of late addends", 111, 1, 1, lateCommand},
      {"late threshold", 121, 1, 1, lateThreshold},
      {"order", 131, 3, 1, order},
      {"drained", 141, 1, 1, drained},
  };
  return uses;
}
