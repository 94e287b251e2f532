//===- AssemblerTest.cpp --------------------------------------------------===//

#include "tally/emit/asm/Assembler.h"
#include "tally/emit/asm/Text.h"
#include "tally/emit/encode/Build.h"
#include "tally/emit/encode/Encode.h"
#include "tally/emit/encode/Random.h"
#include "tally/emit/program/ProgramFile.h"
#include "tally/machine/MachineFile.h"

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

Program assembled(const std::string &text, const Machine &machine) {
  Result<Program> program = assemble(text, machine, "x.s");
  EXPECT_TRUE(program) << program.error().str() << "\n" << text;
  return program ? *program : Program();
}

/// Without the places in its source.
Program unplaced(Program program) {
  program.sourceFile.clear();
  program.lines.clear();
  return program;
}

Instruction one(const std::string &text, const std::string &machine = "edge") {
  Program program = assembled(text, machineOf(machine));
  EXPECT_EQ(program.text.size(), 1u);
  return *decode(program.text.at(0));
}

void expectBroken(const std::string &text, const std::string &rule,
                  const std::string &message, const std::string &hint = "") {
  Result<Program> program = assemble(text, machineOf("edge"), "x.s");
  ASSERT_FALSE(program) << text;
  EXPECT_EQ(program.error().kind, FailureKind::Model);
  EXPECT_EQ(program.error().file, "x.s");
  EXPECT_EQ(program.error().rule, rule) << program.error().str();
  EXPECT_EQ(program.error().message, message);
  EXPECT_EQ(program.error().hint, hint);
}

TEST(Assembler, ReadsEveryInstruction) {
  using namespace build;
  const std::pair<const char *, Instruction> cases[] = {
      {"lui x5, 74565", Lui(5, 74565)},
      {"addi x5, x0, -12", Addi(5, 0, -12)},
      {"slti x5, x6, 7", Slti(5, 6, 7)},
      {"sltiu x5, x6, 7", Sltiu(5, 6, 7)},
      {"xori x5, x6, -1", Xori(5, 6, -1)},
      {"ori x5, x6, 7", Ori(5, 6, 7)},
      {"andi x5, x6, 0x7f", Andi(5, 6, 127)},
      {"slli x5, x6, 31", Slli(5, 6, 31)},
      {"srli x5, x6, 1", Srli(5, 6, 1)},
      {"srai x5, x6, 1", Srai(5, 6, 1)},
      {"add x5, x6, x7", Add(5, 6, 7)},
      {"sub x5, x6, x7", Sub(5, 6, 7)},
      {"sll x5, x6, x7", Sll(5, 6, 7)},
      {"slt x5, x6, x7", Slt(5, 6, 7)},
      {"sltu x5, x6, x7", Sltu(5, 6, 7)},
      {"xor x5, x6, x7", Xor(5, 6, 7)},
      {"srl x5, x6, x7", Srl(5, 6, 7)},
      {"sra x5, x6, x7", Sra(5, 6, 7)},
      {"or x5, x6, x7", Or(5, 6, 7)},
      {"and x5, x6, x7", And(5, 6, 7)},
      {"lw x5, 16(x0)", Lw(5, 0, 16)},
      {"sw x5, -4(x6)", Sw(5, 6, -4)},
      {"beq x5, x6, 16", Beq(5, 6, 16)},
      {"bne x5, x6, -16", Bne(5, 6, -16)},
      {"blt x5, x6, 16", Blt(5, 6, 16)},
      {"bge x5, x6, 16", Bge(5, 6, 16)},
      {"bltu x5, x6, 16", Bltu(5, 6, 16)},
      {"bgeu x5, x6, 16", Bgeu(5, 6, 16)},
      {"jal x0, 2048", Jal(0, 2048)},
      {"ecall", Ecall()},
      {"ebreak", Ebreak()},
      {"cfg.i load1, src.offset, 4096", CfgI(1, DmaField::SrcOffset, 4096)},
      {"cfg.i vector, a.type, f32", CfgI(4, VectorField::AType, 7)},
      {"cfg.i vector, a.space, acc", CfgI(4, VectorField::ASpace, 65)},
      {"cfg.i vector, a.space, 3", CfgI(4, VectorField::ASpace, 3)},
      {"cfg.i vector, function, 1", CfgI(4, VectorField::Function, 1)},
      {"cfg.r matrix, in.offset, x7", CfgR(3, MatrixField::InOffset, 7)},
      {"go load0, copy, x5, x6", Go(0, CommandCode::DmaCopy, 5, 6)},
      {"go matrix, conv, x0, x0", Go(3, CommandCode::MatrixConv)},
      {"fence.all", Fence()},
      {"fence vector, 1023", FenceQueue(4, 1023)},
      {"reset s7", Reset(7)},
      {"signal store, s7", Signal(2, 7)},
      {"wait.ge store, s7, 1023", WaitGe(2, 7, 1023)},
      {"wait.ge.r store, s7, x5", WaitGeR(2, 7, 5)},
      {"wait.rel store, s7, 2", WaitRel(2, 7, 2)},
  };
  std::vector<bool> seen(kOpcodes);
  for (const auto &[text, instruction] : cases) {
    EXPECT_EQ(one(text), instruction) << text;
    seen[size_t(instruction.opcode)] = true;
    // Numbers may be written in several ways; all else reads back the same.
    if (std::string_view(text).find("0x") == std::string_view::npos)
      EXPECT_EQ(textOf(instruction, machineOf("edge")), text);
  }
  EXPECT_EQ(one("mul x5, x6, x7", "wide"), Mul(5, 6, 7));
  EXPECT_EQ(one("test vector1, s15", "wide"), build::Test(7, 15));
  EXPECT_EQ(one("clear dma0, s0", "wide"), Clear(0, 0));
  Machine tokens = machineOf("tiny");
  tokens.sync.kind = machine::SyncKind::Token;
  EXPECT_EQ(*decode(assembled("take dma, s1", tokens).text.at(0)), Take(0, 1));
  for (Opcode opcode : {Opcode::Mul, Opcode::Test, Opcode::Clear, Opcode::Take})
    seen[size_t(opcode)] = true;
  for (size_t i = 0; i < kOpcodes; ++i)
    EXPECT_TRUE(seen[i]) << infoOf(Opcode(i)).mnemonic;
}

