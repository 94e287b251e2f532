//===- SimulatedTest.cpp - routines on the simulator ----------------------===//
//
// Three engines work on tiles of 256 bytes: a DMA brings one of them, the
// vector engine copies it, a DMA takes it away. Buffers in SRAM hold two tiles,
// so a load waits for the copy of two tiles before, and a copy for the store of
// two tiles before. Counter 0 counts loads, 1 copies, 2 stores.
//
// Addresses come from registers in all three ways: staged at run time, as sums,
// and as addends that are read late. Whatever registers are chosen, and
// whatever time commands take, the output is the input with its tiles in
// reverse.
//
//===----------------------------------------------------------------------===//

#include "tally/emit/encode/Encode.h"
#include "tally/emit/routine/Commands.h"
#include "tally/emit/routine/Scalars.h"
#include "tally/emit/routine/Verifier.h"
#include "tally/machine/ShippedMachines.h"
#include "tally/run/simulator/Simulator.h"

#include <gtest/gtest.h>

using namespace tally;
using namespace tally::emit;
using isa::DmaField;

static constexpr int64_t kTile = 256, kTiles = 6;
static constexpr int64_t kIn = isa::kFirstCallerRegion, kOut = kIn + 1;
/// Loaded tiles are from 0 on, copied ones behind them.
static constexpr int64_t kCopied = 2 * kTile;

static isa::Command tileCopy(uint32_t queue, CopySide source,
                             CopySide destination) {
  source.strides[3] = destination.strides[3] = 1;
  Result<isa::Command> command =
      copyCommand(queue, {1, 1, 1, kTile}, 1, source, destination);
  EXPECT_TRUE(command) << command.error().str();
  return *command;
}

static isa::Command vectorCopy(uint32_t queue) {
  using isa::VectorField;
  isa::Command command;
  command.code = isa::CommandCode::VectorCopy;
  command.queue = queue;
  command.config = isa::Configuration(machine::EngineKind::Vector);
  for (auto [field, value] : {std::pair(VectorField::Size3, kTile),
                              {VectorField::AStride3, int64_t(1)},
                              {VectorField::OutStride3, int64_t(1)},
                              {VectorField::OutOffset, kCopied}})
    EXPECT_TRUE(command.config.set(field, value));
  return command;
}

/// slot = 0 or one tile, in turns: tile `index` mod 2.
static void toggle(Scope &scope, const Scratch &slot) {
  Scratch tile = constant(scope, kTile, "bytes of a tile");
  scope.routine().instruction(isa::Opcode::Sub, {slot, tile, slot});
}

/// One pass over all tiles. `index` is the offset in the input, `slot` that in
/// SRAM, which the queues read late: they are copied, and covered before the
/// next trip.
static void tile(Scope &scope, const machine::Machine &machine,
                 const Scratch &index, const Scratch &slot) {
  uint32_t load = *machine.findQueue("load0"),
           store = *machine.findQueue("store"),
           vector = *machine.findQueue("vector");
  Scratch place = scope.borrow("place in SRAM");
  copy(scope, place, slot);
  waitBehind(scope, load, 1, 1);
  issue(scope, tileCopy(load, {kIn, 0, {}}, {isa::kSram, 0, {}}),
        {{uint32_t(DmaField::SrcOffset), index}}, {}, place);
  Pending loaded = signal(scope, load, 0);

  waitBehind(scope, vector, 0, 0);
  waitBehind(scope, vector, 2, 1);
  issue(scope, vectorCopy(vector), {}, place, place);
  Pending copied = signal(scope, vector, 1);

  // From the last tile of the output to the first.
  Scratch back = constant(scope, 0, "offset in the output");
  scope.routine().instruction(isa::Opcode::Sub, {back, Operand(), index});
  waitBehind(scope, store, 1, 0);
  issue(scope, tileCopy(store, {isa::kSram, kCopied, {}}, {kOut, 0, {}}),
        {{uint32_t(DmaField::DstOffset), back, (kTiles - 1) * kTile}}, place);
  Pending stored = signal(scope, store, 2);
  for (const Pending &pending : {loaded, copied, stored})
    waitFor(scope, pending);
}

static void record(Routine &routine, const machine::Machine &machine) {
  Scope scope(routine, "reverse tiles");
  Scratch index = constant(scope, 0, "offset in the input");
  Scratch slot = constant(scope, 0, "slot");
  loop(scope, kTiles, "tiles", [&](Scope &body) {
    tile(body, machine, index, slot);
    addConstant(body, index, index, kTile);
    toggle(body, slot);
  });
  fenceAll(scope);
  for (uint32_t sync : {0, 1, 2})
    reset(scope, sync);
}

