//===- KernelStepsTest.cpp - a kernel whose loops are split ---------------===//

#include "tally/cpu/KernelSteps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace tally::cpu;

namespace {

/// Kernels of three arguments: %in, which is only read, %out and %own.
class KernelSteps : public testing::Test {
protected:
  KernelSteps() {
    context.loadDialect<func::FuncDialect, arith::ArithDialect,
                        memref::MemRefDialect, scf::SCFDialect>();
  }

  func::FuncOp kernel(const std::string &body) {
    std::string text =
        "func.func private @kernel(%in: memref<8xi32>, %out: memref<8xi32>, "
        "%own: memref<8xi32>) {\n"
        "  %part = arith.constant {tally.part} 0 : index\n"
        "  %parts = arith.constant {tally.parts} 1 : index\n"
        "  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n"
        "  %c8 = arith.constant 8 : index\n" +
        body + "  return\n}\n";
    module = parseSourceString<ModuleOp>(text, &context);
    if (!module)
      llvm::report_fatal_error("the text is wrong");
    return module->lookupSymbol<func::FuncOp>("kernel");
  }

  std::vector<KernelStep> steps(const std::string &body) {
    auto list = splitSteps(kernel(body),
                           [](unsigned argument) { return argument == 0; });
    // Until kernels are named, steps have one name.
    for (auto [i, step] : llvm::enumerate(list))
      step.function.setName("step" + std::to_string(i));
    EXPECT_TRUE(succeeded(verify(*module)));
    return list;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

template <typename OpTy> int count(func::FuncOp function) {
  int found = 0;
  function.walk([&](OpTy) { ++found; });
  return found;
}

/// A split loop, whose range begins at the part, with `body`.
std::string split(const std::string &body) {
  return "  scf.for %i = %part to %parts step %c1 {\n" + body +
         "  } {tally.split}\n";
}

const char *kStoreFromIn = "    %x = memref.load %in[%i] : memref<8xi32>\n"
                           "    memref.store %x, %own[%i] : memref<8xi32>\n";
const char *kStoreFromOwn = "    %y = memref.load %own[%i] : memref<8xi32>\n"
                            "    memref.store %y, %out[%i] : memref<8xi32>\n";
} // namespace

TEST_F(KernelSteps, WithoutSplitLoopsAKernelIsOneStep) {
  auto list = steps("  %x = memref.load %in[%c0] : memref<8xi32>\n"
                    "  memref.store %x, %out[%c0] : memref<8xi32>\n");
  ASSERT_EQ(list.size(), 1u);
  EXPECT_FALSE(list[0].isSplit);
  EXPECT_EQ(list[0].function.getNumArguments(), 3u);
}

TEST_F(KernelSteps, EachSplitLoopIsAStepWithPartAndParts) {
  auto list = steps(split(kStoreFromIn) + split(kStoreFromOwn));
  ASSERT_EQ(list.size(), 2u);
  for (KernelStep &step : list) {
    EXPECT_TRUE(step.isSplit);
    ASSERT_EQ(step.function.getNumArguments(), 5u);
    auto loops = step.function.getBody().front().getOps<scf::ForOp>();
    scf::ForOp loop = *loops.begin();
    EXPECT_EQ(loop.getLowerBound(), step.function.getArgument(3));
    EXPECT_EQ(loop.getUpperBound(), step.function.getArgument(4));
    EXPECT_FALSE(loop->hasAttr(kSplitLoop));
    EXPECT_EQ(count<memref::StoreOp>(step.function), 1);
  }
}

TEST_F(KernelSteps, WhatWritesBetweenIsAStepForOneThread) {
  auto list = steps("  %t = memref.load %in[%c0] : memref<8xi32>\n" +
                    split(kStoreFromIn) +
                    "  memref.store %t, %own[%c0] : memref<8xi32>\n"
                    "  memref.store %t, %own[%c1] : memref<8xi32>\n" +
                    split(kStoreFromOwn));
  ASSERT_EQ(list.size(), 3u);
  EXPECT_FALSE(list[1].isSplit);
  EXPECT_EQ(list[1].function.getNumArguments(), 3u);
  EXPECT_EQ(count<memref::StoreOp>(list[1].function), 2);
  // The value that it stores is loaded there, and nowhere else.
  EXPECT_EQ(count<memref::LoadOp>(list[0].function), 1);
  EXPECT_EQ(count<memref::LoadOp>(list[1].function), 1);
}

TEST_F(KernelSteps, ValuesFromMemoryThatIsOnlyReadAreMadeByEachStep) {
  std::string add = "    %s = arith.addi %x, %z : i32\n"
                    "    memref.store %s, %own[%i] : memref<8xi32>\n";
  std::string loadX = "    %x = memref.load %in[%i] : memref<8xi32>\n";
  std::string addOwn = "    %y = memref.load %own[%i] : memref<8xi32>\n"
                       "    %s = arith.addi %y, %z : i32\n"
                       "    memref.store %s, %out[%i] : memref<8xi32>\n";
  // Also a sum, whose loop writes nothing.
  auto list = steps("  %i0 = arith.constant 0 : i32\n"
                    "  %z = scf.for %j = %c0 to %c8 step %c1 iter_args(%a = "
                    "%i0) -> (i32) {\n"
                    "    %v = memref.load %in[%j] : memref<8xi32>\n"
                    "    %w = arith.addi %a, %v : i32\n"
                    "    scf.yield %w : i32\n  }\n" +
                    split(loadX + add) + split(addOwn));
  ASSERT_EQ(list.size(), 2u);
  for (KernelStep &step : list)
    EXPECT_EQ(count<scf::ForOp>(step.function), 2);
}

TEST_F(KernelSteps, AValueFromMemoryThatIsWrittenBelongsToTheNextStep) {
  std::string useZ = "    memref.store %z, %out[%i] : memref<8xi32>\n";
  std::string loadZ = "  %z = memref.load %own[%c0] : memref<8xi32>\n";
  EXPECT_EQ(steps(split(kStoreFromIn) + loadZ + split(useZ)).size(), 2u);
  // It is used behind a step that may have written over it.
  auto list = steps(loadZ + split(kStoreFromIn) + split(useZ));
  ASSERT_EQ(list.size(), 1u);
  EXPECT_FALSE(list[0].isSplit);
  EXPECT_EQ(list[0].function.getNumArguments(), 3u);
}

TEST_F(KernelSteps, AResultOfWhatWritesKeepsTheKernelWhole) {
  auto list = steps("  %i0 = arith.constant 0 : i32\n"
                    "  %z = scf.for %j = %c0 to %c8 step %c1 iter_args(%a = "
                    "%i0) -> (i32) {\n"
                    "    memref.store %a, %own[%j] : memref<8xi32>\n"
                    "    scf.yield %a : i32\n  }\n" +
                    split("    memref.store %z, %out[%i] : memref<8xi32>\n"));
  ASSERT_EQ(list.size(), 1u);
  EXPECT_FALSE(list[0].isSplit);
  list[0].function.walk(
      [](Operation *op) { EXPECT_FALSE(op->hasAttr(kSplitLoop)); });
}

TEST_F(KernelSteps, PartsThatWriteToOnePlaceAreFound) {
  auto isShared = [&](const std::string &body) {
    return findSharedWrite(kernel(split(body))) != nullptr;
  };
  EXPECT_FALSE(isShared(kStoreFromIn));
  // The same place in each iteration, whatever is stored there.
  std::string load = "    %x = memref.load %in[%i] : memref<8xi32>\n";
  EXPECT_TRUE(isShared(load + "    memref.store %x, %own[%c1] : "
                              "memref<8xi32>\n"));
  std::string lines = "    scf.for %j = %c0 to %c8 step %c1 {\n"
                      "      %x = memref.load %in[%i] : memref<8xi32>\n"
                      "      memref.store %x, %own[%k] : memref<8xi32>\n"
                      "    }\n";
  EXPECT_TRUE(isShared("    %k = arith.constant 3 : index\n" + lines));
  EXPECT_FALSE(isShared("    %k = arith.muli %i, %c1 : index\n" + lines));
  // A place that is carried from a varying one.
  EXPECT_FALSE(isShared(
      load + "    %kk = scf.for %j = %c0 to %c8 step %c1 iter_args(%k = %i) -> "
             "(index) {\n"
             "      memref.store %x, %own[%k] : memref<8xi32>\n"
             "      %n = arith.addi %k, %c1 : index\n"
             "      scf.yield %n : index\n    }\n"));
}

TEST_F(KernelSteps, AKernelWithASharedWriteIsNotSplit) {
  auto list = steps(split("    %x = memref.load %in[%i] : memref<8xi32>\n"
                          "    memref.store %x, %own[%c1] : memref<8xi32>\n"));
  ASSERT_EQ(list.size(), 1u);
  EXPECT_FALSE(list[0].isSplit);
  // It does part 0 of 1.
  ASSERT_EQ(list[0].function.getNumArguments(), 3u);
  auto loops = list[0].function.getBody().front().getOps<scf::ForOp>();
  scf::ForOp loop = *loops.begin();
  EXPECT_EQ(getConstantIntValue(loop.getLowerBound()), 0);
  EXPECT_EQ(getConstantIntValue(loop.getUpperBound()), 1);
}

TEST_F(KernelSteps, MemoryOfAPartIsItsOwn) {
  std::string view =
      "  %all = memref.alloc() : memref<64xi8>\n"
      "  %at = arith.muli %part, %c8 : index\n"
      "  %mine = memref.view %all[%at][] : memref<64xi8> to memref<1xi32>\n";
  std::string store = "    %x = memref.load %in[%i] : memref<8xi32>\n"
                      "    memref.store %x, %mine[%c0] : memref<1xi32>\n";
  EXPECT_EQ(findSharedWrite(kernel(view + split(store))), nullptr);
}
