//===- SimulatorTest.cpp - time, order and faults of whole programs -------===//
//
// On `edge`: a DMA takes 200 cycles and one for each 32 bytes, commands of the
// vector engine one for each 64 elements, the processor one cycle for each
// instruction.
//
//===----------------------------------------------------------------------===//

#include "tally/run/simulator/Simulator.h"
#include "tally/emit/encode/Random.h"
#include "tally/emit/isa/Parameters.h"
#include "tally/run/simulator/TestBench.h"
#include "tally/run/simulator/TestPrograms.h"

#include <gtest/gtest.h>

#include <set>

using namespace tally;
using namespace tally::simulator;
namespace build = isa::build;

//===----------------------------------------------------------------------===//
// The processor
//===----------------------------------------------------------------------===//

TEST_F(Programs, ALoopSumsIntoTheContext) {
  context(1);
  // x5 = 10 + 9 + ... + 1 = 55
  w << build::Addi(5, 0, 0) << build::Addi(6, 0, 10) << build::Add(5, 5, 6)
    << build::Addi(6, 6, -1) << build::Bne(6, 0, -8) << build::Sw(5, 0, 0)
    << build::Ecall();
  Outcome outcome = run();
  ASSERT_FALSE(outcome.fault);
  EXPECT_EQ(caller->get<int32_t>(isa::kContextRegion)[0], 55);
  // 2 + 10 * 3 + 2 instructions of a cycle each.
  EXPECT_EQ(outcome.counters.processor.instructions, 34);
  EXPECT_EQ(outcome.counters.cycles, 34);
}

TEST_F(Programs, RegistersThatWereNeverWrittenAreNotRead) {
  w << build::Addi(5, 6, 0) << build::Ecall();
  expectFault("SIM-UNWRITTEN", "x6 is read and was never written");
}

TEST_F(Programs, TheTextEndsWithEcall) {
  w << build::Addi(5, 0, 0);
  expectFault("SIM-CODE", "the processor leaves the program's text");
}

TEST_F(Programs, EbreakIsAFailure) {
  w << build::Ebreak();
  expectFault("SIM-EBREAK", "the program ends itself as failed");
}

TEST_F(Programs, ProgramsThatDoNotEnd) {
  w << build::Jal(0, 0);
  RunOptions options;
  options.maxInstructions = 1000;
  Outcome outcome = run(options);
  ASSERT_TRUE(outcome.fault);
  EXPECT_EQ(outcome.fault->rule, "SIM-HANG");
}

TEST_F(Programs, LoadsAreAligned) {
  context(2);
  w << build::Lw(5, 0, 2) << build::Ecall();
  expectFault("SIM-ALIGN", "bytes [2, 6) of context do not begin at a multiple "
                           "of the element's size");
}

//===----------------------------------------------------------------------===//
// Time
//===----------------------------------------------------------------------===//

TEST_F(Programs, ACopyThroughSramTakesTwoDmas) {
  buffers(320, 320);
  copy("load0", kIn, isa::kSram, 320);
  w << build::Signal(w.queue("load0"), 0)
    << build::WaitGe(w.queue("store"), 0, 1);
  copy("store", isa::kSram, kOut, 320);
  w << build::FenceQueue(w.queue("store"), 0) << build::Reset(0)
    << build::Ecall();
  simulator = load(machine, w.finish());
  caller = std::make_unique<Caller>(*simulator);
  for (size_t i = 0; i < 320; ++i)
    caller->bytes[kIn][i] = uint8_t(i * 7);
  auto outcome = simulator->run(caller->bindings);
  ASSERT_TRUE(outcome);
  ASSERT_FALSE(outcome->fault) << outcome->fault->message;
  EXPECT_EQ(caller->bytes[kIn], caller->bytes[kOut]);
  // 6 fields; `go` at 6, whose command ends at 6 + 200 + 10 = 216; the signal
  // takes a cycle; the store starts at 217 and ends at 427; the fence then
  // takes its own cycle, reset and ecall as well.
  EXPECT_EQ(outcome->counters.cycles, 430);
  const QueueCounters &store = outcome->counters.queues[2];
  EXPECT_EQ(store.busy, 210);
  EXPECT_EQ(store.commands, 1);
  // Its wait was issued at 8 and passed at 217.
  EXPECT_EQ(store.waiting.at(0), 209);
  EXPECT_EQ(store.empty, 430 - 210 - 209);
  EXPECT_EQ(outcome->counters.processor.fence, 427 - 16);
  std::map<std::string, std::pair<int64_t, int64_t>> moved;
  for (const SpaceCounters &space : outcome->counters.spaces)
    moved[space.name] = {space.read, space.written};
  EXPECT_EQ(moved["x"], std::pair(int64_t(320), int64_t(0)));
  EXPECT_EQ(moved["sram"], std::pair(int64_t(320), int64_t(320)));
  EXPECT_EQ(moved["y"], std::pair(int64_t(0), int64_t(320)));
}

