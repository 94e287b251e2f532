//===- InstructionTest.cpp - every instruction, assembled and run ---------===//
//
// Each program is text; what it leaves in the context is worked out by hand.
//
//===----------------------------------------------------------------------===//

#include "tally/emit/asm/Assembler.h"
#include "tally/emit/encode/Encode.h"
#include "tally/run/simulator/TestBench.h"
#include "tally/run/simulator/TestPrograms.h"

#include <gtest/gtest.h>

#include <set>

using namespace tally;
using namespace tally::simulator;

namespace {
struct Case {
  std::string mnemonic;
  std::string text;             ///< what stands before ecall
  std::vector<int32_t> context; ///< the first words afterwards
  std::string machine = "edge";
};
} // namespace

/// What x5 holds afterwards becomes the first word of the context.
static std::vector<Case> scalarCases() {
  return {
      // 0x12345 << 12 = 0x12345000 = 305418240
      {"lui", "lui x5, 0x12345", {305418240}},
      {"addi", "addi x5, x0, -12\n addi x5, x5, 5", {-7}},
      {"slti", "addi x6, x0, -1\n slti x5, x6, 0", {1}},
      {"sltiu", "addi x6, x0, -1\n sltiu x5, x6, 1", {0}}, // 2^32 - 1 < 1
      {"xori", "addi x6, x0, 12\n xori x5, x6, 10", {6}},
      {"ori", "addi x6, x0, 12\n ori x5, x6, 10", {14}},
      {"andi", "addi x6, x0, 12\n andi x5, x6, 10", {8}},
      {"slli", "addi x6, x0, 3\n slli x5, x6, 31", {INT32_MIN}},
      {"srli", "addi x6, x0, -1\n srli x5, x6, 28", {15}},
      {"srai", "addi x6, x0, -33\n srai x5, x6, 4", {-3}}, // floor(-33 / 16)
      {"add", "addi x6, x0, 40\n addi x7, x0, -2\n add x5, x6, x7", {38}},
      {"sub", "addi x6, x0, 40\n addi x7, x0, -2\n sub x5, x6, x7", {42}},
      // Amounts count modulo 32: 33 is 1.
      {"sll", "addi x6, x0, 5\n addi x7, x0, 33\n sll x5, x6, x7", {10}},
      {"slt", "addi x6, x0, -5\n addi x7, x0, 3\n slt x5, x6, x7", {1}},
      {"sltu", "addi x6, x0, -5\n addi x7, x0, 3\n sltu x5, x6, x7", {0}},
      {"xor", "addi x6, x0, 12\n addi x7, x0, 10\n xor x5, x6, x7", {6}},
      {"srl", "addi x6, x0, -1\n addi x7, x0, 63\n srl x5, x6, x7", {1}},
      {"sra", "addi x6, x0, -8\n addi x7, x0, 34\n sra x5, x6, x7", {-2}},
      {"or", "addi x6, x0, 12\n addi x7, x0, 10\n or x5, x6, x7", {14}},
      {"and", "addi x6, x0, 12\n addi x7, x0, 10\n and x5, x6, x7", {8}},
      // 65537^2 = 2^32 + 2^17 + 1
      {"mul", "lui x6, 16\n addi x6, x6, 1\n mul x5, x6, x6", {131073}, "wide"},
      {"lw", "lw x5, 4(x0)", {77}},
      {"sw", "addi x6, x0, 4\n lw x5, 0(x6)\n sw x5, 4(x6)", {77, 77, 77}},
  };
}

/// Each jumps over one of two additions: 1 is what is left where it is taken.
static std::vector<Case> branchCases() {
  std::vector<Case> cases;
  struct Branch {
    const char *mnemonic, *taken, *notTaken;
  };
  for (Branch branch : {Branch{"beq", "x6, x6", "x6, x7"},
                        {"bne", "x6, x7", "x6, x6"},
                        {"blt", "x6, x7", "x7, x6"}, // -1 < 1
                        {"bge", "x7, x6", "x6, x7"},
                        {"bltu", "x7, x6", "x6, x7"}, // 1 < 2^32 - 1
                        {"bgeu", "x6, x7", "x7, x6"}}) {
    cases.push_back({branch.mnemonic,
                     "addi x6, x0, -1\n addi x7, x0, 1\n addi x5, x0, 0\n " +
                         std::string(branch.mnemonic) + " " + branch.taken +
                         ", first\n addi x5, x5, 8\nfirst:\n " +
                         branch.mnemonic + " " + branch.notTaken +
                         ", second\n addi x5, x5, 1\nsecond:",
                     {1}});
  }
  // jal is the fourth instruction, at 12; x6 is what follows it.
  cases.push_back({"jal",
                   "addi x5, x0, 1\n jal x0, on\n addi x5, x5, 64\n"
                   "on:\n jal x6, end\n addi x5, x5, 64\n"
                   "end:\n add x5, x5, x6",
                   {17}});
  return cases;
}

