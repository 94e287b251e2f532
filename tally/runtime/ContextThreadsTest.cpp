//===- ContextThreadsTest.cpp - runs on several threads -------------------===//

#include "tally-c/tally.h"
#include "tally/runtime/CHandles.h"
#include "tally/runtime/Context.h"

#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <thread>

using namespace tally;
using namespace tally::runtime;

namespace {
constexpr int64_t kCount = 1000;
constexpr int32_t kParts = 3;

/// In place of a compiled model made for three threads: y = 2 x, twice as two
/// steps, the second of which reads what other parts of the first wrote.
struct Twice {
  const int32_t *x;
  int32_t *y;
  int32_t *middle; ///< the arena

  static std::pair<int64_t, int64_t> range(int32_t part, int32_t parts) {
    return {kCount * part / parts, kCount * (part + 1) / parts};
  }
  static void first(void *data, int32_t part, int32_t parts) {
    auto &self = *static_cast<Twice *>(data);
    auto [i, end] = range(part, parts);
    for (; i < end; ++i)
      self.middle[i] = 2 * self.x[i];
  }
  static void second(void *data, int32_t part, int32_t parts) {
    auto &self = *static_cast<Twice *>(data);
    auto [i, end] = range(part, parts);
    for (; i < end; ++i)
      self.y[i] = 2 * self.middle[kCount - 1 - i];
  }
};

int32_t runParallel(const void *const *inputs, void *const *outputs,
                    void *arena, ParallelFor parallelFor, void *user) {
  Twice work = {static_cast<const int32_t *>(inputs[0]),
                static_cast<int32_t *>(outputs[0]),
                static_cast<int32_t *>(arena)};
  for (ParallelTask task : {Twice::first, Twice::second})
    parallelFor(user, kParts, task, &work);
  return 0;
}

int32_t runAlone(const void *const *inputs, void *const *outputs, void *arena) {
  auto inOrder = [](void *, int32_t, ParallelTask task, void *data) {
    task(data, 0, 1);
  };
  return runParallel(inputs, outputs, arena, inOrder, nullptr);
}

Program twice() {
  Interface about;
  about.threads = kParts;
  about.arenaBytes = kCount * sizeof(int32_t);
  about.inputs = {{"x", eval::Element::I32, {kCount}, std::nullopt}};
  about.outputs = {{"y", eval::Element::I32, {kCount}, std::nullopt}};
  Entries entries(runAlone);
  entries.runParallel = runParallel;
  return Program(about, entries, nullptr);
}

Context newContext() {
  auto context = Context::create(twice());
  EXPECT_TRUE(context) << context.error().str();
  return std::move(*context);
}

/// Runs on 0, 1, 2, ... and compares: y[i] = 4 (kCount - 1 - i).
void expectRight(Context &context) {
  std::vector<int32_t> x(kCount), y(kCount), wanted(kCount);
  std::iota(x.begin(), x.end(), 0);
  for (int64_t i = 0; i < kCount; ++i)
    wanted[i] = static_cast<int32_t>(4 * (kCount - 1 - i));
  const void *inputs[] = {x.data()};
  void *outputs[] = {y.data()};
  Status status = context.run(inputs, outputs);
  ASSERT_TRUE(status) << status.error().str();
  EXPECT_EQ(y, wanted);
}

std::string ruleOf(const Status &status) {
  return status ? "good" : status.error().rule;
}
} // namespace

TEST(ContextThreads, AnyNumberGivesTheSame) {
  Context context = newContext();
  for (int64_t threads : {1, 3, 2, 1, 3}) {
    ASSERT_TRUE(context.setThreads(threads));
    for (int run = 0; run < 20; ++run)
      expectRight(context);
  }
}

TEST(ContextThreads, MoreThanTheProgramWasMadeForAreRefused) {
  Context context = newContext();
  EXPECT_EQ(ruleOf(context.setThreads(4)), "RUN-22");
  EXPECT_EQ(ruleOf(context.setThreads(0)), "RUN-22");
  Status status = context.setThreads(4);
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().str().find("4 threads are asked for, and the "
                                      "program was made for at most 3"),
            std::string::npos)
      << status.error().str();
  expectRight(context);
}

TEST(ContextThreads, AProgramForOneThreadTakesOne) {
  Interface about;
  auto context = Context::create(Program(about, runAlone, nullptr));
  ASSERT_TRUE(context);
  EXPECT_EQ(ruleOf(context->setThreads(1)), "good");
  EXPECT_EQ(ruleOf(context->setThreads(2)), "RUN-22");
  auto any = [](void *, int32_t, ParallelTask, void *) {};
  EXPECT_EQ(ruleOf(context->setParallelFor(any, nullptr)), "RUN-22");
}

TEST(ContextThreads, TheCallersThreadsDoTheParts) {
  // Each part on a thread of its own, the last one first.
  Context context = newContext();
  int calls = 0;
  auto onThreads = [](void *user, int32_t most, ParallelTask task, void *data) {
    EXPECT_EQ(most, kParts);
    ++*static_cast<int *>(user);
    std::vector<std::thread> threads;
    for (int32_t part = most; part-- > 0;)
      threads.emplace_back([=] { task(data, part, most); });
    for (std::thread &thread : threads)
      thread.join();
  };
  ASSERT_TRUE(context.setParallelFor(onThreads, &calls));
  expectRight(context);
  EXPECT_EQ(calls, 2); // one for each step
  ASSERT_TRUE(context.setParallelFor(nullptr, nullptr));
  expectRight(context);
  EXPECT_EQ(calls, 2);
}

TEST(ContextThreads, TwoContextsHaveAPoolEach) {
  auto work = [] {
    Context context = newContext();
    ASSERT_TRUE(context.setThreads(2));
    for (int run = 0; run < 100; ++run)
      expectRight(context);
  };
  std::thread other(work);
  work();
  other.join();
}

TEST(ContextThreads, ACloneBeginsOnOneThread) {
  Context context = newContext();
  ASSERT_TRUE(context.setThreads(2));
  auto copy = context.clone();
  ASSERT_TRUE(copy);
  expectRight(*copy);
  expectRight(context);
}

TEST(ContextThreads, ThroughTheCInterface) {
  TallyProgram program{twice(), ""};
  EXPECT_EQ(tally_thread_count(&program), 3u);
  TallyContext context{newContext()};
  EXPECT_EQ(tally_context_set_threads(&context, 3, nullptr), TALLY_OK);
  expectRight(context.context);
  char *error = nullptr;
  for (size_t tooMany : {size_t(4), SIZE_MAX}) {
    EXPECT_EQ(tally_context_set_threads(&context, tooMany, &error),
              TALLY_USAGE);
    EXPECT_NE(std::string(error).find("RUN-22"), std::string::npos) << error;
    tally_error_free(error);
  }
  EXPECT_EQ(tally_context_set_threads(nullptr, 1, nullptr), TALLY_USAGE);
  TallyParallelFor inOrder = [](void *, int32_t most, TallyParallelTask task,
                                void *data) {
    for (int32_t part = 0; part < most; ++part)
      task(data, part, most);
  };
  EXPECT_EQ(tally_context_set_parallel_for(&context, inOrder, nullptr, nullptr),
            TALLY_OK);
  expectRight(context.context);
  EXPECT_EQ(tally_context_set_parallel_for(nullptr, inOrder, nullptr, nullptr),
            TALLY_USAGE);
}
