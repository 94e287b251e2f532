//===- PerturbationTest.cpp - late registers and random times ----------===//
//
// What a program may rely on, and what shows when it does not.
//
//===----------------------------------------------------------------------===//

#include "tally/run/simulator/TestPrograms.h"

using namespace tally;
using namespace tally::simulator;
namespace build = isa::build;

TEST_F(Programs, AddendsAreReadLate) {
  buffers(64, 8);
  // Loads 8 bytes from x5 = 8; x5 becomes 16 while the command runs, so bytes
  // 16 to 24 arrive. A machine that latches brings 8 to 16.
  w << build::Addi(5, 0, 8);
  for (auto [field, value] :
       {std::pair("size3", 8), std::pair("src.stride3", 1),
        std::pair("dst.stride3", 1), std::pair("src.space", 3)})
    w.field("load0", field, value);
  w << build::Go(w.queue("load0"), isa::CommandCode::DmaCopy, 5, 0)
    << build::Addi(5, 0, 16) << build::Fence();
  copy("store", isa::kSram, kOut, 8);
  w << build::Ecall();
  for (bool latches : {false, true}) {
    machine.latchesOperands = latches;
    Writer copyOfWriter = w;
    simulator = load(machine, copyOfWriter.finish());
    caller = std::make_unique<Caller>(*simulator);
    for (size_t i = 0; i < 64; ++i)
      caller->bytes[kIn][i] = uint8_t(i);
    auto outcome = simulator->run(caller->bindings);
    ASSERT_FALSE(outcome->fault) << outcome->fault->message;
    EXPECT_EQ(caller->bytes[kOut][0], latches ? 8 : 16);
  }
}

/// Loads four blocks into a ring of two buffers and adds 1 to each; without
/// `hasRelease` nothing keeps a load from overwriting what is still read.
static void writeRing(Writer &w, bool hasRelease) {
  int64_t load = w.queue("load0"), vector = w.queue("vector"),
          store = w.queue("store");
  for (int64_t i = 0; i < 4; ++i) {
    int64_t buffer = (i % 2) * 64, result = 512 + i * 64;
    if (hasRelease && i >= 2)
      w << build::WaitGe(load, 1, i - 1);
    w.go("load0", "copy",
         {{"size3", 64},
          {"src.stride3", 1},
          {"dst.stride3", 1},
          {"src.space", kIn},
          {"src.offset", i * 64},
          {"dst.offset", buffer}});
    w << build::Signal(load, 0) << build::WaitGe(vector, 0, i + 1);
    w.go("vector", "integer",
         {{"size3", 64},
          {"function", 18},
          {"a.stride3", 1},
          {"out.stride3", 1},
          {"a.offset", buffer},
          {"out.offset", result}});
    w << build::Signal(vector, 1) << build::WaitGe(store, 1, i + 1);
    w.go("store", "copy",
         {{"size3", 64},
          {"src.stride3", 1},
          {"dst.stride3", 1},
          {"dst.space", kOut},
          {"src.offset", result},
          {"dst.offset", i * 64}});
  }
  w << build::Fence() << build::Reset(0) << build::Reset(1) << build::Ecall();
}

/// How many of `seeds` perturbed runs give the magnitudes of the input.
static int rightRuns(const machine::Machine &machine, bool hasRelease,
                     uint64_t seeds) {
  Writer w(machine);
  w.program.buffers = {{"x", isa::BufferUse::Input, 256},
                       {"y", isa::BufferUse::Output, 256}};
  writeRing(w, hasRelease);
  auto simulator = load(machine, w.finish());
  Caller caller(*simulator);
  std::vector<uint8_t> expected(256);
  for (size_t i = 0; i < 256; ++i) {
    caller.bytes[kIn][i] = uint8_t(i);
    expected[i] = uint8_t(std::abs(int8_t(i)));
  }
  int right = 0;
  for (uint64_t seed = 0; seed < seeds; ++seed) {
    RunOptions options;
    options.perturbation = seed;
    auto outcome = simulator->run(caller.bindings, options);
    right += outcome && !outcome->fault && caller.bytes[kOut] == expected;
  }
  return right;
}

TEST_F(Programs, ACorrectProgramIsRightWhateverTheTimes) {
  EXPECT_EQ(rightRuns(machine, true, 1000), 1000);
}

TEST_F(Programs, ARaceShowsUnderSomeTimes) {
  int right = rightRuns(machine, false, 200);
  EXPECT_LT(right, 190);
  EXPECT_GT(right, 0); // the times decide
}

TEST_F(Programs, CallsShareNothing) {
  buffers(256, 256);
  writeRing(w, false);
  simulator = load(machine, w.finish());
  caller = std::make_unique<Caller>(*simulator);
  auto first = simulator->run(caller->bindings);
  ASSERT_FALSE(first->fault);
  int faults = 0;
  for (uint64_t seed = 0; seed < 50; ++seed) { // races, some with faults
    RunOptions options;
    options.perturbation = seed;
    options.maxInstructions = seed % 2 ? 100 : 1000; // or a sudden end
    faults += simulator->run(caller->bindings, options)->fault.has_value();
  }
  EXPECT_GT(faults, 0);
  auto last = simulator->run(caller->bindings);
  ASSERT_FALSE(last->fault);
  EXPECT_EQ(last->counters.cycles, first->counters.cycles);
}