TEST_F(Programs, DmasShareTheGlobalMemory) {
  buffers(65536, 64);
  // Each alone takes 200 + 1000 cycles for 32,000 bytes, 26.7 bytes a cycle;
  // together they ask for 53.3 of 32, so each goes at 0.6 while both run.
  copy("load0", kIn, isa::kSram, 32000);
  copy("load1", kIn, isa::kSram, 32000, 32768);
  w << build::Ecall();
  Outcome outcome = run();
  ASSERT_FALSE(outcome.fault);
  // load0 starts at 8, as its size takes three instructions, and runs alone
  // until 18, where load1 starts. 1190 of its cycles are left, 1984 at rate
  // 0.6, until 2002. load1 has done 1190.4 then and takes 10 more; ecall takes
  // one.
  EXPECT_EQ(outcome.counters.cycles, 2002 + 10 + 1);
  EXPECT_GT(outcome.counters.queues[0].slowed, 780);
}

TEST_F(Programs, AFullQueueHoldsTheProcessor) {
  buffers(64, 64);
  for (int i = 0; i < 9; ++i) // the queue has room for 8
    copy("load0", kIn, isa::kSram, 32);
  w << build::Ecall();
  Outcome outcome = run();
  ASSERT_FALSE(outcome.fault);
  // The first ends at 6 + 201 = 207. The ninth `go` comes at 8 * 7 + 6 = 62.
  EXPECT_EQ(outcome.counters.processor.full[0], 207 - 62);
  EXPECT_EQ(outcome.counters.cycles, 6 + 9 * 201 + 1);
}

TEST_F(Programs, OnlyTheFirstWaitIsFree) {
  buffers(64, 64);
  copy("load0", kIn, isa::kSram, 32);
  int64_t load = w.queue("load0"), vector = w.queue("vector");
  for (int64_t reg : {0, 1, 2})
    w << build::Signal(load, reg);
  for (int64_t reg : {0, 1, 2})
    w << build::WaitGe(vector, reg, 1);
  w.go("vector", "copy",
       {{"size3", 32},
        {"a.stride3", 1},
        {"out.stride3", 1},
        {"out.offset", 512}});
  w << build::Fence();
  for (int64_t reg : {0, 1, 2})
    w << build::Reset(reg);
  w << build::Ecall();
  Outcome outcome = run();
  ASSERT_FALSE(outcome.fault);
  // 207: the DMA ends; signals at 208, 209, 210; the second and third wait end
  // at 210 and 211; the vector command takes one cycle, until 212.
  EXPECT_EQ(outcome.counters.cycles, 212 + 1 + 3 + 1);
}

