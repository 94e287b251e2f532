//===- LlvmTest.cpp - scalar instructions against LLVM's disassembler -----===//

#include "tally/emit/asm/Text.h"
#include "tally/emit/encode/Encode.h"
#include "tally/emit/encode/Random.h"
#include "tally/machine/MachineFile.h"

#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstPrinter.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/TargetSelect.h"

#include <gtest/gtest.h>

using namespace tally;
using namespace tally::isa;

namespace {

/// LLVM's disassembler of RV32I with Zmmul, printing without aliases.
class LlvmDisassembler {
public:
  LlvmDisassembler() {
    LLVMInitializeRISCVTargetInfo();
    LLVMInitializeRISCVTargetMC();
    LLVMInitializeRISCVDisassembler();
    llvm::Triple triple("riscv32");
    std::string error;
    target = llvm::TargetRegistry::lookupTarget(triple, error);
    registers.reset(target->createMCRegInfo(triple));
    assembly.reset(target->createMCAsmInfo(*registers, triple, options));
    features.reset(
        target->createMCSubtargetInfo(triple, "generic-rv32", "+zmmul"));
    instructions.reset(target->createMCInstrInfo());
    context = std::make_unique<llvm::MCContext>(
        triple, assembly.get(), registers.get(), features.get());
    disassembler.reset(target->createMCDisassembler(*features, *context));
    printer.reset(target->createMCInstPrinter(triple, 0, *assembly,
                                              *instructions, *registers));
    printer->applyTargetSpecificCLOption("no-aliases");
    printer->applyTargetSpecificCLOption("numeric");
  }

  /// Empty where LLVM knows no instruction.
  std::string text(uint32_t word) {
    uint8_t bytes[4];
    llvm::support::endian::write32le(bytes, word);
    llvm::MCInst instruction;
    uint64_t size = 0;
    if (disassembler->getInstruction(instruction, size, bytes, 0,
                                     llvm::nulls()) !=
        llvm::MCDisassembler::Success)
      return {};
    std::string text;
    llvm::raw_string_ostream out(text);
    printer->printInst(&instruction, 0, "", *features, out);
    std::ranges::replace(text, '\t', ' ');
    return text.substr(text.find_first_not_of(' '));
  }

private:
  const llvm::Target *target = nullptr;
  llvm::MCTargetOptions options;
  std::unique_ptr<llvm::MCRegisterInfo> registers;
  std::unique_ptr<llvm::MCAsmInfo> assembly;
  std::unique_ptr<llvm::MCSubtargetInfo> features;
  std::unique_ptr<llvm::MCInstrInfo> instructions;
  std::unique_ptr<llvm::MCContext> context;
  std::unique_ptr<llvm::MCDisassembler> disassembler;
  std::unique_ptr<llvm::MCInstPrinter> printer;
};

bool isScalar(const InstructionInfo &info) {
  uint32_t opcode = info.bits & 0x7f;
  return opcode != 0x0b && opcode != 0x2b && opcode != 0x5b;
}

TEST(Llvm, ReadsTheScalarInstructionsAsWeDo) {
  machine::Machine wide = *machine::readMachine(std::string(TALLY_SOURCE_DIR) +
                                                "/machines/wide.yaml");
  LlvmDisassembler llvm;
  std::mt19937_64 random(3); // NOLINT(bugprone-random-generator-seed)
  int compared = 0;
  while (compared < 10000) {
    Instruction instruction = randomInstruction(random);
    if (!isScalar(instruction.info()))
      continue;
    ++compared;
    ASSERT_EQ(llvm.text(*encode(instruction)), textOf(instruction, wide));
  }
}

TEST(Llvm, KnowsNoneOfTheOthers) {
  LlvmDisassembler llvm;
  std::mt19937_64 random(4); // NOLINT(bugprone-random-generator-seed)
  for (int i = 0; i < 1000; ++i) {
    Instruction instruction = randomInstruction(random);
    if (!isScalar(instruction.info()))
      EXPECT_EQ(llvm.text(*encode(instruction)), "");
  }
}

} // namespace
