//===- CostTest.cpp -------------------------------------------------------===//
//
// Small timelines, drawn by hand.
//
//===----------------------------------------------------------------------===//

#include "tally/schedule/Cost.h"
#include "tally/machine/ShippedMachines.h"

#include <gtest/gtest.h>

using namespace tally;
using namespace tally::schedule;

namespace {
/// Queues of edge: load0, load1, store, matrix, vector.
enum Queue : uint32_t { Load0, Load1, Store, Matrix, Vector };

class Costs : public testing::Test {
protected:
  Costs() : machine(*machine::findMachine("edge")) {
    machine.processor.cyclesPerInstruction = 0;
    machine.global.bytesPerCycle = 2;
  }
  int64_t cycles() const { return estimate(works, machine).cycles; }
  void add(uint32_t queue, int64_t cycles, std::vector<uint32_t> after = {},
           int64_t read = 0, int64_t write = 0) {
    works.push_back({queue, cycles, read, write, 1, std::move(after)});
  }

  machine::Machine machine;
  std::vector<Work> works;
};
} // namespace

TEST_F(Costs, NothingTakesNoTime) { EXPECT_EQ(cycles(), 0); }

TEST_F(Costs, AQueueRunsOneCommandAfterTheOther) {
  add(Matrix, 7); // [0, 7)
  add(Matrix, 5); // [7, 12)
  add(Vector, 9); // [0, 9)
  EXPECT_EQ(cycles(), 12);
}

TEST_F(Costs, ACommandWaitsForThoseBeforeIt) {
  add(Matrix, 7);         // [0, 7)
  add(Vector, 3);         // [0, 3)
  add(Vector, 4, {0});    // [7, 11)
  add(Matrix, 2, {1, 2}); // [11, 13)
  EXPECT_EQ(cycles(), 13);
}

TEST_F(Costs, QueuesThatDoNotCompleteInOrderOverlap) {
  for (machine::Engine &engine : machine.engines)
    engine.inOrder = false;
  add(Matrix, 7);      // [0, 7)
  add(Matrix, 5);      // [0, 5)
  add(Vector, 1, {1}); // [5, 6)
  EXPECT_EQ(cycles(), 7);
}

TEST_F(Costs, GlobalMemoryIsOnePath) {
  add(Load0, 10, {}, 16);    // bytes [0, 8), the command [0, 10)
  add(Load1, 10, {}, 16);    // bytes [8, 16), the command [0, 16)
  add(Matrix, 5, {0, 1});    // [16, 21)
  add(Store, 3, {2}, 0, 20); // bytes [21, 31)
  Estimate found = estimate(works, machine);
  EXPECT_EQ(found.cycles, 31);
  EXPECT_EQ(found.busy, (std::vector<int64_t>{10, 16, 10, 5, 0}));
  EXPECT_EQ(found.globalRead, 32);
  EXPECT_EQ(found.globalWrite, 20);
  EXPECT_EQ(found.globalBytes(), 52);
}

TEST_F(Costs, TheProcessorIssuesOneAfterTheOther) {
  machine.processor.cyclesPerInstruction = 3;
  add(Matrix, 4); // issued at 3: [3, 7)
  add(Vector, 4); // issued at 6: [6, 10)
  EXPECT_EQ(cycles(), 10);
}

TEST_F(Costs, AFullQueueHoldsTheProcessorBack) {
  for (machine::Engine &engine : machine.engines)
    engine.depth = 1;
  add(Matrix, 10); // [0, 10)
  add(Matrix, 10); // issued at 10, when there is room: [10, 20)
  add(Vector, 1);  // issued behind it: [10, 11)
  add(Matrix, 1);  // issued at 20: [20, 21)
  EXPECT_EQ(cycles(), 21);
  machine.engines[machine.queues[Matrix].engine].depth = 8;
  EXPECT_EQ(cycles(), 21);
  works.pop_back();
  EXPECT_EQ(estimate(works, machine).busy[Vector], 1);
}