static isa::Program toProgram(const Code &code,
                              const machine::Machine &machine) {
  isa::Program program;
  for (const isa::Instruction &instruction : code.instructions())
    program.text.push_back(*isa::encode(instruction));
  for (bool output : {false, true}) {
    isa::Buffer buffer;
    buffer.name = output ? "y" : "x";
    buffer.use = output ? isa::BufferUse::Output : isa::BufferUse::Input;
    buffer.bytes = kTiles * kTile;
    program.buffers.push_back(buffer);
  }
  program.requirements = isa::requirementsOf(program.text, machine);
  return program;
}

static std::vector<uint8_t> bytesIn() {
  std::vector<uint8_t> bytes(kTiles * kTile);
  for (size_t at = 0; at < bytes.size(); ++at)
    bytes[at] = static_cast<uint8_t>(at * 7 + at / kTile);
  return bytes;
}

static std::vector<uint8_t> reversed() {
  std::vector<uint8_t> in = bytesIn(), out;
  for (int64_t tile = kTiles - 1; tile >= 0; --tile)
    out.insert(out.end(), in.begin() + tile * kTile,
               in.begin() + (tile + 1) * kTile);
  return out;
}

namespace {
struct Simulated {
  std::vector<uint8_t> output;
  std::string fault;
};
} // namespace

static Simulated simulate(const Code &code, const machine::Machine &machine,
                          const simulator::RunOptions &options) {
  auto simulator =
      simulator::Simulator::create(machine, toProgram(code, machine));
  EXPECT_TRUE(simulator) << simulator.error().str();
  auto bindings = (*simulator)->place();
  EXPECT_TRUE(bindings) << bindings.error().str();
  std::vector<uint8_t> input = bytesIn();
  Simulated result;
  result.output.resize(kTiles * kTile);
  for (simulator::Binding &binding : *bindings)
    binding.bytes = binding.region == kIn ? input : result.output;
  auto outcome = (*simulator)->run(*bindings, options);
  EXPECT_TRUE(outcome) << outcome.error().str();
  if (outcome && outcome->fault)
    result.fault = outcome->fault->message;
  return result;
}

static void expectReversed(const Code &code, const machine::Machine &machine,
                           std::optional<uint64_t> perturbation) {
  simulator::RunOptions options;
  options.perturbation = perturbation;
  options.audit = true;
  Simulated result = simulate(code, machine, options);
  ASSERT_EQ(result.fault, "");
  ASSERT_EQ(result.output, reversed());
}

static Result<Code> emitTiles(const machine::Machine &machine,
                              RoutineOptions options) {
  Routine routine(machine, options);
  record(routine, machine);
  return routine.finish();
}

TEST(RoutineSimulated, ThousandSeedsOfRegisterChoice) {
  machine::Machine machine = *machine::findMachine("edge");
  for (uint32_t seed = 0; seed < 1000; ++seed) {
    Result<Code> code =
        emitTiles(machine, {.seed = seed, .poison = seed % 2 == 1});
    ASSERT_TRUE(code) << code.error().str();
    expectReversed(*code, machine, seed);
    ASSERT_FALSE(HasFatalFailure()) << seed;
  }
}

TEST(RoutineSimulated, EveryMode) {
  machine::Machine machine = *machine::findMachine("edge");
  for (const RoutineOptions &options :
       {RoutineOptions{}, RoutineOptions{.longPaths = true},
        RoutineOptions{.minimalPool = true, .poison = true}}) {
    Result<Code> code = emitTiles(machine, options);
    ASSERT_TRUE(code) << code.error().str();
    expectReversed(*code, machine, {});
  }
}

// Without fences registers change under commands; the verifier says so, and the
// simulator shows what it protects from.
TEST(RoutineSimulated, WithoutFencesRegistersChangeUnderCommands) {
  machine::Machine machine = *machine::findMachine("edge");
  Result<Code> code = emitTiles(machine, {});
  ASSERT_TRUE(code) << code.error().str();
  for (CodeLine &line : code->lines)
    if (line.instruction.opcode == isa::Opcode::FenceQueue)
      line.instruction = {isa::Opcode::Addi, {0, 0, 0}};
  ASSERT_NE(findViolation(*code, machine), "");
  Simulated result = simulate(*code, machine, {});
  EXPECT_TRUE(!result.fault.empty() || result.output != reversed());
}