TEST_F(Programs, QueuesOutOfOrder) {
  machine.engines[0].inOrder = false;
  buffers(65536, 64);
  int64_t load = w.queue("load0");
  // A long command, a signal that waits for it, and a short command that does
  // not wait for either.
  copy("load0", kIn, isa::kSram, 32000);
  w << build::Signal(load, 0);
  copy("load0", kIn, isa::kSram, 32, 32768);
  w << build::Signal(load, 1) << build::WaitGe(w.queue("vector"), 1, 1);
  w.go("vector", "copy",
       {{"size3", 32},
        {"a.stride3", 1},
        {"out.stride3", 1},
        {"a.offset", 32768},
        {"out.offset", 40000}});
  w << build::Fence() << build::Reset(0) << build::Reset(1) << build::Ecall();
  Outcome outcome = run();
  ASSERT_FALSE(outcome.fault) << outcome.fault->message;
  // The long one takes 1200 cycles from 7 on (lui and addi for its size);
  // beside it the short one runs and is done long before. Both signals come
  // after the long one, all at 1207, and the vector command takes a cycle.
  EXPECT_EQ(outcome.counters.queues[0].busy, 1200);
  EXPECT_EQ(outcome.counters.cycles, 1208 + 1 + 1 + 2 + 1);
}

TEST_F(Programs, ClearsActWhenTheyStart) {
  machine.engines[0].inOrder = false;
  machine.sync.kind = machine::SyncKind::Flag;
  machine.sync.bits = 1;
  machine.sync.relativeWaits = machine.sync.scalarThresholds = false;
  buffers(64, 64);
  int64_t load = w.queue("load0");
  // One queue hands on to itself by one flag, twice. The second test waits for
  // the second signal, because the flag was cleared before it came to its turn;
  // else the third copy would read what the second has not yet written.
  copy("load0", kIn, isa::kSram, 64);
  for (int64_t to : {1024, 2048}) {
    w << build::Signal(load, 0) << build::Test(load, 0)
      << build::Clear(load, 0);
    w.go("load0", "copy",
         {{"src.space", isa::kSram},
          {"src.offset", to == 1024 ? 0 : 1024},
          {"dst.offset", to}});
  }
  w << build::Ecall();
  Outcome outcome = run();
  ASSERT_FALSE(outcome.fault) << outcome.fault->message;
  // A copy takes 200 cycles and one for each 32 bytes. No copy begins before
  // the one before it has ended.
  EXPECT_GE(outcome.counters.queues[0].busy, 3 * 202);
}

TEST_F(Programs, SignalsTakeRoomWhileTheyWait) {
  machine.engines[0].inOrder = false;
  machine.engines[0].depth = 2;
  buffers(65536, 64);
  copy("load0", kIn, isa::kSram, 32000);
  w << build::Signal(w.queue("load0"), 0);
  copy("load0", kIn, isa::kSram, 32, 32768);
  w << build::Fence() << build::Reset(0) << build::Ecall();
  Outcome outcome = run();
  ASSERT_FALSE(outcome.fault) << outcome.fault->message;
  // The long one runs from 8 to 1208 and the signal waits for it, so there is
  // no room for the short one, which is ready at 8 + 1 + 1 and 7 fields.
  EXPECT_EQ(outcome.counters.processor.full[0], 1208 - 17);
}

TEST_F(Programs, WorkSpaceIsNotRead) {
  // 64 terms are two passes of an array of 32 rows: partial sums of two pixels
  // of 4 columns wait in accumulators, and nobody may read what is left there.
  buffers(4096, 64);
  w.program.constants = isa::encodeParameters(isa::EpilogueBlock{
      {isa::RequantizeBlock{0, -128, 127, {{1, 0, -1, 16}}}}});
  copy("load0", kIn, isa::kSram, 4096);
  w << build::Fence();
  w.go("matrix", "conv",
       {{"out.w", 2},
        {"extent.w", 2},
        {"columns", 4},
        {"channels", 64},
        {"in.stride.w", 64},
        {"weights.offset", 256},
        {"weights.stride.k", 4},
        {"acc.stride.w", 16},
        {"emit", 1},
        {"out.offset", 2048},
        {"out.stride.w", 4},
        {"params.space", 0},
        {"params.bytes", int64_t(w.program.constants.size())}});
  w << build::Fence();
  w.go("vector", "copy",
       {{"size3", 4},
        {"a.space", isa::kAccumulators},
        {"a.type", 4},
        {"a.offset", 16},
        {"a.stride3", 4},
        {"out.type", 4},
        {"out.offset", 3000},
        {"out.stride3", 4}});
  w << build::Ecall();
  expectFault("SIM-UNWRITTEN", "bytes [16, 32) of accumulators are read, and "
                               "byte 16 was never written");
}