// 300000 = 73 * 4096 + 992; 6144 = 2 * 4096 - 2048, whose low part is negative.
TEST(Assembler, ComputesWithLabelsAndParts) {
  EXPECT_EQ(one("lui x5, %hi(300000)"), build::Lui(5, 73));
  EXPECT_EQ(one("addi x5, x5, %lo(300000)"), build::Addi(5, 5, 992));
  EXPECT_EQ(one("lui x5, %hi(6144)"), build::Lui(5, 2));
  EXPECT_EQ(one("addi x5, x5, %lo(6144)"), build::Addi(5, 5, -2048));
  // 0.5 is sign 0, exponent 126, fraction 0.
  EXPECT_EQ(one("lui x5, %hi(%f32(0.5))"), build::Lui(5, 126 << 23 >> 12));
  EXPECT_EQ(one("cfg.i vector, function, reduce.max"),
            build::CfgI(4, VectorField::Function, 5));

  Program program = assembled(R"(
.constants
first: .word 1, 2
second: .quad -1
.text
begin:
  cfg.i load0, src.offset, second + 4   # 8 + 4
.Lagain:
  bne x5, x0, begin                     # 4 back
  jal x0, .Lagain                       # likewise
)",
                              machineOf("edge"));
  EXPECT_EQ(*decode(program.text[0]), build::CfgI(0, DmaField::SrcOffset, 12));
  EXPECT_EQ(*decode(program.text[1]), build::Bne(5, 0, -4));
  EXPECT_EQ(*decode(program.text[2]), build::Jal(0, -4));
  EXPECT_EQ(program.constants,
            (std::vector<uint8_t>{1, 0, 0, 0, 2, 0, 0, 0, 255, 255, 255, 255,
                                  255, 255, 255, 255}));
  EXPECT_EQ(program.symbols, (std::vector<Symbol>{{"begin", kTextSpace, 0, 0},
                                                  {"first", 0, 0, 8},
                                                  {"second", 0, 8, 8}}));
}

