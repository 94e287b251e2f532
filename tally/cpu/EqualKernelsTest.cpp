//===- EqualKernelsTest.cpp - which kernels are one -----------------------===//

#include "tally/cpu/EqualKernels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace tally::cpu;

namespace {
/// a - b, and functions that differ from it in one thing each.
constexpr const char *kFunctions = R"(
func.func @plain(%a: i32, %b: i32) -> i32 {
  %c = arith.subi %a, %b : i32
  return %c : i32
}
func.func @same(%a: i32, %b: i32) -> i32 {
  %c = arith.subi %a, %b : i32
  return %c : i32
}
func.func @exchanged(%a: i32, %b: i32) -> i32 {
  %c = arith.subi %b, %a : i32
  return %c : i32
}
func.func @operation(%a: i32, %b: i32) -> i32 {
  %c = arith.addi %a, %b : i32
  return %c : i32
}
func.func @attribute(%a: i32, %b: i32) -> i32 {
  %c = arith.subi %a, %b overflow<nsw> : i32
  return %c : i32
}
func.func @type(%a: i64, %b: i64) -> i64 {
  %c = arith.subi %a, %b : i64
  return %c : i64
}
func.func @argument(%a: i32 {llvm.zeroext}, %b: i32) -> i32 {
  %c = arith.subi %a, %b : i32
  return %c : i32
}
)";

struct EqualKernelsTest : testing::Test {
  EqualKernelsTest() {
    context.loadDialect<arith::ArithDialect, func::FuncDialect>();
    context.allowUnregisteredDialects();
    module = parseSourceString<ModuleOp>(kFunctions, &context);
  }
  func::FuncOp named(llvm::StringRef name) {
    return module->lookupSymbol<func::FuncOp>(name);
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  EqualKernels kernels = EqualKernels("net");
};
} // namespace

TEST_F(EqualKernelsTest, WhatDiffersIsKept) {
  ASSERT_TRUE(module);
  func::FuncOp plain = kernels.keep(named("plain"), Tier::Avx2);
  EXPECT_EQ(plain.getName(), "net_k0_avx2");
  EXPECT_EQ(kernels.keep(named("same"), Tier::Avx2), plain);
  EXPECT_FALSE(named("same")); // erased
  int64_t number = 1;
  for (const char *name :
       {"exchanged", "operation", "attribute", "type", "argument"}) {
    func::FuncOp kept = kernels.keep(named(name), Tier::Avx2);
    EXPECT_NE(kept, plain) << name;
    EXPECT_EQ(kept.getName(), "net_k" + std::to_string(number++) + "_avx2");
  }
}

/// AVX-VNNI's part is AVX2's, AVX-512's its own.
TEST_F(EqualKernelsTest, TiersOfOnePartShare) {
  ASSERT_TRUE(module);
  func::FuncOp plain = kernels.keep(named("plain"), Tier::Avx2);
  func::FuncOp copy = plain.clone();
  module->push_back(copy);
  EXPECT_EQ(kernels.keep(copy, Tier::AvxVnni), plain);
  func::FuncOp wide = kernels.keep(named("same"), Tier::Avx512);
  EXPECT_NE(wide, plain);
  EXPECT_EQ(wide.getName(), "net_k1_avx512vnni");
}
