//===- StreamTest.cpp - streams and their loops ---------------------------===//

#include "tally/emit/stream/TestStreams.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace tally;
using namespace tally::emit;
using isa::Opcode;

/// Runs the text of a stream, which gives the queues what the stream says.
static Code mustRecord(const Stream &stream, const machine::Machine &machine) {
  Result<Code> code = record(stream, machine);
  if (!code) {
    ADD_FAILURE() << code.error().str();
    return {};
  }
  Trace trace = run(code->instructions(), machine);
  EXPECT_EQ(trace.fault, "") << toText(*code);
  EXPECT_EQ(trace.entries, entriesOf(stream, machine)) << toText(*code);
  return *code;
}

static size_t count(const Code &code, Opcode opcode) {
  return std::ranges::count_if(code.lines, [&](const CodeLine &line) {
    return line.instruction.opcode == opcode;
  });
}

/// Loads and moves in turn, `trips` times: each load waits for the move before
/// it but one, each move for its load; both signal s0.
static Stream bands(int64_t trips, int64_t sourceStep) {
  Stream stream;
  stream.nodes = {"conv"};
  stream.registers = stream.finalClears = {0};
  for (int64_t trip = 0; trip < trips; ++trip) {
    PlannedCommand load, move;
    load.command = loadOf(sourceStep * trip, 4096, 512);
    load.waits = {{0, std::max<int64_t>(2 * trip - 2, 0)}};
    move.command = moveOf(4096, 65536 + 512 * trip, 512);
    move.waits = {{0, 2 * trip + 1}};
    load.signals = move.signals = {0};
    stream.commands.push_back(load);
    stream.commands.push_back(move);
  }
  return stream;
}

// Ten bands are one loop of a go each; the first band's load waits for 0, as
// the second's does: that is no step of 2, so it stands alone.
TEST(Stream, BandsAreOneLoop) {
  Code code = mustRecord(bands(10, 100), testMachine(8));
  EXPECT_EQ(loopsOf(code), 1u);
  EXPECT_LE(count(code, Opcode::Go), 4u);
  EXPECT_EQ(count(code, Opcode::WaitRel), 2u);
}

// In the body only numbers that step are staged: the source's offset and the
// result's.
TEST(Stream, BodiesStageWhatSteps) {
  Code code = mustRecord(bands(10, 100), testMachine(8));
  auto isJump = [](const CodeLine &line) {
    return line.instruction.opcode == Opcode::Bne;
  };
  auto end = std::ranges::find_if(code.lines, isJump);
  ASSERT_NE(end, code.lines.end());
  auto begin = end + end->instruction.operands[2] / 4;
  size_t staged = std::count_if(begin, end, [](const CodeLine &line) {
    return line.instruction.info().unit == isa::Unit::Stage;
  });
  EXPECT_EQ(staged, 2u);
}

// A step of 6 * 2^20 takes a temporary, and an offset beyond 2^31 is a negative
// number of the processor.
TEST(Stream, WideNumbersStep) {
  Code code = mustRecord(bands(400, 6 << 20), testMachine(8));
  EXPECT_EQ(loopsOf(code), 1u);
  EXPECT_LE(code.lines.size(), 60u);
}

// Thresholds that step need a form that says so: by distance, or in a register
// that is latched. With neither the text is straight.
TEST(Stream, ThresholdsThatStepNeedTheMachine) {
  machine::Machine machine = testMachine(8);
  EXPECT_EQ(loopsOf(mustRecord(bands(10, 100), machine)), 1u);
  machine.sync.relativeWaits = false;
  Code straight = mustRecord(bands(10, 100), machine);
  EXPECT_EQ(loopsOf(straight), 0u);
  EXPECT_EQ(count(straight, Opcode::Go), 20u);
  machine.latchesOperands = true;
  Code latched = mustRecord(bands(10, 100), machine);
  EXPECT_EQ(loopsOf(latched), 1u);
  EXPECT_EQ(count(latched, Opcode::WaitGeR), 2u);
  machine.sync.scalarThresholds = false;
  EXPECT_EQ(loopsOf(mustRecord(bands(10, 100), machine)), 0u);
}

// Counter, temporary and the steps 100, 512: four registers do, three do not.
TEST(Stream, StepsNeedRegisters) {
  EXPECT_EQ(loopsOf(mustRecord(bands(10, 100), testMachine(4))), 1u);
  EXPECT_EQ(loopsOf(mustRecord(bands(10, 100), testMachine(3))), 0u);
}