TEST_F(Programs, ModesWithoutTimeOrWithoutWork) {
  buffers(320, 320);
  copy("load0", kIn, isa::kSram, 320);
  w << build::Signal(w.queue("load0"), 0)
    << build::WaitGe(w.queue("store"), 0, 1);
  copy("store", isa::kSram, kOut, 320);
  w << build::Fence() << build::Reset(0) << build::Ecall();
  RunOptions functional;
  functional.mode = Mode::Functional;
  simulator = load(machine, w.finish());
  caller = std::make_unique<Caller>(*simulator);
  caller->bytes[kIn][5] = 9;
  ASSERT_FALSE(simulator->run(caller->bindings, functional)->fault);
  EXPECT_EQ(caller->bytes[kOut][5], 9);
  caller->bytes[kOut][5] = 1;
  RunOptions timing;
  timing.mode = Mode::Timing;
  auto outcome = simulator->run(caller->bindings, timing);
  ASSERT_FALSE(outcome->fault);
  EXPECT_EQ(caller->bytes[kOut][5], 1);
  EXPECT_EQ(outcome->counters.cycles, 430);
}

//===----------------------------------------------------------------------===//
// Faults
//===----------------------------------------------------------------------===//

TEST_F(Programs, WaitsThatNothingEnds) {
  w << build::WaitGe(w.queue("vector"), 3, 2) << build::Ecall();
  w.program.nodes = {{0, 1, "conv1"}};
  Outcome outcome = run();
  ASSERT_TRUE(outcome.fault);
  EXPECT_EQ(outcome.fault->rule, "SIM-HANG");
  EXPECT_EQ(outcome.fault->message,
            "nothing can happen any more: the processor waits in ecall, and no "
            "queue goes on");
  std::vector<std::string> state{
      "processor: pc 0x4, cycle 1",
      "load0: empty",
      "load1: empty",
      "store: empty",
      "matrix: empty",
      "vector: 1 of 8 entries, holds at wait.ge vector, s3, 2 (s3 is 0) "
      "of conv1"};
  EXPECT_EQ(outcome.fault->state, state);
}

TEST_F(Programs, ReadsOfWhatNobodyWrote) {
  buffers(64, 64);
  copy("store", isa::kSram, kOut, 64);
  w << build::Ecall();
  expectFault("SIM-UNWRITTEN",
              "bytes [0, 64) of sram are read, and byte 0 was never written");
}

TEST_F(Programs, InputsAreNotWritten) {
  buffers(64, 64);
  w.program.arenaBytes = 64;
  copy("load0", kIn, isa::kSram, 64);
  w << build::FenceQueue(w.queue("load0"), 0);
  copy("store", isa::kSram, kIn, 64);
  w << build::Ecall();
  expectFault("SIM-READONLY", "bytes [0, 64) of x are only read");
}

TEST_F(Programs, AccessesBeyondARegion) {
  buffers(64, 64);
  copy("load0", kIn, isa::kSram, 65);
  w << build::Ecall();
  expectFault("SIM-UNMAPPED", "bytes [0, 65) of x do not exist: it has 64");
}

TEST_F(Programs, RegionsThatTheProgramDoesNotHave) {
  buffers(64, 64);
  copy("load0", isa::kArenaRegion, isa::kSram, 8);
  w << build::Ecall();
  expectFault("SIM-UNMAPPED", "bytes [0, 8) of space 1, to which nothing is "
                              "bound, do not exist");
}

