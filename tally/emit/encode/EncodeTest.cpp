//===- EncodeTest.cpp -----------------------------------------------------===//

#include "tally/emit/encode/Encode.h"
#include "tally/emit/encode/Build.h"
#include "tally/emit/encode/Random.h"
#include "tally/machine/MachineFile.h"

#include <gtest/gtest.h>

using namespace tally;
using namespace tally::isa;
using machine::Machine;

namespace {

Machine machineOf(const std::string &name) {
  return *machine::readMachine(std::string(TALLY_SOURCE_DIR) + "/machines/" +
                               name + ".yaml");
}

uint32_t wordOf(const Instruction &instruction) {
  Result<uint32_t> word = encode(instruction);
  EXPECT_TRUE(word) << word.error().str();
  return word ? *word : 0;
}

void expectRefused(const Status &status, const std::string &rule,
                   const std::string &message) {
  ASSERT_FALSE(status) << message;
  EXPECT_EQ(status.error().rule, rule);
  EXPECT_EQ(status.error().message, message);
}

TEST(Table, OperandsAndFixedBitsDoNotMeet) {
  for (const InstructionInfo &info : allInstructions()) {
    uint32_t taken = 0;
    for (const OperandInfo &operand : info.operands()) {
      int bits = operand.zeroBits;
      for (size_t s = 0; s < operand.sliceCount; ++s) {
        BitSlice slice = operand.slices[s];
        uint32_t mask = ((uint32_t(1) << slice.width) - 1) << slice.wordBit;
        EXPECT_EQ(taken & mask, 0u) << info.mnemonic << " " << operand.name;
        taken |= mask;
        bits += slice.width;
      }
      EXPECT_EQ(bits, operand.bits) << info.mnemonic << " " << operand.name;
    }
    EXPECT_EQ(info.bits & taken, 0u) << info.mnemonic;
    EXPECT_EQ(info.bits & 3, 3u) << info.mnemonic << ": a word of 32 bits";
  }
}

TEST(Table, NoWordBelongsToTwoRows) {
  for (const InstructionInfo &a : allInstructions())
    for (const InstructionInfo &b : allInstructions())
      if (a.opcode != b.opcode) {
        uint32_t common = a.mask() & b.mask();
        EXPECT_NE(a.bits & common, b.bits & common)
            << a.mnemonic << " and " << b.mnemonic;
      }
}

// RISC-V custom-0 is 0001011, custom-1 0101011, custom-2 1011011.
TEST(Encode, PutsOperandsInTheirBits) {
  EXPECT_EQ(wordOf(build::CfgI(3, build::FieldNumber(uint32_t(5)), -1)),
            0x3fffu << 18 | 5u << 11 | 3u << 7 | 0x0bu);
  EXPECT_EQ(wordOf(build::CfgR(3, build::FieldNumber(uint32_t(5)), 9)),
            5u << 20 | 9u << 15 | 3u << 7 | 0x2bu);
  EXPECT_EQ(wordOf(build::Go(4, CommandCode::VectorBlock, 9, 10)),
            65u << 25 | 10u << 20 | 9u << 15 | 1u << 12 | 4u << 7 | 0x2bu);
  EXPECT_EQ(wordOf(build::Fence()), 0x202bu);
  EXPECT_EQ(wordOf(build::FenceQueue(2, 33)), // 33 = 1 * 32 + 1
            1u << 27 | 1u << 15 | 3u << 12 | 2u << 7 | 0x2bu);
  EXPECT_EQ(wordOf(build::Signal(1, 6)), 6u << 20 | 1u << 7 | 0x5bu);
  EXPECT_EQ(wordOf(build::WaitGe(1, 6, 1023)),
            31u << 27 | 6u << 20 | 31u << 15 | 1u << 12 | 1u << 7 | 0x5bu);
  EXPECT_EQ(wordOf(build::WaitGeR(1, 6, 7)),
            6u << 20 | 7u << 15 | 2u << 12 | 1u << 7 | 0x5bu);
}

TEST(Encode, RoundTripsTenThousandRandomInstructions) {
  std::mt19937_64 random(1); // NOLINT(bugprone-random-generator-seed)
  std::vector<int> seen(kOpcodes);
  for (int i = 0; i < 10000; ++i) {
    Instruction instruction = randomInstruction(random);
    ++seen[size_t(instruction.opcode)];
    Result<Instruction> back = decode(wordOf(instruction));
    ASSERT_TRUE(back) << back.error().str();
    ASSERT_EQ(*back, instruction) << instruction.info().mnemonic;
  }
  for (size_t i = 0; i < kOpcodes; ++i)
    EXPECT_GT(seen[i], 100) << infoOf(Opcode(i)).mnemonic;
}

TEST(Encode, RandomWordsDecodeToThemselvesOrToNothing) {
  std::mt19937_64 random(2); // NOLINT(bugprone-random-generator-seed)
  int known = 0;
  for (int i = 0; i < 100000; ++i) {
    // The opcode of one row, so that some of the words are instructions.
    uint32_t word = uint32_t(random()) & ~0x7fu;
    word |= infoOf(Opcode(random() % kOpcodes)).bits & 0x7f;
    Result<Instruction> instruction = decode(word);
    if (!instruction) {
      ASSERT_EQ(instruction.error().rule, "ENC-WORD");
      continue;
    }
    ++known;
    ASSERT_EQ(wordOf(*instruction), word);
  }
  EXPECT_GT(known, 10000);
}

TEST(Decode, NamesTheWord) {
  for (uint32_t word : {0u, 0xffffffffu, 0x7bu /*custom-3*/,
                        0x82bu /*cfg.r with a reserved bit*/}) {
    Result<Instruction> none = decode(word);
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().rule, "ENC-WORD");
  }
  EXPECT_EQ(decode(0x7b).error().message,
            "no instruction of version 1 has the word 0x0000007b");
}

