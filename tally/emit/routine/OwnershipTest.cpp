//===- OwnershipTest.cpp - who may use a scratch register when ------------===//

#include "tally/emit/routine/Commands.h"
#include "tally/emit/routine/Scalars.h"
#include "tally/emit/routine/TestProcessor.h"

#include <gtest/gtest.h>

using namespace tally;
using namespace tally::emit;

namespace {
/// A routine on a machine with some scratch registers, from x5 on.
struct Bench {
  explicit Bench(size_t scratch, RoutineOptions options = {})
      : machine(testMachine(scratch)), routine(machine, options) {}

  machine::Machine machine;
  Routine routine;

  std::string failure() {
    Result<Code> code = routine.finish();
    return code ? "" : withoutLines(code.error().str());
  }
  /// "OwnershipTest.cpp:41#12" as "L": tests may move in this file.
  static std::string withoutLines(std::string text) {
    const std::string file = "OwnershipTest.cpp:";
    for (size_t at = 0; (at = text.find(file, at)) != text.npos;) {
      size_t end = text.find_first_not_of("0123456789#", at + file.size());
      text.replace(at, std::min(end, text.size()) - at, "L");
    }
    return text;
  }
  Trace trace() {
    Result<Code> code = routine.finish();
    EXPECT_TRUE(code) << (code ? "" : code.error().str());
    return code ? run(code->instructions(), machine) : Trace();
  }
};
} // namespace

static void store(Scope &scope, const Scratch &value, int32_t address) {
  ContextWord(scope, {}, address).store(value);
}

// Three values of one scope live at once, two registers.
TEST(RoutineOwnership, RunningOutNamesHolders) {
  Bench bench(2);
  {
    Scope scope(bench.routine, "copy row");
    Scratch a = constant(scope, 1, "row base");
    Scratch b = constant(scope, 2, "row pitch");
    Scratch c = constant(scope, 3, "row count");
    add(scope, a, a, b);
    add(scope, a, a, c);
  }
  EXPECT_EQ(bench.failure(),
            "3 registers needed at 'addi@L', 2 usable and the machine has no "
            "save area: '%0' (row base, L; written by 'addi@L', needed until "
            "'add@L'), '%1' (row pitch, L; written by 'addi@L', needed until "
            "'add@L'), '%2' (row count, L; written by 'addi@L', needed until "
            "'add@L') [REG-8]; shorten a life");
}

// The outer value survives what the inner scope does.
TEST(RoutineOwnership, NestedScopesHaveDifferentRegisters) {
  Bench bench(3);
  {
    Scope outer(bench.routine, "outer");
    Scratch kept = constant(outer, 7, "kept");
    {
      Scope inner(bench.routine, "inner");
      Scratch other = constant(inner, 8, "other");
      store(inner, other, 0);
    }
    store(outer, kept, 4);
  }
  EXPECT_EQ(bench.trace().context,
            (std::map<uint32_t, uint32_t>{{0, 8}, {4, 7}}));
}

TEST(RoutineOwnership, InnerScopeCannotReleaseTheOutersHandle) {
  Bench bench(2);
  Scope outer(bench.routine, "outer");
  Scratch handle = constant(outer, 7, "base");
  Scope inner(bench.routine, "inner");
  Status status = inner.release(std::move(handle));
  ASSERT_FALSE(status);
  EXPECT_EQ(Bench::withoutLines(status.takeError().str()),
            "scope 'inner' is given 'base' (L), which scope 'outer' has lent "
            "[EMIT-2]; release it there");
  // Nothing has changed: the handle still works, and its scope takes it, once.
  // NOLINTBEGIN(bugprone-use-after-move): a refused release moves nothing
  store(inner, handle, 0);
  EXPECT_TRUE(bench.routine.status());
  EXPECT_TRUE(inner.close());
  EXPECT_TRUE(outer.release(std::move(handle)));
  status = outer.release(std::move(handle));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.takeError().str(),
            "scope 'outer' is given a handle that was moved away or given back "
            "[EMIT-1]; release a handle once");
  // NOLINTEND(bugprone-use-after-move)
  EXPECT_TRUE(outer.close());
}

