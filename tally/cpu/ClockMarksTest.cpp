//===- ClockMarksTest.cpp - code that times its own kernels ---------------===//

#include "tally/cpu/ClockMarks.h"
#include "tally/ops/Ops.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/Endian.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

namespace {

/// Two kernels on AArch64.
std::string markedObject(size_t &stages) {
  MLIRContext context;
  context.loadDialect<nn::NnDialect, func::FuncDialect>();
  auto module = parseSourceString<ModuleOp>("!t = tensor<4x4xf32>\n"
                                            "func.func @main(%x: !t) -> !t {\n"
                                            "  %y = nn.relu %x : (!t) -> !t\n"
                                            "  %z = nn.neg %y : (!t) -> !t\n"
                                            "  return %z : !t\n}\n",
                                            &context);
  EXPECT_TRUE(module);
  CpuOptions options;
  options.tiers = {Tier::Neon};
  auto made = compileMarked(*module, options);
  EXPECT_TRUE(made) << made.error().str();
  stages = made->marks.stages.size();
  return made->compiled.object;
}

/// Instructions that read a system register: its four operands and the register
/// that takes it (MRS, bits 5 to 19 and 0 to 4).
size_t readsOf(uint32_t instruction, const std::string &object) {
  size_t count = 0;
  for (size_t at = 0; at + 4 <= object.size(); at += 4)
    count +=
        (llvm::support::endian::read32le(&object[at]) & ~31U) == instruction;
  return count;
}

TEST(ClockMarks, ReadACounterThatProgramsMayRead) {
  size_t stages = 0;
  std::string object = markedObject(stages);
  EXPECT_EQ(stages, 2u);
  // CNTVCT_EL0 in front of each kernel and behind the last; PMCCNTR_EL0, the
  // cycles, which Linux keeps from programs, never.
  EXPECT_EQ(readsOf(0xd53be040, object), 3u);
  EXPECT_EQ(readsOf(0xd53b9d00, object), 0u);
}

} // namespace
