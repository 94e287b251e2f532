//===- NpuProofTest.cpp - programs that the checker rejects ---------------===//

#include "tally/driver/NpuProof.h"
#include "tally/emit/asm/Assembler.h"
#include "tally/emit/program/ProgramFile.h"
#include "tally/machine/ShippedMachines.h"
#include "tally/support/ReadFile.h"
#include "tally/support/TestFolder.h"

#include <gtest/gtest.h>

using namespace tally;

namespace {
class NpuProof : public testing::Test {
protected:
  isa::Program assembled(const char *text) {
    auto program = isa::assemble(text, machine, "test.s");
    EXPECT_TRUE(program) << (program ? "" : program.error().str());
    return program ? *program : isa::Program();
  }
  Status proved(const isa::Program &program) {
    return prove(program, machine,
                 {folder.path("net.elf"), " --target edge", [this] {
                    ++asked;
                    return std::string("module {}\n");
                  }});
  }

  TestFolder folder;
  machine::Machine machine = *machine::findMachine("edge");
  int asked = 0;
};
} // namespace

TEST_F(NpuProof, OfASoundProgramLeavesNothing) {
  EXPECT_TRUE(proved(assembled(".machine edge\n  ecall\n")));
  EXPECT_EQ(folder.entryCount(), 0U);
  EXPECT_EQ(asked, 0);
}

TEST_F(NpuProof, KeepsARejectedProgramAndWhatItWasMadeFrom) {
  // A signal that nobody takes back leaves its register at 1.
  isa::Program program =
      assembled(".machine edge\n  signal matrix, s0\n  ecall\n");
  Status status = proved(program);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().kind, FailureKind::Internal);
  EXPECT_EQ(status.error().rule, "NPU-11");
  std::string elf = folder.path("net.elf.rejected.elf");
  std::string mlir = folder.path("net.elf.rejected.mlir");
  EXPECT_NE(status.error().hint.find(elf), std::string::npos);
  EXPECT_NE(status.error().hint.find(mlir), std::string::npos);
  EXPECT_EQ(folder.entryCount(), 2U);
  auto kept = isa::readProgram(elf);
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->text, program.text);
  auto text = readFile(mlir);
  ASSERT_TRUE(text);
  EXPECT_EQ(std::string(text->begin(), text->end()),
            "// tally compile " + mlir + " --target edge\nmodule {}\n");
}