TEST(RoutineOwnership, OuterScopeCannotCloseFirst) {
  Bench bench(2);
  auto outer = std::make_unique<Scope>(bench.routine, "outer");
  Scratch handle = constant(*outer, 7, "base");
  auto inner = std::make_unique<Scope>(bench.routine, "inner");
  Status status = outer->close();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.takeError().str(),
            "scope 'outer' is closed while 'inner', opened inside, is open "
            "[EMIT-3]; close the inner one first");
  store(*inner, handle, 0);
  EXPECT_TRUE(inner->close());
  EXPECT_TRUE(outer->close());
  EXPECT_EQ(bench.trace().context, (std::map<uint32_t, uint32_t>{{0, 7}}));
}

// The same from a destructor: the routine keeps it as its failure.
TEST(RoutineOwnership, OuterScopeThatDiesFirst) {
  Bench bench(2);
  auto outer = std::make_unique<Scope>(bench.routine, "outer");
  Scope inner(bench.routine, "inner");
  outer.reset();
  EXPECT_FALSE(bench.routine.status());
  EXPECT_TRUE(inner.close());
}

TEST(RoutineOwnership, UseAfterTheScope) {
  Bench bench(4);
  std::optional<Operand> escaped;
  {
    Scope inner(bench.routine, "inner");
    Scratch value = constant(inner, 1, "base");
    escaped = value;
  }
  // The slot is somebody else's by now; the generation tells.
  {
    Scope scope(bench.routine, "later");
    Scratch other = constant(scope, 2, "other");
    copy(scope, other, *escaped);
  }
  EXPECT_EQ(bench.failure(),
            "'addi@L' uses 'base' (L), whose borrow has ended: its handle gave "
            "it back [EMIT-1]; keep the handle in a scope that lives as long");
}

// Handles on the heap outlive their scope as objects only.
TEST(RoutineOwnership, HandleThatOutlivesItsScope) {
  Bench bench(4);
  std::vector<Scratch> kept;
  {
    Scope inner(bench.routine, "inner");
    kept.push_back(constant(inner, 1, "base"));
  }
  {
    Scope scope(bench.routine, "later");
    copy(scope, kept[0], {});
  }
  EXPECT_EQ(bench.failure(),
            "'addi@L' uses 'base' (L), whose borrow has ended: scope 'inner' "
            "has closed [EMIT-1]; keep the handle in a scope that lives as "
            "long");
}

TEST(RoutineOwnership, SlowPathAfterTheScope) {
  Bench bench(4);
  std::function<void()> slowPath;
  Scope scope(bench.routine, "routine");
  {
    Scope inner(bench.routine, "fast path");
    Scratch value = constant(inner, 1, "limit");
    Operand operand = value;
    slowPath = [&scope, operand] {
      Scratch result = scope.borrow("slow result");
      copy(scope, result, operand);
    };
  }
  slowPath();
  EXPECT_TRUE(scope.close());
  EXPECT_EQ(bench.failure(),
            "'addi@L' uses 'limit' (L), whose borrow has ended: its handle "
            "gave it back [EMIT-1]; keep the handle in a scope that lives as "
            "long");
}

TEST(RoutineOwnership, BorrowFromAClosedScope) {
  Bench bench(4);
  Scope scope(bench.routine, "scope");
  EXPECT_TRUE(scope.close());
  EXPECT_FALSE(scope.close());
  Scratch value = scope.borrow("late comer");
  EXPECT_EQ(bench.failure(),
            "'late comer' (L) is borrowed from scope 'scope', which is closed "
            "[EMIT-1]; borrow from a scope that is open");
}

TEST(RoutineOwnership, HandleThatWasMovedAway) {
  Bench bench(4);
  {
    Scope scope(bench.routine, "scope");
    Scratch value = constant(scope, 1, "base");
    Scratch other = std::move(value);
    store(scope, value, 0); // NOLINT: the mistake
  }
  EXPECT_EQ(bench.failure(),
            "'sw@L' uses a handle that was moved away or given back [EMIT-1]; "
            "use the handle it was moved to");
}

