//===- ProgramTest.cpp ----------------------------------------------------===//

#include "tally/emit/encode/Build.h"
#include "tally/emit/encode/Encode.h"
#include "tally/emit/program/ProgramFile.h"
#include "tally/machine/MachineFile.h"

#include "llvm/Support/Endian.h"

#include <algorithm>

#include <gtest/gtest.h>

using namespace tally;
using namespace tally::isa;
using machine::Machine;

namespace {

Machine machineOf(const std::string &name) {
  return *machine::readMachine(std::string(TALLY_SOURCE_DIR) + "/machines/" +
                               name + ".yaml");
}

std::vector<uint32_t> wordsOf(std::initializer_list<Instruction> instructions) {
  std::vector<uint32_t> words;
  for (const Instruction &instruction : instructions)
    words.push_back(*encode(instruction));
  return words;
}

/// Uses a DMA and the matrix engine, counters and x10.
Program smallProgram() {
  using namespace build;
  Program program;
  program.producer = "test";
  program.text =
      wordsOf({Lw(10, 0, 4), CfgI(3, MatrixField::Depthwise, 1),
               Go(0, CommandCode::DmaCopy, 10), Signal(0, 1), WaitRel(3, 1, 2),
               Go(3, CommandCode::MatrixConv), Ecall()});
  program.requirements = requirementsOf(program.text, machineOf("edge"));
  program.constants = {1, 2, 3};
  program.context.resize(8);
  program.arenaBytes = 256;
  program.arenaAlignment = 64;
  program.buffers = {
      {"x", BufferUse::Input, 16, 4, machine::ElementType::F32, {4}, 0, 0}};
  program.scalars = {{"cursor", 4, 0, 9}};
  program.symbols = {{"start", kTextSpace, 0, 0},
                     {"weights", kConstantsRegion, 0, 3},
                     {"state", kContextRegion, 0, 4},
                     {"tile", kSram, 1024, 64}};
  program.nodes = {{1, 5, "conv"}};
  program.sourceFile = "small.s";
  program.lines = {{0, 3}, {2, 9}};
  return program;
}

TEST(ProgramFile, ReadsBackWhatItWrites) {
  Program program = smallProgram();
  std::vector<uint8_t> bytes = writeProgram(program);
  EXPECT_TRUE(beginsLikeProgram(bytes));
  Result<Program> back = parseProgram(bytes, "x");
  ASSERT_TRUE(back) << back.error().str();
  EXPECT_EQ(*back, program);
  EXPECT_EQ(writeProgram(*back), bytes);
}

TEST(ProgramFile, NamesThatAreNoUtf8AreMended) {
  Program program = smallProgram();
  program.nodes[0].name = "caf\xe9";
  Result<Program> back = parseProgram(writeProgram(program), "x");
  ASSERT_TRUE(back) << back.error().str();
  EXPECT_EQ(back->nodes[0].name, "caf\xef\xbf\xbd");
}

void expectBroken(const std::vector<uint8_t> &bytes, const std::string &rule,
                  const std::string &message) {
  Result<Program> program = parseProgram(bytes, "x.elf");
  ASSERT_FALSE(program) << message;
  EXPECT_EQ(program.error().rule, rule) << program.error().str();
  EXPECT_EQ(program.error().kind, FailureKind::Model);
  EXPECT_EQ(program.error().file, "x.elf");
  EXPECT_NE(program.error().message.find(message), std::string::npos)
      << program.error().message;
}

TEST(ProgramFile, RefusesWhatIsNoProgram) {
  std::vector<uint8_t> good = writeProgram(smallProgram());
  const std::string no32 = "it is no 32-bit little-endian RISC-V ELF file";
  expectBroken({}, "PROG-1", no32);
  expectBroken({'h', 'i'}, "PROG-1", no32);
  std::vector<uint8_t> bytes = good;
  bytes[18] = 62; // e_machine: x86-64
  expectBroken(bytes, "PROG-1", no32);
  bytes = good;
  bytes[4] = 2; // 64 bits
  expectBroken(bytes, "PROG-1", no32);
  bytes = good;
  bytes.resize(bytes.size() - 1); // within the section headers
  expectBroken(bytes, "PROG-1", "no program of a machine: ");
  bytes = good;
  llvm::support::endian::write32le(&bytes[32], 0xfffffff0); // e_shoff
  expectBroken(bytes, "PROG-1", "no program of a machine: ");
  bytes = good;
  bytes[48] = 0; // e_shnum: no sections
  expectBroken(bytes, "PROG-1", "no program of a machine: ");
}

/// The file with the first `from` replaced, equally long.
std::vector<uint8_t> patched(const std::string &from, const std::string &to) {
  std::vector<uint8_t> bytes = writeProgram(smallProgram());
  auto at = std::search(bytes.begin(), bytes.end(), from.begin(), from.end());
  EXPECT_NE(at, bytes.end()) << from;
  EXPECT_EQ(from.size(), to.size());
  std::ranges::copy(to, at);
  return bytes;
}

TEST(ProgramFile, RefusesBrokenNotes) {
  expectBroken(patched(".note.tally", ".note.other"), "PROG-1",
               "there is no section '.note.tally'");
  expectBroken(patched(".data", ".text"), "PROG-1",
               "section '.text' is there twice");
  expectBroken(patched(std::string("Tally\0", 6), std::string("Tilly\0", 6)),
               "PROG-2", "the file's note is none of a program");
  expectBroken(patched("\"version\":1", "\"version\":7"), "PROG-2",
               "its format is version 7, this program reads versions up to 4");
  expectBroken(patched("\"version\":1", "\"version\";1"), "PROG-2",
               "the program's note cannot be read: ");
  expectBroken(patched("\"use\":\"input\"", "\"use\":\"inbox\""), "PROG-2",
               "expected one of the format's names at program.buffers[0].use");
  expectBroken(patched("\"alignment\":4", "\"alignment\":{"), "PROG-2",
               "the program's note cannot be read: ");
  expectBroken(patched("\"alignment\":4", "\"alignment\":3"), "PROG-4",
               "buffer 'x' has 16 bytes and alignment 3");
}

TEST(Program, RefusesWhatDoesNotFitTogether) {
  auto expect = [](auto change, const char *rule, const char *message) {
    Program program = smallProgram();
    ASSERT_TRUE(checkProgram(program));
    change(program);
    Status status = checkProgram(program);
    ASSERT_FALSE(status) << message;
    EXPECT_EQ(status.error().rule, rule);
    EXPECT_EQ(status.error().message, message);
  };
  expect([](Program &p) { p.text.clear(); }, "PROG-3",
         "the program has no instruction");
  expect([](Program &p) { p.text[1] = 0; }, "PROG-3",
         "instruction 1: no instruction of version 1 has the word 0x00000000");
  expect([](Program &p) { p.buffers.push_back(p.buffers[0]); }, "PROG-4",
         "two buffers are called 'x', or one has no name");
  expect([](Program &p) { p.buffers.resize(62); }, "PROG-4",
         "62 buffers are more than the 61 regions for them");
  expect([](Program &p) { p.buffers[0].scale = -1; }, "PROG-4",
         "buffer 'x' has a negative dimension, or a scale that is negative or "
         "not finite");
  expect([](Program &p) { p.buffers[0].isBool = true; }, "PROG-4",
         "buffer 'x' holds truths that are no bytes");
  expect([](Program &p) { p.arenaAlignment = 0; }, "PROG-4",
         "the arena has 256 bytes and alignment 0");
  expect([](Program &p) { p.scalars[0].offset = 6; }, "PROG-4",
         "run-time scalar 'cursor' at offset 6 is no word of the context of 8 "
         "bytes");
  expect([](Program &p) { p.scalars[0].offset = 8; }, "PROG-4",
         "run-time scalar 'cursor' at offset 8 is no word of the context of 8 "
         "bytes");
  expect([](Program &p) { p.scalars[0].least = 10; }, "PROG-4",
         "run-time scalar 'cursor' has the range 10 to 9");
  expect([](Program &p) { p.symbols[1].bytes = 4; }, "PROG-4",
         "symbol 'weights', 4 bytes from 0 of space 0, lies outside of it");
  expect([](Program &p) { p.symbols[3].space = 99; }, "PROG-4",
         "symbol 'tile', 64 bytes from 1024 of space 99, lies outside of it");
  expect([](Program &p) { p.nodes[0].count = 7; }, "PROG-4",
         "node 'conv', 7 instructions from 1, is not behind the one before it, "
         "or beyond the text");
  expect([](Program &p) { p.lines[1].first = 0; }, "PROG-4",
         "source line 9 from instruction 0 on is not behind the one before it, "
         "or beyond the text");
}

TEST(Program, KnowsItsRegionsAndLines) {
  Program program = smallProgram();
  EXPECT_EQ(program.lineOf(1), 3);
  EXPECT_EQ(program.lineOf(2), 9);
  EXPECT_EQ(program.regionBytes(kConstantsRegion), 3);
  EXPECT_EQ(program.regionBytes(kArenaRegion), 256);
  EXPECT_EQ(program.regionBytes(kContextRegion), 8);
  EXPECT_EQ(program.regionBytes(kFirstCallerRegion), 16);
  EXPECT_EQ(program.regionBytes(kFirstCallerRegion + 1), std::nullopt);
}

/// A call flips `h`, and hands `b` on to `a` in exchange.
Program statefulProgram() {
  Program program = smallProgram();
  auto buffer = [](const char *name, BufferUse use) {
    return Buffer{name, use, 8, 1, machine::ElementType::I16, {4}, 0.5, 3};
  };
  program.buffers.push_back(buffer("h", BufferUse::OldState));
  program.buffers.push_back(buffer("h", BufferUse::NewState));
  program.buffers.push_back(buffer("s", BufferUse::State));
  State h{
      "h", StatePolicy::Flip, machine::ElementType::I16, {4}, 0.5, 3, 0, 1, 1,
      2};
  h.initial = {3, 0, 3, 0, 3, 0, 3, 0};
  State s{"s",
          StatePolicy::InPlace,
          machine::ElementType::I16,
          {4},
          0.5,
          3,
          2,
          2,
          3,
          3};
  s.initial = {1, 0, 2, 0, 3, 0, 4, 0};
  s.reason = "read first";
  State k{"k", StatePolicy::Keep, machine::ElementType::I8, {2}, 0, 0, 3, 3};
  program.states = {h, s, k};
  program.slots = {8, 8, 8, 2};
  program.commit = {1, 0, 2, 3};
  program.stateHash = 0xfedcba9876543210;
  return program;
}

TEST(States, AreReadBack) {
  Program program = statefulProgram();
  std::string text = metadataToJson(program);
  EXPECT_NE(text.find("\"version\":2"), std::string::npos);
  EXPECT_NE(text.find("\"initial\":\"AwA=\""), std::string::npos); // a splat
  Result<Program> back = parseProgram(writeProgram(program), "x");
  ASSERT_TRUE(back) << back.error().str();
  EXPECT_EQ(*back, program);
}

TEST(States, FitTheirBuffersAndSlots) {
  ASSERT_TRUE(checkProgram(statefulProgram()));
  auto expect = [](auto change, const char *message) {
    Program program = statefulProgram();
    change(program);
    Status status = checkProgram(program);
    ASSERT_FALSE(status) << message;
    EXPECT_EQ(status.error().rule, "PROG-7");
    EXPECT_EQ(status.error().message, message);
  };
  expect([](Program &p) { p.states[1].name = "h"; },
         "two states are called 'h', or one has no name");
  expect([](Program &p) { p.states[0].shape = {-1}; },
         "state 'h' has no such shape");
  expect([](Program &p) { p.states[0].initial->pop_back(); },
         "state 'h' of 8 bytes begins with 7");
  expect([](Program &p) { p.slots[1] = 7; },
         "state 'h' of 8 bytes has no slot 1 that holds it");
  expect([](Program &p) { p.states[0].next = 4; },
         "state 'h' of 8 bytes has no slot 4 that holds it");
  expect([](Program &p) { p.states[0].next = 0; },
         "state 'h' with policy flip has slots 0 and 0");
  expect([](Program &p) { p.states[1].next = 0; },
         "state 's' with policy in place has slots 2 and 0");
  expect([](Program &p) { p.states[0].newBuffer = 0; },
         "state 'h' with policy flip has buffers 1 and 0, which are not its "
         "own");
  expect([](Program &p) { p.states[0].newBuffer = -1; },
         "state 'h' with policy flip has buffers 1 and -1, which are not its "
         "own");
  expect([](Program &p) { p.states[2].newBuffer = 2; },
         "state 'k' with policy keep has buffers -1 and 2, which are not its "
         "own");
  expect([](Program &p) { p.buffers[3].name = "t"; },
         "state 's' with policy in place has buffers 3 and 3, which are not "
         "its own");
  expect([](Program &p) { p.states.pop_back(), p.states.pop_back(); },
         "there is no state for buffer 's'");
  const char *permutation = "what a call does to the list of slots is no "
                            "permutation of slots of one size";
  expect([](Program &p) { p.commit[0] = 0; }, permutation);
  expect([](Program &p) { p.commit = {1, 0, 3, 2}; }, permutation);
  expect([](Program &p) { p.commit.pop_back(); }, permutation);
}

TEST(States, RefuseBrokenNotes) {
  std::string text = metadataToJson(statefulProgram());
  auto expect = [&](const std::string &from, const std::string &to,
                    const std::string &message) {
    std::string broken = text;
    ASSERT_NE(broken.find(from), std::string::npos) << from;
    broken.replace(broken.find(from), from.size(), to);
    Program program;
    Status status = metadataFromJson(broken, program);
    ASSERT_FALSE(status) << message;
    EXPECT_EQ(status.error().rule, "PROG-2");
    EXPECT_NE(status.error().message.find(message), std::string::npos)
        << status.error().message;
  };
  expect("\"AwA=\"", "\"AwAD\"",
         "expected one element, or the whole state, in base 64 at "
         "program.states[0].initial");
  expect("\"flip\"", "\"flop\"", "at program.states[0].policy");
  expect("\"FEDC", "\"FEDX", "expected hexadecimal digits");
  expect("\"commit\"", "\"commits\"", "program.commit");
}

TEST(Requirements, AreThoseOfTheText) {
  Requirements needs = smallProgram().requirements;
  EXPECT_EQ(needs.scalarRegisters, 11); // x10
  EXPECT_FALSE(needs.multiply);
  EXPECT_TRUE(needs.relativeWaits);
  EXPECT_FALSE(needs.scalarThresholds);
  EXPECT_EQ(needs.syncRegisters, 8);
  ASSERT_EQ(needs.queues.size(), 2u);
  EXPECT_EQ(needs.queues[0].name, "load0");
  EXPECT_EQ(needs.queues[0].direction, machine::Direction::In);
  EXPECT_EQ(needs.queues[1].number, 3);
  EXPECT_TRUE(needs.queues[1].depthwise);
}

TEST(Requirements, FasterAndLargerMachinesWillDo) {
  Machine machine = machineOf("edge");
  machine.name = "edge2";
  machine.sram.bytes *= 2;
  machine.engines[0].dma.latency = 7;
  machine.engines[0].depth = 1;
  EXPECT_TRUE(checkMachine(smallProgram(), machine));
}

TEST(Requirements, TheFirstOneNotMetIsNamed) {
  auto expect = [](auto change, const std::string &missing) {
    Machine machine = machineOf("edge");
    ASSERT_TRUE(checkMachine(smallProgram(), machine));
    machine.name = "other";
    change(machine);
    Status status = checkMachine(smallProgram(), machine);
    ASSERT_FALSE(status) << missing;
    EXPECT_EQ(status.error().kind, FailureKind::Unsupported);
    EXPECT_EQ(status.error().rule, "PROG-5");
    EXPECT_EQ(status.error().message, "the program, made for machine 'edge', "
                                      "cannot run on 'other': it needs " +
                                          missing);
  };
  expect([](Machine &m) { m.isaVersion = 2; },
         "version 1 of the instruction set");
  expect([](Machine &m) { m.queues.resize(3); }, "queue 3, 'matrix'");
  expect([](Machine &m) { m.engines[2].kind = machine::EngineKind::Vector; },
         "queue 3, 'matrix', to be a matrix engine");
  expect(
      [](Machine &m) { m.engines[0].dma.direction = machine::Direction::Out; },
      "queue 0, 'load0', to move the other way, too");
  expect([](Machine &m) { m.engines[0].inOrder = false; },
         "queue 0, 'load0', to complete in order");
  expect([](Machine &m) { m.engines[2].matrix.depthwiseChannels = 0; },
         "queue 3, 'matrix', to have a depthwise mode");
  expect([](Machine &m) { m.engines[2].types.pop_back(); },
         "queue 3, 'matrix', to take i32");
  expect([](Machine &m) { m.sync.kind = machine::SyncKind::Token; },
         "synchronization registers that are counters");
  expect([](Machine &m) { m.sync.key = machine::SyncKey::Source; },
         "synchronization registers with another key");
  expect([](Machine &m) { m.sync.compare = machine::SyncCompare::Modular; },
         "counters that compare otherwise");
  expect([](Machine &m) { m.sync.count = 1; },
         "8 synchronization registers, and there is 1");
  expect([](Machine &m) { m.sync.bits = 8; },
         "16 bits of synchronization registers, and there are 8");
  expect([](Machine &m) { m.sync.multipleWaiters = false; },
         "several waiting queues of one register");
  expect([](Machine &m) { m.sync.relativeWaits = false; }, "relative waits");
  expect([](Machine &m) { m.requantize.pop_back(); },
         "a requantize unit for 16-bit results");
  expect([](Machine &m) { m.requantize[0].multiplierBits = 16; },
         "32 bits of multiplier for 8-bit results, and there are 16");
  expect([](Machine &m) { m.sram.bytes = 4096; },
         "1048576 bytes of SRAM, and there are 4096");
  expect([](Machine &m) { m.accumulators.bytes = 64; },
         "131072 bytes of accumulators, and there are 64");
}

TEST(Requirements, OfTheProcessor) {
  Program program = smallProgram();
  program.text = wordsOf({build::Mul(20, 5, 6), build::WaitGeR(0, 0, 5)});
  Machine machine = machineOf("edge");
  machine.processor.hasMultiply = true;
  machine.latchesOperands = true;
  program.requirements = requirementsOf(program.text, machine);
  EXPECT_EQ(program.requirements.scalarRegisters, 21);
  auto missing = [&](const Machine &other) {
    Status status = checkMachine(program, other);
    return status ? "" : status.error().message;
  };
  EXPECT_EQ(missing(machine), "");
  Machine less = machine;
  less.processor.isEmbedded = true;
  EXPECT_NE(missing(less).find("needs 21 scalar registers, and there are 16"),
            std::string::npos);
  less = machine;
  less.processor.hasMultiply = false;
  EXPECT_NE(missing(less).find("needs multiplication"), std::string::npos);
  less = machine;
  less.latchesOperands = false;
  EXPECT_NE(
      missing(less).find("needs scalar operands of commands latched at issue"),
      std::string::npos);
  less = machine;
  less.sync.scalarThresholds = false;
  EXPECT_NE(missing(less).find("needs scalar thresholds of waits"),
            std::string::npos);
}

} // namespace