TEST_F(Programs, CountersEndAtTheirWidth) {
  machine.sync.bits = 2;
  for (int i = 0; i < 4; ++i)
    w << build::Signal(w.queue("vector"), 0);
  w << build::Ecall();
  expectFault("SIM-OVERFLOW", "synchronization register s0 has its largest "
                              "value, 3, and is signalled once more");
}

TEST_F(Programs, RegistersEndAsTheyBegan) {
  w << build::Signal(w.queue("vector"), 4) << build::Ecall();
  expectFault("SIM-SYNC",
              "the program ends, and synchronization register s4 is 1, not 0");
}

TEST_F(Programs, FieldsHaveRanges) {
  w << build::CfgI(w.queue("vector"), isa::VectorField::Size0, -1)
    << build::Ecall();
  Outcome outcome = run();
  ASSERT_TRUE(outcome.fault);
  EXPECT_EQ(outcome.fault->rule, "SIM-FIELD");
}

TEST_F(Programs, CommandsKeepTheirRules) {
  w.go("vector", "copy", {{"size3", 4}, {"out.type", 4}});
  w << build::Ecall();
  Outcome outcome = run();
  ASSERT_TRUE(outcome.fault);
  EXPECT_EQ(outcome.fault->rule, "SIM-FIELD");
  EXPECT_EQ(outcome.fault->queue, "vector");
  EXPECT_NE(outcome.fault->message.find("CMD-TYPE"), std::string::npos)
      << outcome.fault->message;
}

TEST_F(Programs, CommandsAreNotTooLarge) {
  // 2^27 elements that are all the same byte, reduced to one.
  buffers(64, 64);
  copy("load0", kIn, isa::kSram, 64);
  w << build::Fence();
  w.go("vector", "reduce",
       {{"size2", 1 << 14},
        {"size3", 1 << 13},
        {"axes", 15},
        {"out.offset", 64},
        {"out.type", 4}});
  w << build::Ecall();
  expectFault("SIM-LIMIT",
              "the command has 134217728 elements, more than 67108864");
}

TEST_F(Programs, ParametersAreABlock) {
  buffers(64, 64);
  w.program.constants.assign(64, 0);
  copy("load0", kIn, isa::kSram, 64);
  w << build::Fence();
  w.go("vector", "block",
       {{"size3", 64},
        {"a.stride3", 1},
        {"out.stride3", 1},
        {"out.offset", 64},
        {"params.space", 0},
        {"params.bytes", 64}});
  w << build::Ecall();
  Outcome outcome = run();
  ASSERT_TRUE(outcome.fault);
  EXPECT_EQ(outcome.fault->rule, "SIM-DATA");
}

/// Nonsense ends with an explained fault, or ends.
TEST_F(Programs, RandomInstructionsNeverDoHarm) {
  std::mt19937_64 random = seeded(21);
  std::set<std::string> rules;
  for (int i = 0; i < 2000; ++i) {
    Writer nonsense(machine);
    nonsense.program.buffers = {{"x", isa::BufferUse::Input, 4096},
                                {"y", isa::BufferUse::Output, 4096}};
    nonsense.program.constants.assign(4096, 1);
    nonsense.program.context.assign(4096, 0);
    for (int64_t reg = 1; reg < 32; ++reg)
      nonsense << build::Addi(reg, 0, draw(random, 0, 64) * 8);
    for (int k = 0; k < 60; ++k)
      nonsense << isa::randomInstruction(random, machine);
    nonsense << build::Ecall();
    auto loaded = load(machine, nonsense.finish());
    Caller nobody(*loaded);
    RunOptions options;
    options.maxInstructions = 2000;
    options.perturbation = random();
    auto outcome = loaded->run(nobody.bindings, options);
    ASSERT_TRUE(outcome);
    rules.insert(outcome->fault ? outcome->fault->rule : "none");
  }
  for (const char *rule : {"SIM-CODE", "SIM-FIELD", "SIM-HANG"})
    EXPECT_TRUE(rules.count(rule)) << rule;
}
