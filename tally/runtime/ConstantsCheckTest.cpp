//===- ConstantsCheckTest.cpp - constants are checked before use ----------===//

#include "tally/runtime/ConstantsCheck.h"
#include "tally/runtime/Context.h"
#include "tally/runtime/JitProgram.h"

#include <atomic>
#include <gtest/gtest.h>
#include <numeric>
#include <thread>

using namespace tally;
using namespace tally::runtime;

namespace {
/// Constants of 3 MiB + 5 bytes, four blocks, 64 bytes behind the beginning of
/// a library.
struct Library {
  std::vector<uint8_t> memory = std::vector<uint8_t>(64 + (3 << 20) + 5);
  SealedConstants constants;
  Library() {
    std::iota(memory.begin(), memory.end(), uint8_t(0));
    constants.address = 64;
    constants.bytes = memory.size() - 64;
    constants.hash = hashInBlocks({{&memory[64], constants.bytes}});
  }
  std::shared_ptr<ConstantsCheck> check() {
    return std::make_shared<ConstantsCheck>(constants, memory.data(), "net.so");
  }
};

/// "sound", or the rule.
std::string verdict(ConstantsCheck &check) {
  Status status = check.run();
  return status ? "sound" : status.error().rule;
}

bool wasCalled = false;
int32_t call(const void *const *, void *const *, void *) {
  wasCalled = true;
  return 0;
}
} // namespace

TEST(ConstantsCheck, ReadsOnce) {
  Library library;
  auto check = library.check();
  EXPECT_EQ(verdict(*check), "sound");
  library.memory[100] ^= 1; // after the one time
  EXPECT_EQ(verdict(*check), "sound");
  EXPECT_EQ(verdict(*library.check()), "ART-5");
}

TEST(ConstantsCheck, EveryBlockCounts) {
  Library library;
  for (size_t at = 64; at < library.memory.size(); at += 1 << 20) {
    library.memory[at] ^= 1;
    EXPECT_EQ(verdict(*library.check()), "ART-5") << at;
    library.memory[at] ^= 1;
  }
  library.memory[63] ^= 1; // none of the constants
  EXPECT_EQ(verdict(*library.check()), "sound");
}

TEST(ConstantsCheck, ThreadsWaitForTheOneThatReads) {
  Library library;
  library.memory.back() ^= 1;
  auto check = library.check();
  std::atomic<int> refusals = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] { refusals += check->run() ? 0 : 1; });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(refusals, 4);
}

TEST(ConstantsCheck, NoCodeRunsOnDamagedOnes) {
  Library library;
  library.memory.back() ^= 1;
  auto check = library.check();
  Program program(Interface(), call, nullptr, check);
  auto context = Context::create(program);
  ASSERT_TRUE(context);
  wasCalled = false;
  for (int run = 0; run < 2; ++run) {
    Status status = context->run(nullptr, nullptr);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().rule, "ART-5");
    EXPECT_EQ(status.error().file, "net.so");
  }
  EXPECT_FALSE(program.verify());
  EXPECT_FALSE(wasCalled);
}

TEST(ConstantsCheck, ARefusedRunLeavesStatesAsTheyWere) {
  auto counter = loadProgram(COUNTER_OBJECT);
  ASSERT_TRUE(counter) << counter.error().str();
  Library library;
  library.memory.back() ^= 1;
  auto context = Context::create(
      Program(counter->interface(), call, nullptr, library.check()));
  ASSERT_TRUE(context);
  int32_t x[2] = {1, 2}, y[4], low[2] = {};
  const void *inputs[] = {x};
  void *outputs[] = {y};
  EXPECT_FALSE(context->run(inputs, outputs));
  // State 1 is overwritten in place by a run that writes anything.
  Status status = context->readState(1, low);
  EXPECT_TRUE(status) << status.error().str();
  EXPECT_EQ(low[0], 100);
  EXPECT_EQ(low[1], 100);
}
