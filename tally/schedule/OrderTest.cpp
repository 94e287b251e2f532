//===- OrderTest.cpp - order of issue, waits and traffic ------------------===//

#include "tally/machine/ShippedMachines.h"
#include "tally/schedule/Plans.h"
#include "tally/schedule/Traffic.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tally;
using namespace tally::schedule;

namespace {
/// Copies of 64 bytes between storages of "edge".
class Order : public testing::Test {
protected:
  Order() { context.loadDialect<npu::NpuDialect>(); }

  /// A storage of 256 bytes.
  void storage(int64_t space) {
    body += "%" + std::to_string(storages++) +
            " = npu.storage \"s\" {bytes = 256 : i64, alignment = 64 : i64, "
            "space = " +
            std::to_string(space) + " : i64" +
            (space == isa::kConstantsRegion
                 ? ", contents = dense<1> : tensor<256xi8>"
                 : "") +
            "} : !npu.storage\n";
  }

  void copy(int step, int from, int to, int64_t queue, int64_t fromOffset = 0,
            int64_t toOffset = 0, int64_t bytes = 64) {
    auto number = [](int64_t value) {
      return std::to_string(value) + " : i64";
    };
    body += "npu.command \"dma\" (%" + std::to_string(from) + ", %" +
            std::to_string(to) + ") {code = 1 : i64, queue = " + number(queue) +
            ", operands = [\"src\", \"dst\"], step = " + number(step) +
            ", fields = {size3 = " + number(bytes) +
            ", src.stride3 = 1 : i64, dst.stride3 = 1 : i64, src.offset = " +
            number(fromOffset) + ", dst.offset = " + number(toOffset) +
            "}} : !npu.storage, !npu.storage\n";
  }

  /// `bytes` of each 32 from `offset` on, 8 times, to the same places.
  void strided(int step, int from, int to, int64_t queue, int64_t offset,
               int64_t bytes) {
    copy(step, from, to, queue, offset, offset, bytes);
    body.replace(body.rfind("size3"), 0,
                 "size2 = 8 : i64, src.stride2 = 32 : i64, dst.stride2 = 32 : "
                 "i64, ");
  }

  /// The commands' steps and what each waits for, in the order of issue.
  std::vector<std::pair<int64_t, std::vector<int64_t>>> ordered() {
    parse();
    auto machine = machine::findMachine("edge");
    EXPECT_TRUE(bool(machine));
    auto program = *module->getOps<npu::ProgramOp>().begin();
    orderCommands(program, *machine, Choices::standard(*machine));
    std::vector<std::pair<int64_t, std::vector<int64_t>>> result;
    for (auto command : program.getBody().front().getOps<npu::CommandOp>())
      result.push_back({int64_t(command.getStep()),
                        std::vector<int64_t>(command.getAfter()->begin(),
                                             command.getAfter()->end())});
    return result;
  }

  Traffic traffic() {
    parse();
    return trafficOf(*module->getOps<npu::ProgramOp>().begin());
  }

private:
  void parse() {
    module = parseSourceString<ModuleOp>(
        "npu.program \"edge\" {\n" + body + "}", &context);
    ASSERT_TRUE(bool(module));
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  std::string body;
  int storages = 0;
};

using Waits = std::vector<int64_t>;
constexpr int64_t kLoad = 0, kStore = 2; // queues of edge
constexpr int64_t kOutput = isa::kFirstCallerRegion;
} // namespace

TEST_F(Order, LoadsOfConstantsGoAheadOfTheStepBefore) {
  storage(isa::kConstantsRegion), storage(isa::kSram), storage(isa::kSram);
  storage(isa::kSram), storage(kOutput);
  copy(0, 0, 1, kLoad);
  copy(0, 1, 4, kStore);
  copy(1, 0, 2, kLoad);
  copy(1, 2, 4, kStore, 0, 64);
  auto commands = ordered();
  ASSERT_EQ(commands.size(), 4u);
  EXPECT_EQ(commands[1], std::pair(int64_t(1), Waits()));
  EXPECT_EQ(commands[2], std::pair(int64_t(0), Waits({0})));
}

TEST_F(Order, ALoadWaitsForTheCommandsOfTwoStepsBefore) {
  storage(isa::kConstantsRegion), storage(kOutput);
  for (int step = 0; step < 3; ++step) {
    storage(isa::kSram);
    copy(step, 0, 2 + step, kLoad);
    copy(step, 2 + step, 1, kStore, 0, 64 * step);
  }
  // Loads 0 and 1, store 0, load 2, store 1, store 2.
  auto commands = ordered();
  ASSERT_EQ(commands.size(), 6u);
  EXPECT_EQ(commands[3], std::pair(int64_t(2), Waits({2})));
}

TEST_F(Order, WaitsFollowFromTheBytesThatMeet) {
  storage(isa::kSram), storage(isa::kSram), storage(kOutput);
  copy(0, 0, 1, kLoad);            // writes [0, 64)
  copy(0, 0, 1, kLoad + 1, 0, 64); // writes [64, 128)
  copy(0, 1, 2, kStore, 64, 0);    // reads [64, 128)
  copy(0, 1, 2, kStore, 32, 128);  // reads [32, 96)
  auto commands = ordered();
  EXPECT_EQ(commands[1].second, Waits());
  EXPECT_EQ(commands[2].second, Waits({1}));
  EXPECT_EQ(commands[3].second, Waits({0, 1}));
}

TEST_F(Order, AWriteStandsForWhatItCovers) {
  storage(isa::kSram), storage(isa::kSram), storage(kOutput);
  copy(0, 0, 1, kLoad);            // 0 writes [0, 64)
  copy(0, 1, 2, kStore);           // 1 reads it
  copy(0, 0, 1, kLoad, 0, 0, 128); // 2 writes [0, 128)
  copy(0, 1, 2, kStore, 0, 64);    // 3 reads [0, 64)
  copy(0, 0, 1, kLoad, 0, 32, 32); // 4 writes [32, 64), not all of 2
  copy(0, 1, 2, kStore, 0, 128);   // 5 reads [0, 64)
  auto commands = ordered();
  EXPECT_EQ(commands[2].second, Waits({0, 1}));
  EXPECT_EQ(commands[3].second, Waits({2}));
  EXPECT_EQ(commands[4].second, Waits({2, 3}));
  EXPECT_EQ(commands[5].second, Waits({2, 4}));
}

TEST_F(Order, BlocksOfChannelsOfTheSamePixelsAreApart) {
  storage(isa::kSram), storage(isa::kSram), storage(kOutput);
  // Channels [0, 24), [24, 32) and [20, 28) of 8 pixels of 32 bytes each.
  strided(0, 0, 1, kLoad, 0, 24);
  strided(0, 0, 1, kLoad, 24, 8);
  strided(0, 0, 1, kLoad, 20, 8);
  auto commands = ordered();
  EXPECT_EQ(commands[1].second, Waits());
  EXPECT_EQ(commands[2].second, Waits({0, 1}));
}

TEST_F(Order, TrafficIsWhatCopiesMoveAndWhatTensorsNeed) {
  storage(isa::kConstantsRegion), storage(isa::kSram);
  storage(isa::kArenaRegion), storage(kOutput);
  copy(0, 0, 1, kLoad);
  copy(0, 1, 2, kStore);
  copy(1, 2, 1, kLoad);
  copy(1, 2, 1, kLoad, 0, 0, 32); // again
  copy(1, 1, 3, kStore);
  EXPECT_EQ(traffic().moved, 4 * 64 + 32);
  EXPECT_EQ(traffic().least, 256 + 2 * 256 + 256);
}
