//===- MachineFileTest.cpp ------------------------------------------------===//

#include "tally/machine/MachineFile.h"

#include "tally/support/ReadFile.h"

#include <gtest/gtest.h>

using namespace tally;
using namespace tally::machine;

namespace {

std::string shipped(const std::string &name) {
  return std::string(TALLY_SOURCE_DIR) + "/machines/" + name + ".yaml";
}

Machine machineOf(const std::string &name) {
  Result<Machine> machine = readMachine(shipped(name));
  EXPECT_TRUE(machine) << machine.error().str();
  return machine ? *machine : Machine();
}

std::string textOf(const std::string &name) {
  Result<std::vector<uint8_t>> bytes = readFile(shipped(name));
  EXPECT_TRUE(bytes);
  return {bytes->begin(), bytes->end()};
}

/// edge.yaml with the one place that says `from` saying `to`.
Diagnostic broken(const std::string &from, const std::string &to) {
  std::string text = textOf("edge");
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  Result<Machine> machine = parseMachine(text, "edge.yaml");
  EXPECT_FALSE(machine) << "'" << to << "' was accepted";
  return machine ? Diagnostic() : machine.error();
}

void expectBroken(const std::string &from, const std::string &to,
                  const std::string &rule, const std::string &message) {
  Diagnostic failure = broken(from, to);
  EXPECT_EQ(failure.kind, FailureKind::Machine);
  EXPECT_EQ(failure.file, "edge.yaml");
  EXPECT_EQ(failure.rule, rule) << failure.str();
  EXPECT_EQ(failure.message, message);
}

// Lines are those of machines/edge.yaml; a rule of a whole mapping has the line
// where the mapping begins.
TEST(MachineFile, EdgeHasItsParameters) {
  Machine edge = machineOf("edge");
  EXPECT_EQ(edge.clockHz, 1000000000);
  EXPECT_EQ(edge.processor.scratch.size(), 8u);
  EXPECT_EQ(edge.processor.cyclesPerInstruction, 1);
  EXPECT_EQ(edge.processor.subset(), "rv32i");
  EXPECT_FALSE(edge.latchesOperands);
  ASSERT_EQ(edge.queues.size(), 5u);
  EXPECT_EQ(edge.queues[0].name, "load0");
  EXPECT_EQ(edge.queues[1].name, "load1");
  EXPECT_EQ(edge.queues[2].name, "store");
  EXPECT_EQ(edge.findQueue("vector"), 4u);
  EXPECT_FALSE(edge.findQueue("load"));

  const MatrixUnit &array = edge.engineOf(3).matrix;
  EXPECT_EQ(array.rows * array.columns, 2048); // MAC in a cycle
  EXPECT_EQ(array.weightBytesPerCycle, 64);
  EXPECT_EQ(array.depthwiseChannels, 64);
  EXPECT_EQ(array.depthwiseTaps, 9);
  EXPECT_EQ(array.outputLanes, 64);
  EXPECT_EQ(edge.engineOf(4).vector.lanes, 64);
  EXPECT_EQ(edge.engineOf(4).vector.slowFactor, 4);

  EXPECT_EQ(edge.requantizeFor(8)->multiplierBits, 32);
  EXPECT_EQ(edge.requantizeFor(16)->multiplierBits, 48);
  EXPECT_EQ(edge.requantizeFor(16)->offsetBits, 64);
  EXPECT_EQ(edge.requantizeFor(32), nullptr);

  EXPECT_EQ(edge.sram.bytes, 1 << 20);
  EXPECT_EQ(edge.sram.readPorts * edge.sram.readBytesPerCycle, 128);
  EXPECT_EQ(edge.sram.writePorts * edge.sram.writeBytesPerCycle, 64);
  EXPECT_EQ(edge.accumulators.bytes, 128 << 10);
  EXPECT_EQ(edge.global.bytesPerCycle, 32);
  EXPECT_EQ(edge.engineOf(0).dma.latency, 200);
  EXPECT_EQ(edge.sync.kind, SyncKind::Counter);
  EXPECT_EQ(edge.syncRegisters(), 8);
  EXPECT_EQ(edge.sync.maxValue(), 65535);
}

TEST(MachineFile, TinyHasItsParameters) {
  Machine tiny = machineOf("tiny");
  EXPECT_EQ(tiny.processor.subset(), "rv32e");
  EXPECT_EQ(tiny.processor.scratch.size(), 4u);
  EXPECT_EQ(tiny.queues.size(), 3u);
  EXPECT_EQ(tiny.engineOf(0).dma.bytesPerCycle, 4);
  EXPECT_EQ(tiny.engineOf(1).matrix.rows, 8);
  EXPECT_EQ(tiny.engineOf(1).matrix.columns, 8);
  EXPECT_EQ(tiny.engineOf(2).vector.lanes, 8);
  EXPECT_EQ(tiny.sram.bytes, 64 << 10);
  EXPECT_EQ(tiny.syncRegisters(), 2);
  EXPECT_EQ(tiny.sync.maxValue(), 255);
}

TEST(MachineFile, WideHasItsParameters) {
  Machine wide = machineOf("wide");
  std::vector<std::string> names;
  names.reserve(wide.queues.size());
  for (const Queue &queue : wide.queues)
    names.push_back(queue.name);
  EXPECT_EQ(names,
            (std::vector<std::string>{"dma0", "dma1", "dma2", "dma3", "matrix0",
                                      "matrix1", "vector0", "vector1"}));
  EXPECT_EQ(wide.sync.kind, SyncKind::Flag);
  EXPECT_EQ(wide.syncRegisters(), 16);
  EXPECT_EQ(wide.sync.maxValue(), 1);
  EXPECT_TRUE(wide.processor.hasMultiply);
}

TEST(MachineFile, EveryRuleNamesItsLine) {
  expectBroken("clock: 1000000000", "clok: 1000000000", "MACH-1",
               "line 2: missing required key 'clock'");
  expectBroken("isa: 1", "isa: 1\nspeed: 3", "MACH-1",
               "line 4: unknown key 'speed'");
  expectBroken("kind: matrix", "kind: tensor", "MACH-1",
               "line 26: 'tensor' is none of: dma, matrix, vector");
  expectBroken("kind: counter", "kind: semaphore", "MACH-1",
               "line 52: 'semaphore' is none of: counter, token, flag");
  expectBroken("types: [i8, u8, i16, u16, i32]", "types: [i8, i9]", "MACH-1",
               "line 30: 'i9' is none of: i8, u8, i16, u16, i32, i64, f16, "
               "f32");
  expectBroken("rows: 32", "rows: many", "MACH-1",
               "line 32: 'many' is no integer");
  expectBroken("subset: rv32i", "subset: rv64i", "MACH-1",
               "line 7: subset 'rv64i' is not rv32i, rv32e, rv32i_zmmul or "
               "rv32e_zmmul");
  expectBroken("isa: 1", "isa: 2", "MACH-2", "line 3: 2 is outside 1 to 1");
  expectBroken("rows: 32", "rows: 0", "MACH-2",
               "line 32: 0 is outside 1 to 65536");
  expectBroken("address-bits: 32", "address-bits: 73", "MACH-2",
               "line 65: 73 is outside 16 to 48");
  expectBroken("granule: 32", "granule: 24", "MACH-2",
               "line 66: 24 is no power of two");
  expectBroken("depthwise-taps: 9", "depthwise-taps: 0", "MACH-2",
               "line 32: depthwise-channels and depthwise-taps are both 0 or "
               "neither");
  expectBroken("name: edge", "name: 7up", "MACH-3",
               "line 2: '7up' is no name: letters, digits, - and _, a letter "
               "first");
  expectBroken("name: store", "name: vector", "MACH-3",
               "line 2: two queues are called 'vector'");
  expectBroken("count: 2", "count: 14", "MACH-4",
               "line 2: engines make 17 queues; 1 to 16 are possible");
  expectBroken("kind: dma", "kind: vector", "MACH-1",
               "line 13: missing required key 'types'");
  expectBroken("[5, 6,", "[0, 6,", "MACH-5",
               "line 7: scratch register x0: rv32i has x1 to x31 for it");
  expectBroken("[5, 6,", "[6, 6,", "MACH-5",
               "line 7: scratch lists registers, each once");
  expectBroken("result-bits: 16", "result-bits: 12", "MACH-6",
               "line 49: requantize units make results of 8 or 16 bits");
  expectBroken("result-bits: 16", "result-bits: 8", "MACH-6",
               "line 2: two requantize units make results of the same width");
  expectBroken("reserved: []", "reserved: [8]", "MACH-7",
               "line 52: reserved register 8: count makes them 0 to 7");
  expectBroken("kind: counter", "kind: token", "MACH-7",
               "line 52: only counters have relative waits, scalar thresholds "
               "or a modular comparison");
  expectBroken("key: global", "key: source-destination", "MACH-7",
               "line 2: the synchronization file has 200 registers in all; "
               "instructions can name 128");
  expectBroken("windows: []", "windows: [{begin: 8, end: 8}]", "MACH-8",
               "line 69: the window is empty");
  expectBroken("windows: []",
               "windows: [{begin: 64, end: 128}, {begin: 0, end: 64}]",
               "MACH-8",
               "line 65: window 0 to 64 is not behind the one before it, or "
               "beyond 32 address bits");
  expectBroken("types: [i8, u8, i16", "types: [i8, i8, i16", "MACH-9",
               "line 25: an element type is listed twice");
  expectBroken("types: [i8, u8, i16, u16, i32]", "types: [i16]", "MACH-9",
               "line 25: a matrix engine takes i8 or u8");
  expectBroken("banks: 16", "banks: 2097152", "MACH-10",
               "line 71: 1048576 bytes of SRAM are no multiple of its banks or "
               "alignment");
  expectBroken("{bytes: 131072, alignment: 64}",
               "{bytes: 131072, alignment: 2}", "MACH-10",
               "line 78: accumulators of 131072 bytes with alignment 2: a "
               "multiple of the alignment, which is 4 or more, is needed");
}

TEST(MachineFile, WhatIsNoYamlIsRefused) {
  for (const char *text : {"", "[", "- 1", "{a: b", "\xff\xfe", "--- !!binary",
                           "name: &a [*a]", "? ? ?"}) {
    Result<Machine> machine = parseMachine(text, "x.yaml");
    ASSERT_FALSE(machine) << text;
    EXPECT_EQ(machine.error().rule, "MACH-1") << text;
    EXPECT_EQ(machine.error().message.substr(0, 5), "line ") << text;
  }
}

TEST(MachineFile, SynchronizationRegistersAreCountedByKey) {
  Machine machine = machineOf("edge"); // 5 queues, 8 registers
  machine.sync.key = SyncKey::Source;
  EXPECT_EQ(machine.syncRegisters(), 5 * 8);
  machine.sync.key = SyncKey::SourceDestination;
  EXPECT_EQ(machine.syncRegisters(), 5 * 5 * 8);
}

} // namespace