// Lines know their nodes; what ends the program belongs to none.
TEST(Stream, LinesBelongToNodes) {
  Stream stream = bands(6, 100);
  stream.nodes.emplace_back("relu");
  for (size_t i = 1; i < stream.commands.size(); i += 2)
    stream.commands[i].node = 1;
  Code code = mustRecord(stream, testMachine(8));
  for (const CodeLine &line : code.lines)
    if (line.instruction.opcode == Opcode::Go)
      EXPECT_EQ(code.nodes[line.node],
                line.instruction.operands[0] == kDma ? "conv" : "relu");
  EXPECT_EQ(code.nodes[code.lines.back().node], "");
}

// A command of a later trip that breaks a rule is refused, as one that stands
// alone is: the tenth band ends beyond SRAM.
TEST(Stream, CommandsOfAllTripsAreChecked) {
  machine::Machine machine = testMachine(8);
  machine.sram.bytes = 65536 + 512 * 9 + 511;
  Result<Code> code = record(bands(10, 100), machine);
  ASSERT_FALSE(code);
  EXPECT_EQ(code.error().rule, "CMD-BOUNDS") << code.error().str();
}

static std::vector<machine::Machine> manyMachines() {
  std::vector<machine::Machine> machines;
  for (size_t scratch : {2, 3, 4, 6, 8}) {
    machine::Machine machine = testMachine(scratch);
    machines.push_back(machine);
    machine.sync.relativeWaits = false;
    machines.push_back(machine);
    machine.latchesOperands = true;
    machines.push_back(machine);
    for (auto kind : {machine::SyncKind::Token, machine::SyncKind::Flag}) {
      machine.sync.kind = kind;
      machine.sync.scalarThresholds = false;
      machines.push_back(machine);
    }
  }
  return machines;
}

// Whatever the stream and the machine, queues get what the stream says, in its
// order; and loops are found.
TEST(Stream, RandomStreamsIssueTheSame) {
  for (const machine::Machine &machine : manyMachines()) {
    size_t loops = 0;
    for (unsigned seed = 0; seed < 20; ++seed) {
      loops += loopsOf(mustRecord(randomStream(seed, machine), machine));
      ASSERT_FALSE(HasFailure()) << seed;
    }
    if (machine.processor.scratch.size() >= 4)
      EXPECT_GE(loops, 10u);
  }
}

TEST(Stream, EqualStreamsGiveEqualText) {
  machine::Machine machine = testMachine(6);
  for (unsigned seed = 0; seed < 20; ++seed)
    EXPECT_EQ(mustRecord(randomStream(seed, machine), machine).instructions(),
              mustRecord(randomStream(seed, machine), machine).instructions());
}

/// Two loads, one of which moves by `step` bytes for each unit of the context's
/// word at 8, again and again.
static Stream movingLoads(int64_t step) {
  Stream stream;
  stream.nodes = {"cache"};
  for (int64_t i = 0; i < 6; ++i) {
    PlannedCommand plain, moving;
    plain.command = loadOf(500000, 4096, 64);
    moving.command = loadOf(2000000, 4096, 64);
    moving.moving = {{uint32_t(isa::DmaField::SrcOffset), 8, step}};
    stream.commands.push_back(plain);
    stream.commands.push_back(moving);
  }
  return stream;
}

// The word times a power of two, another number, less than nothing, and more
// than an immediate; what follows stages its own offset again.
TEST(Stream, OffsetsMoveWithTheContext) {
  for (bool hasMultiply : {true, false})
    for (int64_t step : {1, 64, 96, 5000, -1, -48}) {
      machine::Machine machine = testMachine(4);
      machine.processor.hasMultiply = hasMultiply;
      Code code = mustRecord(movingLoads(step), machine);
      EXPECT_EQ(count(code, Opcode::Lw), 6u);
      EXPECT_EQ(loopsOf(code), 0u);
    }
}

// Both ends of a copy.
TEST(Stream, BothOffsetsMove) {
  Stream stream = movingLoads(64);
  stream.commands[3].moving.push_back(
      {uint32_t(isa::DmaField::DstOffset), 12, 2});
  mustRecord(stream, testMachine(4));
}