TEST(RoutineOwnership, HandleOfAnotherRoutine) {
  Bench one(4), two(4);
  Scope scope(one.routine, "one");
  Scratch value = constant(scope, 1, "base");
  {
    Scope other(two.routine, "two");
    ContextWord(other, {}, 0).store(value);
  }
  EXPECT_EQ(two.failure(),
            "'sw@L' uses a register of another routine [EMIT-4]; pass values "
            "between routines in the context");
  EXPECT_TRUE(scope.close());
}

TEST(RoutineOwnership, FinishingTooEarlyOrTwice) {
  Bench bench(4);
  Scope scope(bench.routine, "scope");
  EXPECT_EQ(bench.failure(), "the routine is finished while scope 'scope' is "
                             "open [EMIT-3]; close it before");
  EXPECT_TRUE(scope.close());
  EXPECT_EQ(bench.failure(), "");
  EXPECT_EQ(bench.failure(),
            "the routine is finished twice [EMIT-3]; finish it once");
}

TEST(RoutineOwnership, ReadOfWhatNobodyHasWritten) {
  Bench bench(4);
  {
    Scope scope(bench.routine, "scope");
    Scratch value = scope.borrow("row pitch");
    store(scope, value, 0);
  }
  EXPECT_EQ(bench.failure(), "'sw@L' reads '%0' (row pitch, L), which is not "
                             "written on every path to it [REG-6]; write it "
                             "before, on each path");
}

//===----------------------------------------------------------------------===//
// What queues read late
//===----------------------------------------------------------------------===//

static isa::Command vectorCopy() {
  isa::Command command;
  command.code = isa::CommandCode::VectorCopy;
  command.queue = 2;
  command.config = isa::Configuration(machine::EngineKind::Vector);
  return command;
}

/// A DMA of one byte.
static isa::Command copyByte() {
  CopySide source{isa::kArenaRegion, 0, {}}, destination{isa::kSram, 0, {}};
  Result<isa::Command> command =
      copyCommand(0, {1, 1, 1, 1}, 1, source, destination);
  EXPECT_TRUE(command) << command.error().str();
  return *command;
}

/// A command reads `base` late; then something else is written to it.
static void overwrite(Bench &bench, bool waits) {
  Scope scope(bench.routine, "scope");
  Scratch base = constant(scope, 64, "base");
  Pending pending = issue(scope, copyByte(), {}, base);
  if (waits)
    waitFor(scope, pending);
  setConstant(scope, base, 128);
  store(scope, base, 0);
}

TEST(RoutineLate, OverwritingWhatACommandReadsLate) {
  Bench bench(4);
  overwrite(bench, false);
  EXPECT_EQ(bench.failure(),
            "'addi@L' writes '%0' (base, L) while queue 'dma' "
            "may still read it [REG-7]; wait for 'dma' before, "
            "or write another value");
}

TEST(RoutineLate, CoveringFenceAllowsIt) {
  Bench bench(4);
  overwrite(bench, true);
  EXPECT_EQ(bench.failure(), "");
}

TEST(RoutineLate, LatchedOperandsAllowIt) {
  Bench bench(4);
  bench.machine.latchesOperands = true;
  overwrite(bench, false);
  EXPECT_EQ(bench.failure(), "");
}

// dma and vector both read base; waiting for one is not enough.
TEST(RoutineLate, TheOtherQueueStillReads) {
  Bench bench(4);
  {
    Scope scope(bench.routine, "scope");
    Scratch base = constant(scope, 0, "base");
    Pending dma = issue(scope, copyByte(), {}, base);
    issue(scope, vectorCopy(), {}, {}, base);
    waitFor(scope, dma);
    setConstant(scope, base, 128);
  }
  EXPECT_EQ(bench.failure(), "'addi@L' writes '%0' (base, L) while queue "
                             "'vector' may still read it [REG-7]; wait for "
                             "'vector' before, or write another value");
}

/// A command reads base late; its Pending and the handle are gone. The one
/// register of the pool is busy, and two values want it.
static void dropPending(Bench &bench, bool waits) {
  Scope scope(bench.routine, "scope");
  {
    Scope inner(bench.routine, "issue");
    Scratch base = constant(inner, 64, "base");
    std::vector<Pending> pending;
    pending.push_back(issue(inner, copyByte(), {}, base));
  }
  if (waits)
    fenceAll(scope);
  Scratch next = constant(scope, 1, "next");
  copy(scope, next, next);
}