/// Engines move a word of the context: the context is region 2.
static const std::string kCopyIn = R"(
  cfg.i load0, src.space, 2
  cfg.i load0, src.offset, 4
  cfg.i load0, size3, 4
  cfg.i load0, src.stride3, 1
  cfg.i load0, dst.stride3, 1
  go load0, copy, x0, x0
)";
static const std::string kCopyOut = R"(
  cfg.i store, dst.space, 2
  cfg.i store, size3, 4
  cfg.i store, src.stride3, 1
  cfg.i store, dst.stride3, 1
  go store, copy, x0, x0
)";

/// The same words on `wide`, whose queues take both ways and whose registers
/// are flags.
static std::string onWide(std::string text) {
  for (auto [from, to] :
       {std::pair("load0", "dma0"), std::pair("store", "dma1")})
    for (size_t at; (at = text.find(from)) != std::string::npos;)
      text.replace(at, std::string(from).size(), to);
  return text;
}

static std::vector<Case> queueCases() {
  std::string in = kCopyIn, out = kCopyOut;
  return {
      {"go", in + "fence.all\n" + out, {77}},
      {"cfg.i", in + "fence load0, 0\n" + out, {77}},
      {"cfg.r",
       in + "fence load0, 0\n addi x5, x0, 8\n cfg.r store, dst.offset, x5\n" +
           out,
       {0, 77, 77}},
      {"fence", in + "fence load0, 0\n" + out, {77}},
      {"fence.all", in + "fence.all\n" + out, {77}},
      {"signal",
       in + "signal load0, s0\n wait.ge store, s0, 1\n" + out +
           "fence.all\n reset s0",
       {77}},
      {"wait.ge",
       in +
           "signal load0, s3\n signal load0, s3\n"
           "wait.ge store, s3, 2\n" +
           out + "fence.all\n reset s3",
       {77}},
      {"wait.ge.r",
       "addi x6, x0, 1\n" + in +
           "signal load0, s0\n wait.ge.r store, s0, x6\n" + out +
           "fence.all\n reset s0",
       {77}},
      {"wait.rel",
       in +
           "signal load0, s0\n signal load0, s0\n"
           "wait.rel store, s0, 0\n" +
           out + "fence.all\n reset s0",
       {77}},
      // The register is at 0 again: the wait for 1 holds until the second load.
      {"reset",
       in +
           "signal load0, s0\n fence.all\n reset s0\n"
           "cfg.i load0, src.offset, 8\n go load0, copy, x0, x0\n"
           "signal load0, s0\n wait.ge store, s0, 1\n" +
           out + "fence.all\n reset s0",
       {0, 77, 0}},
      {"test",
       onWide(in + "signal load0, s0\n test store, s0\n" + out +
              "clear store, s0\n"),
       {77},
       "wide"},
      {"clear",
       onWide(in + "signal load0, s0\n test store, s0\n" + out +
              "clear store, s0\n"),
       {77},
       "wide"},
      {"take",
       in + "signal load0, s0\n take store, s0\n" + out,
       {77},
       "tokens"},
      {"ecall", "addi x5, x0, 3\n sw x5, 0(x0)", {3}},
  };
}

static machine::Machine machineFor(const std::string &name) {
  machine::Machine machine =
      shippedMachine(name == "tokens" ? std::string("edge") : name);
  if (name == "tokens") {
    machine.sync.kind = machine::SyncKind::Token;
    machine.sync.relativeWaits = machine.sync.scalarThresholds = false;
  }
  return machine;
}

/// Runs the text with a context of 0, 77, 0; the mnemonic must be in it.
static void expectContext(const Case &test) {
  SCOPED_TRACE(test.mnemonic + "\n" + test.text);
  machine::Machine machine = machineFor(test.machine);
  auto program = isa::assemble(".context\n.word 0, 77, 0\n.text\n" + test.text +
                                   "\necall\n",
                               machine, "test.s");
  ASSERT_TRUE(program) << program.error().str();
  bool occurs = false;
  for (uint32_t word : program->text)
    occurs |= isa::decode(word)->info().mnemonic == test.mnemonic;
  EXPECT_TRUE(occurs);
  auto simulator = load(machine, *program);
  ASSERT_TRUE(simulator);
  Caller caller(*simulator);
  RunOptions options;
  options.audit = true;
  auto outcome = simulator->run(caller.bindings, options);
  ASSERT_FALSE(outcome->fault) << outcome->fault->diagnostic().str();
  auto words = caller.get<int32_t>(isa::kContextRegion);
  words.resize(test.context.size());
  EXPECT_EQ(words, test.context);
}

TEST(Instructions, EachDoesWhatItsRowSays) {
  std::set<std::string, std::less<>> seen{"ebreak"}; // SimulatorTest
  for (const std::vector<Case> &cases : {scalarCases(), branchCases()})
    for (Case test : cases) {
      test.text += "\n sw x5, 0(x0)";
      expectContext(test);
      seen.insert(test.mnemonic);
    }
  for (const Case &test : queueCases()) {
    expectContext(test);
    seen.insert(test.mnemonic);
  }
  for (const isa::InstructionInfo &info : isa::allInstructions())
    EXPECT_TRUE(seen.count(info.mnemonic)) << info.mnemonic;
}