const char *const kWhole = R"(
.machine edge
.producer "by hand"
.sram 4096
.accumulators 1024
.arena 8192, 64
.input "conv/in:0" i8 1x8x8x64 align 64 scale "0.25" zero -3
.output y f32 1x10
.scalar cursor 0, -1, 7
.symbol "tile a" sram 64, 128
.constants
table: .byte 1, 2, 255
.align 8
  .zero 3
.context
state: .half -1
  .zero 6
.text
.node "conv 1"
  addi x5, x0, 3
loop:
  addi x5, x5, -1
  bne x5, x0, loop
.node relu
  go vector, copy
.endnode
  ecall
end:
)";

TEST(Assembler, ReadsAWholeProgram) {
  Program program = assembled(kWhole, machineOf("edge"));
  EXPECT_EQ(program.producer, "by hand");
  EXPECT_EQ(program.requirements.machine, "edge");
  EXPECT_EQ(program.requirements.sramBytes, 4096);
  EXPECT_EQ(program.requirements.scalarRegisters, 6); // x5
  ASSERT_EQ(program.requirements.queues.size(), 1u);
  EXPECT_EQ(program.requirements.queues[0].name, "vector");
  EXPECT_EQ(program.requirements.syncRegisters, 0);
  EXPECT_EQ(program.buffers[0], (Buffer{"conv/in:0",
                                        BufferUse::Input,
                                        8 * 8 * 64,
                                        64,
                                        machine::ElementType::I8,
                                        {1, 8, 8, 64},
                                        0.25,
                                        -3}));
  EXPECT_EQ(program.buffers[1].bytes, 40);
  EXPECT_EQ(program.scalars[0], (RuntimeScalar{"cursor", 0, -1, 7}));
  EXPECT_EQ(program.constants,
            (std::vector<uint8_t>{1, 2, 255, 0, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(program.context,
            (std::vector<uint8_t>{255, 255, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(program.nodes,
            (std::vector<NodeRange>{{0, 3, "conv 1"}, {3, 1, "relu"}}));
  EXPECT_EQ(program.sourceFile, "x.s");
  EXPECT_EQ(program.lineOf(0), 20);
  EXPECT_EQ(program.lineOf(1), 22);
  EXPECT_EQ(program.nodeOf(2), "conv 1");
  EXPECT_EQ(program.nodeOf(4), "");
  EXPECT_EQ(program.symbols.back(), (Symbol{"tile a", kSram, 64, 128}));
}

TEST(Assembler, ReadsBackStates) {
  Program program = assembled(R"(
.machine edge
.input x i8 16
.state.old "the state" i8 16 scale "0.5" zero -17
.state.new "the state" i8 16 scale "0.5" zero -17
.state.overwritten s i16 1x2
.state.overwritten r i8 4x4
.slot 16, 1
.slot 16, 0
.slot 4, 2
.slot 40, 3
.state "the state" i8 16 policy flip current 0 next 1 initial "7w==" scale "0.5" zero -17
.state s i16 1x2 policy "in place" current 2 next 2 reason "read first" written 4 copied 4
.state r u8 3x4 policy ring current 3 next 3 bool frames 3 pitch 4 enters 1 runs 1
.state.hash "FEDCBA9876543210"
.text
  ecall
)",
                              machineOf("edge"));
  ASSERT_EQ(program.states.size(), 3u);
  EXPECT_EQ(program.states[0].oldBuffer, 1);
  EXPECT_EQ(program.states[0].newBuffer, 2);
  EXPECT_EQ(program.states[0].initial, std::vector<uint8_t>(16, 0xef));
  EXPECT_EQ(program.states[1].oldBuffer, 3);
  EXPECT_EQ(program.states[1].newBuffer, 3);
  EXPECT_EQ(program.states[1].initial, std::nullopt);
  EXPECT_EQ(program.states[1].copiedBytes, 4);
  EXPECT_EQ(program.states[2].ring, (Ring{3, 4, 1, 1}));
  EXPECT_TRUE(program.states[2].isBool);
  EXPECT_EQ(program.stateHash, 0xfedcba9876543210);
  std::string text = disassemble(program);
  EXPECT_EQ(unplaced(assembled(text, machineOf("edge"))), unplaced(program))
      << text;
}

TEST(Assembler, ReadsBackWhatIsDisassembled) {
  Program program = assembled(kWhole, machineOf("edge"));
  std::string text = disassemble(program);
  EXPECT_EQ(unplaced(assembled(text, machineOf("edge"))), unplaced(program))
      << text;
  // And through the file.
  Result<Program> file = parseProgram(writeProgram(program), "x");
  ASSERT_TRUE(file) << file.error().str();
  EXPECT_EQ(*file, program);
}

TEST(Assembler, ReadsBackRandomPrograms) {
  std::mt19937_64 random(5); // NOLINT(bugprone-random-generator-seed)
  for (const char *name : {"edge", "tiny", "wide"}) {
    Machine machine = machineOf(name);
    for (int i = 0; i < 100; ++i) {
      Program program;
      for (int k = 0; k < 100; ++k)
        program.text.push_back(*encode(randomInstruction(random, machine)));
      program.requirements = requirementsOf(program.text, machine);
      ASSERT_EQ(unplaced(assembled(disassemble(program), machine)), program);
    }
  }
}

TEST(Assembler, WritesWordsThatAreForNoSuchMachine) {
  // `test` is for flags, the program's machine has counters.
  Program program;
  program.text = {*encode(build::Test(0, 0)), *encode(build::Ecall())};
  program.requirements = requirementsOf(program.text, machineOf("edge"));
  std::string text = disassemble(program);
  EXPECT_NE(text.find(".word 0x0000505b"), std::string::npos) << text;
  EXPECT_EQ(unplaced(assembled(text, machineOf("edge"))), program);
}

TEST(Assembler, ShowsNumbersWhereNothingHasAName) {
  // What a fault shows: edge has 5 queues, and no engine 4,000 fields.
  auto machine = machineOf("edge");
  EXPECT_EQ(textOf({Opcode::CfgI, {31, 0, 7}}, machine), "cfg.i 31, 0, 7");
  EXPECT_EQ(textOf({Opcode::CfgI, {0, 127, 7}}, machine),
            "cfg.i load0, 127, 7");
}

TEST(Assembler, NamesWhatIsWrong) {
  expectBroken("ecall\n  ?", "ASM-1",
               "line 2: the character \"?\" is none of the language");
  expectBroken(".node \"a", "ASM-1", "line 1: the string has no end");
  expectBroken(".node \"\\x\"", "ASM-1",
               "line 1: a backslash stands before \\, \" or two hexadecimal "
               "digits");
  expectBroken(": ecall", "ASM-1",
               "line 1: a line begins with a word, not with ':'");
  expectBroken("1: ecall", "ASM-1", "line 1: '1' is no label");
  expectBroken("addi x5, x0, %lo 3", "ASM-1",
               "line 1: %hi(...), %lo(...) or %f32(...) is meant, at most 8 in "
               "one another");
  expectBroken("addi x5, x0, %lo(3", "ASM-1", "line 1: %lo( has no ')'");
  expectBroken("addi x5, x0, %f32(0.5.5)", "ASM-1",
               "line 1: '0.5.5' is no decimal number");
  expectBroken("addi x5, x0,", "ASM-1",
               "line 1: the line ends where a number is expected");
  expectBroken("adi x5, x0, 1", "ASM-2",
               "line 1: there is no instruction 'adi'", "did you mean 'addi'?");
  expectBroken(".constant", "ASM-2",
               "line 1: there is no directive "
               "'.constant'");
  expectBroken("go load, copy", "ASM-2",
               "line 1: machine 'edge' has no queue 'load'",
               "did you mean 'load0'?");
  expectBroken("go vector, conv", "ASM-2",
               "line 1: a vector engine has no command 'conv'",
               "did you mean 'copy'?");
  expectBroken("cfg.i load0, src.ofset, 0", "ASM-2",
               "line 1: a dma engine has no field 'src.ofset'",
               "did you mean 'src.offset'?");
  expectBroken("cfg.i vector, a.type, i9", "ASM-2",
               "line 1: field 'a.type' has no type 'i9'",
               "types: i8, u8, i16, u16, i32, i64, f16, f32");
  expectBroken("cfg.i vector, function, float.flor", "ASM-2",
               "line 1: field 'function' has no function 'float.flor'",
               "did you mean 'float.floor'?");
  expectBroken(".input x i9 1", "ASM-2",
               "line 1: there is no element type 'i9'");
  expectBroken(".symbol x rom 0, 1", "ASM-2",
               "line 1: there is no space "
               "'rom'");
  expectBroken("addi x5, x0", "ASM-3",
               "line 1: 'addi' takes other operands: ',' is expected");
  expectBroken("addi 5, x0, 1", "ASM-3",
               "line 1: a scalar register, as x5, is expected, not '5'");
  expectBroken("reset 5", "ASM-3",
               "line 1: a synchronization register, as s0, is expected, not "
               "'5'");
  expectBroken("lw x5, 4[x0]", "ASM-1",
               "line 1: the character \"[\" is none of the language");
  expectBroken("lw x5, 4", "ASM-3",
               "line 1: 'lw' takes other operands: '(' is expected");
  expectBroken("ecall 3", "ASM-3",
               "line 1: '3' is more than the line can have");
  expectBroken(".constants\nc: .byte 1\n.text\njal x0, c", "ASM-3",
               "line 4: 'c' is no place in the text");
  expectBroken("a:\na: ecall", "ASM-4",
               "line 2: label 'a' is defined on line 1, too");
  expectBroken("jal x0, nowhere", "ASM-4",
               "line 1: label 'nowhere' is not defined");
  expectBroken(".constants\necall", "ASM-5",
               "line 2: instructions stand behind .text");
  expectBroken(".byte 1", "ASM-5",
               "line 1: '.byte' stands behind .constants or .context");
  expectBroken(".constants\n.byte 256", "ASM-5",
               "line 2: 256 has more than 8 bits");
  expectBroken(".constants\n.align 3", "ASM-5",
               "line 2: '.align' takes a power of two");
  expectBroken(".constants\n.zero 268435457", "ASM-5",
               "line 2: '.zero' takes a number from 1 to 268435456, not "
               "'268435457'");
  expectBroken(".constants\n.byte 1\n.zero 268435456", "ASM-5",
               "line 3: the section has more than 268435456 bytes");
  expectBroken(".machine tiny", "ASM-5",
               "line 1: the text is for machine 'tiny', not for 'edge'",
               "give that machine's file with --machine");
  expectBroken(".input x i8 1xx", "ASM-5",
               "line 1: '1xx' is no shape, as 1x8x8x3");
  expectBroken(".input x i8 1 color 3", "ASM-5",
               "line 1: 'color' is not bytes, align, scale, zero or bool");
  expectBroken(".node", "ASM-5", "line 1: .node needs a name");
  expectBroken(".scalar x 0 1", "ASM-5",
               "line 1: .scalar NAME OFFSET, LEAST, GREATEST is meant");
  expectBroken("addi x5, x0, 2048", "ENC-RANGE",
               "line 1: 'addi' with imm 2048: -2048 to 2047 can be encoded",
               "load larger numbers with lui and addi");
  expectBroken("cfg.i load0, size3, 8192", "ENC-RANGE",
               "line 1: 'cfg.i' with imm 8192: -8192 to 8191 can be encoded",
               "load the value with lui and addi, and write cfg.r");
  expectBroken("wait.ge load0, s0, 1024", "ENC-RANGE",
               "line 1: 'wait.ge' with imm 1024: 0 to 1023 can be encoded",
               "load the threshold with lui and addi, and write wait.ge.r");
  expectBroken(".sram 1048577\necall", "ASM-5",
               "line 1: '.sram' takes a number from 0 to 1048576 bytes, those "
               "of machine 'edge', not 1048577");
  expectBroken(".accumulators 131073\necall", "ASM-5",
               "line 1: '.accumulators' takes a number from 0 to 131072 bytes, "
               "those of machine 'edge', not 131073");
  expectBroken("take load0, s0", "ENC-MACHINE",
               "line 1: 'take' is not for machine 'edge': its synchronization "
               "registers are no tokens");
  expectBroken("", "PROG-3", "the program has no instruction");
}

} // namespace