TEST(RoutineLate, DroppedPendingFreesNothing) {
  // wide fields take the second register while base is being set up.
  Bench bench(2);
  dropPending(bench, false);
  EXPECT_EQ(bench.failure(), "");
  Bench small(1);
  dropPending(small, false);
  std::string failure = small.failure();
  EXPECT_NE(failure.find("[REG-8]"), std::string::npos) << failure;
}

// Three bases in flight, and a fourth value: the refusal says which fence
// helps.
TEST(RoutineLate, InFlightHoldersAndWhatWouldFreeThem) {
  Bench bench(3);
  {
    Scope scope(bench.routine, "scope");
    for (int32_t tile = 0; tile < 3; ++tile) {
      Scratch base = constant(scope, 64 * tile, "base of a tile");
      issue(scope, copyByte(), {}, base);
    }
  }
  std::string failure = bench.failure();
  EXPECT_NE(failure.find("'%0' (base of a tile, L; written by 'addi@L', in "
                         "flight on 'dma' until the end)"),
            std::string::npos)
      << failure;
  EXPECT_NE(failure.find("a wait for 'dma' before"), std::string::npos)
      << failure;
}

// A program that never waits has ever more in flight; it is refused as soon.
TEST(RoutineLate, NobodyWaitsForThousands) {
  Bench bench(3);
  {
    Scope scope(bench.routine, "scope");
    for (int32_t tile = 0; tile < 3000; ++tile)
      issue(scope, copyByte(), {}, Addend::of(scope, tile));
  }
  std::string failure = bench.failure();
  EXPECT_NE(failure.find("(addend, L; written by"), std::string::npos)
      << failure;
  EXPECT_NE(failure.find("a wait for 'dma' before"), std::string::npos);
}

// With the fence that is advised; the newest may be unfinished.
TEST(RoutineLate, FencesMakeRoom) {
  Bench bench(3);
  {
    Scope scope(bench.routine, "scope");
    std::optional<Pending> last;
    for (int32_t tile = 0; tile < 10; ++tile) {
      Scratch base = constant(scope, 64 * tile, "base of a tile");
      Pending now = issue(scope, copyByte(), {}, base);
      if (last)
        waitFor(scope, *last);
      last = now;
    }
  }
  EXPECT_EQ(bench.trace().entries.size(), 10u);
}

// waitFor counts what came behind: 2 commands may be unfinished.
TEST(RoutineLate, WaitForIsAsWeakAsItCanBe) {
  Bench bench(8);
  {
    Scope scope(bench.routine, "scope");
    Pending first = issue(scope, copyByte());
    issue(scope, copyByte());
    signal(scope, 0, 1);
    waitFor(scope, first);
  }
  Result<Code> code = bench.routine.finish();
  ASSERT_TRUE(code);
  EXPECT_EQ(code->lines[code->lines.size() - 2].instruction,
            (isa::Instruction{isa::Opcode::FenceQueue, {0, 2}}));
}

// Of a queue that completes in any order nobody knows which two are left.
TEST(RoutineLate, OutOfOrderQueuesAreWaitedForWhole) {
  Bench bench(8);
  bench.machine.engines[0].inOrder = false;
  {
    Scope scope(bench.routine, "scope");
    Scratch base = constant(scope, 0, "base");
    Pending first = issue(scope, copyByte(), {}, base);
    issue(scope, copyByte());
    fence(scope, 0, 1);
    waitFor(scope, first);
    setConstant(scope, base, 1);
  }
  EXPECT_EQ(bench.failure(), "");
}

TEST(RoutineLate, OutOfOrderFenceCoversNothing) {
  Bench bench(8);
  bench.machine.engines[0].inOrder = false;
  {
    Scope scope(bench.routine, "scope");
    Scratch base = constant(scope, 0, "base");
    issue(scope, copyByte(), {}, base);
    issue(scope, copyByte());
    fence(scope, 0, 1);
    setConstant(scope, base, 1);
  }
  EXPECT_NE(bench.failure().find("[REG-7]"), std::string::npos);
}
