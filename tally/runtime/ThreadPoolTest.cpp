//===- ThreadPoolTest.cpp - threads that run parts of steps ---------------===//

#include "tally/runtime/ThreadPool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <numeric>
#include <thread>
#include <vector>

using namespace tally;
using namespace tally::runtime;

namespace {

std::unique_ptr<ThreadPool> poolOf(int32_t threads) {
  auto pool = ThreadPool::create(threads);
  EXPECT_TRUE(pool) << pool.error().str();
  return std::move(*pool);
}

/// Adds 1 to each of its part's numbers, like a kernel without locks.
struct Numbers {
  std::vector<int> values;

  static void add(void *data, int32_t part, int32_t parts) {
    auto &values = static_cast<Numbers *>(data)->values;
    size_t count = values.size();
    for (size_t i = count * part / parts; i < count * (part + 1) / parts; ++i)
      ++values[i];
  }
};

TEST(ThreadPool, doesEveryPartOnceAndReturnsWhenAllAreDone) {
  // The numbers are plain memory: a part that is not done when parallelFor
  // returns, or is done twice, leaves another number.
  for (int32_t threads : {1, 2, 3, 4, 7}) {
    auto pool = poolOf(threads);
    EXPECT_EQ(pool->threads(), threads);
    Numbers numbers{std::vector<int>(101)};
    for (int round = 1; round <= 500; ++round) {
      ThreadPool::parallelFor(pool.get(), 7, Numbers::add, &numbers);
      ASSERT_EQ(numbers.values, std::vector<int>(101, round));
    }
  }
}

TEST(ThreadPool, makesTwoPartsForEachThreadButNotMoreThanAsked) {
  auto partsOf = [](ThreadPool &pool, int32_t most) {
    std::atomic<int32_t> seen = 0;
    ThreadPool::parallelFor(
        &pool, most,
        [](void *data, int32_t, int32_t parts) {
          *static_cast<std::atomic<int32_t> *>(data) = parts;
        },
        &seen);
    return seen.load();
  };
  auto pool = poolOf(3);
  EXPECT_EQ(partsOf(*pool, 100), 6);
  EXPECT_EQ(partsOf(*pool, 5), 5);
  EXPECT_EQ(partsOf(*pool, 2), 2);
  EXPECT_EQ(partsOf(*pool, 1), 1);
}

TEST(ThreadPool, wakesThreadsThatSleep) {
  // Far longer than threads look for work.
  auto pool = poolOf(2);
  Numbers numbers{std::vector<int>(10)};
  for (int round = 1; round <= 3; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    ThreadPool::parallelFor(pool.get(), 2, Numbers::add, &numbers);
    EXPECT_EQ(numbers.values, std::vector<int>(10, round));
  }
}

TEST(ThreadPool, waitsForAPartThatTakesLong) {
  auto pool = poolOf(2);
  std::vector<int> done(2);
  ThreadPool::parallelFor(
      pool.get(), 2,
      [](void *data, int32_t part, int32_t) {
        if (part == 1)
          std::this_thread::sleep_for(std::chrono::milliseconds(20));
        (*static_cast<std::vector<int> *>(data))[part] = 1;
      },
      &done);
  EXPECT_EQ(done, (std::vector<int>{1, 1}));
}

TEST(ThreadPool, partsOfASlowThreadAreDoneByTheOther) {
  // Who does part 0 is not done with it before the three others are, one of
  // which is that thread's own.
  auto pool = poolOf(2);
  std::atomic<int> done = 0;
  ThreadPool::parallelFor(
      pool.get(), 4,
      [](void *data, int32_t part, int32_t) {
        auto &done = *static_cast<std::atomic<int> *>(data);
        auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        while (part == 0 && done < 3 && std::chrono::steady_clock::now() < end)
          std::this_thread::yield();
        if (part == 0)
          EXPECT_EQ(done, 3);
        ++done;
      },
      &done);
  EXPECT_EQ(done, 4);
}

TEST(ThreadPool, poolsOfSeveralThreadsWorkAtTheSameTime) {
  auto work = [] {
    auto pool = poolOf(2);
    Numbers numbers{std::vector<int>(64)};
    for (int round = 0; round < 300; ++round)
      ThreadPool::parallelFor(pool.get(), 2, Numbers::add, &numbers);
    EXPECT_EQ(numbers.values, std::vector<int>(64, 300));
  };
  std::thread other(work);
  work();
  other.join();
}

} // namespace
