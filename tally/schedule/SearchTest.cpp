//===- SearchTest.cpp - schedules that are tried --------------------------===//

#include "tally/schedule/Search.h"
#include "tally/machine/ShippedMachines.h"
#include "tally/ops/Ops.h"
#include "tally/schedule/Schedule.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tally;
using namespace tally::schedule;

/// A convolution of four weights and one transposed with a stride of two, whose
/// phases have a weight each.
static constexpr const char *kGraph = R"(
!q = !quant.uniform<i8:f32, 0.5:3>
!w = !quant.uniform<i8:f32, 0.25>
func.func @main(%x: tensor<1x2x2x2x!q>) -> tensor<1x1x4x4x!q> {
  %w = nn.constant dense<[[[[1]], [[-2]]], [[[3]], [[4]]]]>
      : tensor<2x2x1x1xi8> : tensor<2x2x1x1x!w>
  %v = nn.constant dense<[[[[5, -6], [7, 8]]], [[[9, 10], [-11, 12]]]]>
      : tensor<2x1x2x2xi8> : tensor<2x1x2x2x!w>
  %c = nn.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
      dilations = array<i64: 1, 1>, group = 1 : i64}
      : (tensor<1x2x2x2x!q>, tensor<2x2x1x1x!w>) -> tensor<1x2x2x2x!q>
  %t = nn.conv_transpose %c, %v {strides = array<i64: 2, 2>,
      pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>,
      outputPadding = array<i64: 0, 0>, group = 1 : i64}
      : (tensor<1x2x2x2x!q>, tensor<2x1x2x2x!w>) -> tensor<1x1x4x4x!q>
  return %t : tensor<1x1x4x4x!q>
})";

namespace {
class Searched : public testing::Test {
protected:
  Searched() : machine(*machine::findMachine("edge")) {
    context.loadDialect<nn::NnDialect, func::FuncDialect>();
    module = parseSourceString<ModuleOp>(kGraph, &context);
  }
  void SetUp() override { ASSERT_TRUE(bool(module)); }

  /// One window of that many bytes, and room for the rest.
  void narrow(uint64_t bytes) {
    machine.global.windows = {{0, bytes}};
    for (uint64_t begin = 4096; begin < 4096 + 4 * 64; begin += 64)
      machine.global.windows.push_back({begin, begin + 64});
  }

  std::string constants(KnownParameters *shared);

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  machine::Machine machine;
  KnownParameters known;
  Refusal refusal;
};
} // namespace

static void expectEqual(const ChannelParameters &a,
                        const ChannelParameters &b) {
  EXPECT_EQ(a.bias, b.bias);
  ASSERT_EQ(a.records.size(), b.records.size());
  for (size_t i = 0; i < a.records.size(); ++i) {
    EXPECT_EQ(a.records[i].multiplier, b.records[i].multiplier);
    EXPECT_EQ(a.records[i].offset, b.records[i].offset);
    EXPECT_EQ(a.records[i].shift, b.records[i].shift);
  }
}

TEST_F(Searched, TheParametersOfEachProductAreDerivedOnce) {
  auto found = searchSchedule(*module, machine, {}, known);
  ASSERT_TRUE(found) << found.error().str();
  EXPECT_GT(found->tries.size(), 1u);
  // One of the convolution, four of the phases.
  EXPECT_EQ(known.size(), 5u);
  KnownParameters fresh;
  ASSERT_TRUE(schedule::schedule(*module, machine, found->choices, &fresh));
  ASSERT_EQ(fresh.size(), known.size());
  for (const auto &[product, parameters] : known)
    expectEqual(parameters, fresh.at(product));
}

/// The bytes of all constants of the program, which is erased.
std::string Searched::constants(KnownParameters *shared) {
  auto program =
      schedule::schedule(*module, machine, Choices::standard(machine), shared);
  if (!program)
    return program.error().str();
  std::string bytes;
  for (auto storage : program->getBody().front().getOps<npu::StorageOp>())
    if (auto contents = storage.getContents()) {
      auto data = cast<DenseResourceElementsAttr>(*contents)
                      .getRawHandle()
                      .getBlob()
                      ->getData();
      bytes.append(data.begin(), data.end());
    }
  program->erase();
  return bytes;
}

TEST_F(Searched, AScheduleTakesWhatIsKnown) {
  std::string alone = constants(nullptr);
  EXPECT_EQ(constants(&known), alone);
  EXPECT_EQ(constants(&known), alone);
  for (auto &[product, parameters] : known)
    parameters.bias.assign(parameters.bias.size(), 77);
  EXPECT_NE(constants(&known), alone);
}

TEST_F(Searched, ConstantsFarBeyondTheirWindowEndTheSearch) {
  narrow(64);
  ASSERT_FALSE(searchSchedule(*module, machine, {}, known, &refusal));
  EXPECT_EQ(refusal.diagnostic.rule, "MEM-10");
  EXPECT_EQ(refusal.tries.size(), 1u);
  EXPECT_EQ(refusal.shortage->space, isa::kConstantsRegion);
}

TEST_F(Searched, ConstantsALittleBeyondTheirWindowDoNot) {
  narrow(64);
  ASSERT_FALSE(searchSchedule(*module, machine, {}, known, &refusal));
  narrow(uint64_t(refusal.shortage->needed - 1));
  Refusal nearly;
  ASSERT_FALSE(searchSchedule(*module, machine, {}, known, &nearly));
  EXPECT_GT(nearly.tries.size(), 1u);
}
