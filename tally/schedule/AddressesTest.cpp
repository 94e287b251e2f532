//===- AddressesTest.cpp - four limits of memory --------------------------===//

#include "tally/schedule/Addresses.h"
#include "tally/machine/ShippedMachines.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace tally;
using namespace tally::schedule;

namespace {
/// Storages of "edge" and copies between them, one after the other.
class Addresses : public testing::Test {
protected:
  Addresses() : machine(*machine::findMachine("edge")) {
    context.loadDialect<npu::NpuDialect>();
  }

  static std::string number(int64_t value) {
    return std::to_string(value) + " : i64";
  }

  int storage(const char *name, int64_t space, int64_t bytes,
              const char *contents = nullptr) {
    body += "%" + std::to_string(storages) + " = npu.storage \"" + name +
            "\" {bytes = " + number(bytes) + ", alignment = " + number(64) +
            ", space = " + number(space) +
            (contents ? std::string(", contents = ") + contents : "") +
            "} : !npu.storage\n";
    return storages++;
  }

  /// A byte, on the queue of the first loads.
  void copy(int from, int to) {
    std::string after;
    if (commands > 0)
      after = ", after = array<i64: " + std::to_string(commands - 1) + ">";
    body += "npu.command \"dma\" (%" + std::to_string(from) + ", %" +
            std::to_string(to) + ") {code = 1 : i64, queue = 0 : i64, " +
            "operands = [\"src\", \"dst\"], fields = {}" + after +
            "} : !npu.storage, !npu.storage\n";
    ++commands;
  }

  Result<MemoryPlans> planned(int64_t budget = plan::memory::kUnlimited) {
    module = parseSourceString<ModuleOp>(
        "npu.program \"edge\" {\n" + body + "}", &context);
    EXPECT_TRUE(module);
    AddressOptions options;
    options.budget = budget;
    return planMemory(*module->getOps<npu::ProgramOp>().begin(), machine,
                      options, &shortage);
  }

  int64_t offsetOf(int storage) {
    auto program = *module->getOps<npu::ProgramOp>().begin();
    auto all =
        llvm::to_vector(program.getBody().front().getOps<npu::StorageOp>());
    return int64_t(*all[storage].getOffset());
  }

  /// a -> b -> c in SRAM, of 100 bytes each: two at a time.
  void chain() {
    int a = storage("a", isa::kSram, 100), b = storage("b", isa::kSram, 100),
        c = storage("c", isa::kSram, 100);
    copy(a, b);
    copy(b, c);
  }

  MLIRContext context;
  machine::Machine machine;
  std::string body;
  int storages = 0, commands = 0;
  OwningOpRef<ModuleOp> module;
  Shortage shortage;
};
} // namespace

TEST_F(Addresses, AStorageFollowsAnotherThatIsNoLongerUsed) {
  chain();
  auto plans = planned();
  ASSERT_TRUE(plans);
  // The second storage lies behind the first, at a multiple of 64.
  EXPECT_EQ(plans->sram.solution.plan.extent, 128 + 100);
  EXPECT_EQ(plans->sram.solution.report.livePeak, 200);
  EXPECT_EQ(offsetOf(0), offsetOf(2));
  EXPECT_EQ(plans->global.total(), 0);
}

TEST_F(Addresses, TellWhoUsesAStorage) {
  chain();
  auto plans = planned();
  ASSERT_TRUE(plans);
  const StorageFacts &b = plans->sram.facts[1];
  EXPECT_EQ(b.name, "b");
  EXPECT_EQ(b.node, ""); // no location names one
  EXPECT_EQ(b.views, 1);
  EXPECT_EQ(b.first, 0);
  EXPECT_EQ(b.last, 1);
  EXPECT_EQ(b.lastReader, 1);
  EXPECT_EQ(b.lastQueue, "load0");
  EXPECT_EQ(plans->sram.facts[2].lastReader, -1);
}

TEST_F(Addresses, LiveBytesBeyondTheMemoryAreMem11) {
  chain();
  machine.sram.bytes = 199;
  ASSERT_FALSE(planned());
  EXPECT_EQ(shortage.diagnostic.rule, "MEM-11");
  EXPECT_EQ(shortage.diagnostic.kind, FailureKind::Unsupported);
  EXPECT_EQ(shortage.limit, Limit::Live);
  EXPECT_EQ(shortage.space, isa::kSram);
  EXPECT_EQ(shortage.needed, 200);
  EXPECT_EQ(shortage.allowed, 199);
}