TEST(Encode, RefusesWhatBitsCannotHold) {
  expectRefused(checkOperands(build::Addi(5, 0, 2048)), "ENC-RANGE",
                "'addi' with imm 2048: -2048 to 2047 can be encoded");
  expectRefused(checkOperands(build::Addi(32, 0, 0)), "ENC-RANGE",
                "'addi' with rd 32: 0 to 31 can be encoded");
  expectRefused(checkOperands(build::Jal(0, 3)), "ENC-RANGE",
                "'jal' with offset 3: it has to be even");
  expectRefused(checkOperands(build::CfgI(0, DmaField::SrcOffset, 8192)),
                "ENC-RANGE",
                "'cfg.i' with imm 8192: -8192 to 8191 can be encoded");
  expectRefused(checkOperands(build::WaitGe(0, 0, 1024)), "ENC-RANGE",
                "'wait.ge' with imm 1024: 0 to 1023 can be encoded");
}

TEST(Encode, RefusesWhatTheMachineLacks) {
  Machine edge = machineOf("edge"), tiny = machineOf("tiny"),
          wide = machineOf("wide");
  expectRefused(checkFor(build::Addi(16, 0, 0), tiny), "ENC-RANGE",
                "'addi' with rd 16: rv32e has 16");
  expectRefused(checkFor(build::Signal(5, 0), edge), "ENC-RANGE",
                "'signal' with queue 5: machine 'edge' has 5");
  expectRefused(checkFor(build::Signal(0, 2), tiny), "ENC-RANGE",
                "'signal' with sync 2: machine 'tiny' has 2");
  expectRefused(
      checkFor(build::CfgI(0, build::FieldNumber(uint32_t(100)), 0), edge),
      "ENC-RANGE", "'cfg.i' with field 100: a dma engine has 30");
  expectRefused(checkFor(build::CfgI(0, DmaField::Element, 99), edge),
                "ENC-RANGE",
                "'cfg.i' of field 'element' with 99: 0 to 15 are its values");
  expectRefused(checkFor(build::Go(0, CommandCode::VectorBlock), edge),
                "ENC-RANGE",
                "'go' with command 65: no command of a dma engine has this "
                "code");
  expectRefused(checkFor(build::Mul(5, 6, 7), edge), "ENC-MACHINE",
                "'mul' is not for machine 'edge': its subset rv32i has no "
                "multiplication");
  expectRefused(checkFor(build::WaitRel(0, 0, 1), tiny), "ENC-MACHINE",
                "'wait.rel' is not for machine 'tiny': it has no relative "
                "waits");
  expectRefused(checkFor(build::WaitGe(0, 0, 1), wide), "ENC-MACHINE",
                "'wait.ge' is not for machine 'wide': its synchronization "
                "registers are no counters");
  expectRefused(checkFor(build::Test(0, 0), edge), "ENC-MACHINE",
                "'test' is not for machine 'edge': its synchronization "
                "registers are no flags");
  expectRefused(checkFor(build::Take(0, 0), edge), "ENC-MACHINE",
                "'take' is not for machine 'edge': its synchronization "
                "registers are no tokens");
  edge.sync.reserved = {7};
  expectRefused(checkFor(build::Signal(0, 7), edge), "ENC-RANGE",
                "'signal' with sync 7: machine 'edge' reserves it");
  EXPECT_TRUE(checkFor(build::Signal(0, 6), edge));
  edge.sync.key = machine::SyncKey::Source; // 15 is register 7 of queue 1
  EXPECT_FALSE(checkFor(build::Signal(0, 15), edge));
  edge.sync.scalarThresholds = false;
  expectRefused(checkFor(build::WaitGeR(0, 0, 5), edge), "ENC-MACHINE",
                "'wait.ge.r' is not for machine 'edge': its waits have no "
                "scalar thresholds");
}

} // namespace
