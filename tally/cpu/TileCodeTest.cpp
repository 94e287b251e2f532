//===- TileCodeTest.cpp - slow code with tiles is found -------------------===//

#include "tally/cpu/TileCode.h"
#include "tally/cpu/CpuCompiler.h"
#include "tally/cpu/Object.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"

#include <gtest/gtest.h>

using namespace tally;
using namespace tally::cpu;

namespace {

/// Compiles a module whose tier function is model_k0_amx, called by the entry.
Result<std::string> compile(const std::string &text) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  auto module = llvm::parseAssemblyString(text, problem, context);
  EXPECT_TRUE(module) << problem.getMessage().str();
  CpuOptions options;
  options.tiers = {Tier::Amx};
  return emitObject(std::move(module),
                    "declare void @model_k0_amx(ptr)\n"
                    "define i32 @model_run(ptr %at) {\n"
                    "  call void @model_k0_amx(ptr %at)\n"
                    "  ret i32 0\n}\n",
                    options);
}

/// The function made of these instructions as they are.
std::string ofAssembly(const std::string &instructions) {
  return "define void @model_k0_amx(ptr %at) naked {\n"
         "  call void asm sideeffect \"" +
         instructions +
         " retq\", \"~{memory}\"()\n"
         "  unreachable\n}\n";
}

std::string ruleOf(const std::string &text) {
  auto object = compile(text);
  return object ? "" : object.error().rule;
}

constexpr const char *kOnce = "ldtilecfg (%rdi);"
                              "tileloadd (%rsi,%rdx), %tmm0;";

TEST(TileCode, acceptsOneConfigurationAndMemoryOfItsOwn) {
  EXPECT_EQ(
      ruleOf(ofAssembly(std::string(kOnce) + "tdpbusd %tmm1, %tmm2, %tmm0;"
                                             "tilestored %tmm0, (%rsi,%rdx);"
                                             "tilerelease;")),
      "");
}

TEST(TileCode, acceptsCallsOutsideOfTheInnermostLoop) {
  EXPECT_EQ(ruleOf(ofAssembly("1: callq *%rax; ldtilecfg (%rdi);"
                              "2: tdpbusd %tmm1, %tmm2, %tmm0;"
                              "decq %rcx; jne 2b; decq %rbx; jne 1b;")),
            "");
}

TEST(TileCode, acceptsCallsBetweenWholeSums) {
  EXPECT_EQ(ruleOf(ofAssembly("1: callq *%rax; ldtilecfg (%rdi);"
                              "tdpbusd %tmm1, %tmm2, %tmm0;"
                              "tilestored %tmm0, (%rsi,%rdx);"
                              "decq %rcx; jne 1b;")),
            "");
}

TEST(TileCode, refusesCallsInTheInnermostLoop) {
  EXPECT_EQ(ruleOf(ofAssembly(std::string(kOnce) +
                              "1: callq *%rax; tdpbusd %tmm1, %tmm2, %tmm0;"
                              "decq %rcx; jne 1b;")),
            "CPU-TILE-LOOP");
}

TEST(TileCode, refusesConfigurationsInTheInnermostLoop) {
  EXPECT_EQ(ruleOf(ofAssembly("1: ldtilecfg (%rdi);"
                              "tdpbusd %tmm1, %tmm2, %tmm0;"
                              "decq %rcx; jne 1b;")),
            "CPU-TILE-LOOP");
}

TEST(TileCode, refusesTilesWithoutConfiguration) {
  EXPECT_EQ(ruleOf(ofAssembly("tilezero %tmm0;")), "CPU-TILE-CONFIG");
}

TEST(TileCode, refusesTilesOnTheStack) {
  EXPECT_EQ(ruleOf(ofAssembly(std::string(kOnce) +
                              "tilestored %tmm0, 64(%rsp,%rdx);")),
            "CPU-TILE-SPILL");
  EXPECT_EQ(ruleOf(ofAssembly(std::string(kOnce) +
                              "tileloadd 64(%rsp,%rdx), %tmm1;")),
            "CPU-TILE-SPILL");
}

/// Nine tiles alive at once are one more than there are registers.
TEST(TileCode, findsWhatLlvmSpills) {
  std::string text =
      "declare x86_amx @llvm.x86.tileloadd64.internal(i16, i16, ptr, i64)\n"
      "declare void @llvm.x86.tilestored64.internal(i16, i16, ptr, i64, "
      "x86_amx)\n"
      "define void @model_k0_amx(ptr %at) {\n";
  std::string stores;
  for (int i = 0; i < 9; ++i) {
    std::string id = std::to_string(i);
    text += "  %from" + id + " = getelementptr i8, ptr %at, i64 " +
            std::to_string(i * 1024) + "\n  %tile" + id +
            " = call x86_amx @llvm.x86.tileloadd64.internal(i16 16, i16 64, "
            "ptr %from" +
            id + ", i64 64)\n";
    stores += "  call void @llvm.x86.tilestored64.internal(i16 16, i16 64, "
              "ptr %from" +
              id + ", i64 64, x86_amx %tile" + id + ")\n";
  }
  EXPECT_EQ(ruleOf(text + stores + "  ret void\n}\n"), "CPU-TILE-SPILL");
}

} // namespace