TEST_F(Addresses, AnExtentBeyondTheMemoryIsMem13) {
  chain();
  // The live 200 bytes fit, not with the padding between them.
  machine.sram.bytes = 220;
  ASSERT_FALSE(planned());
  EXPECT_EQ(shortage.diagnostic.rule, "MEM-13");
  EXPECT_EQ(shortage.limit, Limit::Extent);
  EXPECT_EQ(shortage.needed, 228);
  EXPECT_EQ(shortage.plans.sram.solution.report.livePeak, 200);
  machine.sram.bytes = 228;
  EXPECT_TRUE(planned());
}

TEST_F(Addresses, ABudgetIsOfAllRegionsTogether) {
  int weights = storage("w", isa::kConstantsRegion, 4,
                        "dense<[1, 2, 3, 4]> : tensor<4xi8>");
  int input = storage("in", isa::kFirstCallerRegion, 70);
  int kept = storage("kept", isa::kArenaRegion, 100);
  int sram = storage("s", isa::kSram, 1);
  copy(weights, sram);
  copy(input, sram);
  copy(sram, kept);
  copy(kept, sram);
  // In multiples of 64: 64 constants, 128 arena, 128 input.
  auto plans = planned(320);
  ASSERT_TRUE(plans);
  EXPECT_EQ(plans->global.total(), 320);
  EXPECT_EQ(plans->global.bytes(isa::kArenaRegion), 100);
  ASSERT_FALSE(planned(319));
  EXPECT_EQ(shortage.diagnostic.rule, "MEM-12");
  EXPECT_EQ(shortage.limit, Limit::Budget);
  EXPECT_EQ(shortage.needed, 320);
  EXPECT_EQ(shortage.allowed, 319);
  EXPECT_EQ(shortage.diagnostic.message,
            "global memory of 'edge': 320 bytes are taken, 1 beyond the budget "
            "of 319: constants 4, arena 100, in 70");
}

TEST_F(Addresses, AnArenaOfWhichOnlyTheGapsAreTooManyIsMem13) {
  // Two of 100 at a time are 200 live and 228 with the gap: 256 and 256 bytes
  // in multiples of 64, so the alignment of regions has to be small to tell.
  machine.global.alignment = 4;
  int a = storage("a", isa::kArenaRegion, 100),
      b = storage("b", isa::kArenaRegion, 100);
  copy(a, b);
  ASSERT_FALSE(planned(204));
  EXPECT_EQ(shortage.diagnostic.rule, "MEM-13");
  EXPECT_EQ(shortage.limit, Limit::Extent);
  EXPECT_EQ(shortage.needed, 228);
  EXPECT_TRUE(planned(228));
}

TEST_F(Addresses, ARegionWithoutAWindowIsMem10) {
  int input = storage("in", isa::kFirstCallerRegion, 100);
  int sram = storage("s", isa::kSram, 1);
  copy(input, sram);
  machine.global.windows = {{0, 64}, {128, 192}};
  EXPECT_EQ(allWindows(machine), 128);
  EXPECT_EQ(widestWindow(machine), 64);
  ASSERT_FALSE(planned());
  EXPECT_EQ(shortage.diagnostic.rule, "MEM-10");
  EXPECT_EQ(shortage.limit, Limit::Window);
  EXPECT_EQ(shortage.needed, 100);
  EXPECT_EQ(shortage.allowed, 64);
}

TEST_F(Addresses, RegionsThatLeaveEachOtherNoWindowAreMem10) {
  int sram = storage("s", isa::kSram, 1);
  for (int64_t i = 0; i < 3; ++i)
    copy(storage("in", isa::kFirstCallerRegion + i, 40), sram);
  machine.global.windows = {{0, 64}, {128, 192}};
  ASSERT_FALSE(planned());
  EXPECT_EQ(shortage.diagnostic.rule, "MEM-10");
  machine.global.windows.push_back({256, 320});
  EXPECT_TRUE(planned());
}

TEST_F(Addresses, EqualConstantsLieOnce) {
  int sram = storage("s", isa::kSram, 4);
  const char *same = "dense<[1, 2, 3, 4]> : tensor<4xi8>";
  int one = storage("one", isa::kConstantsRegion, 4, same);
  int other = storage("other", isa::kConstantsRegion, 4,
                      "dense<[4, 3, 2, 1]> : tensor<4xi8>");
  int again = storage("again", isa::kConstantsRegion, 4, same);
  int longer = storage("longer", isa::kConstantsRegion, 8, same);
  for (int constant : {one, other, again, longer})
    copy(constant, sram);
  auto plans = planned();
  ASSERT_TRUE(plans);
  EXPECT_EQ(offsetOf(one), 0);
  EXPECT_EQ(offsetOf(other), 64);
  EXPECT_EQ(offsetOf(again), 0);
  EXPECT_EQ(offsetOf(longer), 128); // its zeros are bytes, too
  EXPECT_EQ(plans->global.bytes(isa::kConstantsRegion), 136);
}
