//===- ContextTest.cpp - a stream of calls of a program -------------------===//

#include "tally/runtime/Context.h"
#include "tally/runtime/JitProgram.h"

#include <array>
#include <atomic>
#include <gtest/gtest.h>
#include <random>
#include <thread>

using namespace tally;
using namespace tally::runtime;

/// test/counter.c once more, as part of this program: sanitizers see what it
/// reads and writes.
extern "C" int32_t counter_run(const void *const *inputs, void *const *outputs,
                               void *arena);

namespace {
using Pair = std::array<int32_t, 2>;

Program counter() {
  static Result<Program> program = loadProgram(COUNTER_OBJECT);
  if (!program)
    ADD_FAILURE() << program.error().str();
  return *program;
}

Context counting(Program program = counter()) {
  auto context = Context::create(std::move(program));
  if (!context)
    ADD_FAILURE() << context.error().str();
  return std::move(*context);
}

/// What a call gives: the new total, then the new low.
std::array<int32_t, 4> call(Context &context, Pair x) {
  std::array<int32_t, 4> y{};
  const void *inputs[] = {x.data()};
  void *outputs[] = {y.data()};
  Status status = context.run(inputs, outputs);
  EXPECT_TRUE(status) << status.error().str();
  return y;
}

std::string ruleOf(const Status &status) {
  return status ? "good" : status.error().rule;
}

/// A call that fails half-way.
std::string failingCall(Context &context) {
  Pair x{-5, -1};
  std::array<int32_t, 4> y;
  const void *inputs[] = {x.data()};
  void *outputs[] = {y.data()};
  return ruleOf(context.run(inputs, outputs));
}

Pair stateOf(const Context &context, size_t state) {
  Pair value{};
  Status status = context.readState(state, value.data());
  EXPECT_TRUE(status) << status.error().str();
  return value;
}

constexpr size_t kTotal = 0, kLow = 1;
} // namespace

TEST(Context, StatesGoOnFromCallToCall) {
  Context context = counting();
  EXPECT_EQ(call(context, {1, 200}), (std::array{1, 200, 1, 100}));
  EXPECT_EQ(call(context, {5, 7}), (std::array{6, 207, 1, 7}));
  EXPECT_EQ(stateOf(context, kTotal), (Pair{6, 207}));
  EXPECT_EQ(stateOf(context, kLow), (Pair{1, 7}));
}

TEST(Context, AfterAResetItIsAFreshOne) {
  Context context = counting();
  auto first = call(context, {3, 4});
  call(context, {5, 6});
  ASSERT_TRUE(context.reset());
  EXPECT_EQ(call(context, {3, 4}), first);
}

TEST(Context, OneStateIsResetAlone) {
  Context context = counting();
  call(context, {3, 4});
  ASSERT_TRUE(context.reset(kTotal));
  EXPECT_EQ(stateOf(context, kTotal), (Pair{0, 0}));
  EXPECT_EQ(stateOf(context, kLow), (Pair{3, 4}));
}

TEST(Context, ACloneGoesItsOwnWay) {
  Context context = counting();
  call(context, {1, 2});
  auto copy = context.clone();
  ASSERT_TRUE(copy);
  EXPECT_EQ(call(*copy, {10, 10}), (std::array{11, 12, 1, 2}));
  EXPECT_EQ(call(context, {0, 0}), (std::array{1, 2, 0, 0}));
  EXPECT_EQ(stateOf(*copy, kTotal), (Pair{11, 12}));
}

TEST(Context, StatesMoveToAnotherContextByName) {
  Context from = counting(), to = counting();
  call(from, {1, 2});
  auto values = from.states();
  ASSERT_TRUE(values);
  ASSERT_TRUE(to.setStates(*values));
  EXPECT_EQ(call(to, {4, 4}), call(from, {4, 4}));
  values->erase("low"); // then it is as before the first call
  ASSERT_TRUE(to.setStates(*values));
  EXPECT_EQ(stateOf(to, kTotal), (Pair{1, 2}));
  EXPECT_EQ(stateOf(to, kLow), (Pair{100, 100}));
}

TEST(Context, AFailedCallKeepsWhatItDoesNotOverwrite) {
  Context context = counting();
  call(context, {3, 4});
  EXPECT_EQ(failingCall(context), "RUN-8");
  EXPECT_EQ(stateOf(context, kTotal), (Pair{3, 4})); // double buffered
  Pair low;
  EXPECT_EQ(ruleOf(context.readState(kLow, low.data())), "RUN-16");
}

TEST(Context, AfterAFailedCallAnOverwrittenStateIsResetFirst) {
  Context context = counting();
  call(context, {3, 4});
  EXPECT_EQ(failingCall(context), "RUN-8");
  EXPECT_EQ(failingCall(context), "RUN-16"); // not even tried
  EXPECT_FALSE(context.states());            // nor saved
  auto copy = context.clone();
  ASSERT_TRUE(copy);
  EXPECT_EQ(failingCall(*copy), "RUN-16"); // a copy is no better
  ASSERT_TRUE(context.reset(kTotal));      // another state's reset
  EXPECT_EQ(failingCall(context), "RUN-16");
  ASSERT_TRUE(context.reset(kLow));
  EXPECT_EQ(call(context, {1, 1}), (std::array{1, 1, 1, 1}));
}

TEST(Context, AfterAFailedCallWhatWasSavedIsGoneOnWith) {
  Context context = counting(), undisturbed = counting();
  for (Context *each : {&context, &undisturbed})
    call(*each, {3, 4});
  auto values = context.states();
  ASSERT_TRUE(values);
  EXPECT_EQ(failingCall(context), "RUN-8");
  ASSERT_TRUE(context.setStates(*values));
  EXPECT_EQ(call(context, {9, -9}), call(undisturbed, {9, -9}));
}

TEST(Context, ACallThatIsNotBegunLeavesEverything) {
  Context context = counting();
  call(context, {3, 4});
  Pair x{1, 1};
  const void *inputs[] = {x.data()};
  void *outputs[] = {reinterpret_cast<std::byte *>(x.data()) + 4}; // overlaps
  EXPECT_EQ(ruleOf(context.run(inputs, outputs)), "RUN-18");
  EXPECT_EQ(stateOf(context, kLow), (Pair{3, 4}));
}

TEST(Context, AValueIsLookedAtWhereItLies) {
  alignas(kStateAlignment) std::byte block[512];
  auto context = Context::create(counter(), block);
  ASSERT_TRUE(context);
  for (int32_t step = 1; step < 4; ++step) {
    auto y = call(*context, {step, 7});
    for (size_t state : {kTotal, kLow}) {
      auto view = context->viewState(state);
      ASSERT_TRUE(view);
      EXPECT_EQ(std::memcmp(*view, y.data() + 2 * state, sizeof(Pair)), 0);
      // In the block, and not a copy of it.
      EXPECT_GE(*view, static_cast<const void *>(block));
      EXPECT_LT(*view, static_cast<const void *>(block + sizeof block));
    }
  }
  EXPECT_EQ(failingCall(*context), "RUN-8");
  EXPECT_EQ(context->viewState(kLow).error().rule, "RUN-16");
  EXPECT_TRUE(context->viewState(kTotal));
}

TEST(Context, AValueInPiecesIsNotLookedAt) {
  Interface interface = counter().interface();
  StateInterface &low = interface.states[kLow];
  low.rows = 2;
  low.pitch = 8; // of 4 bytes each
  low.extent = 12;
  interface.slotBytes[2] = 12;
  auto context = Context::create(Program(interface, nullptr, nullptr));
  ASSERT_TRUE(context) << context.error().str();
  auto view = context->viewState(kLow);
  ASSERT_FALSE(view);
  EXPECT_EQ(view.error().str(), "the value of state 'low' lies in 2 "
                                "pieces [RUN-25]; copy it out");
  EXPECT_TRUE(context->viewState(kTotal));
}

TEST(Context, AFullCacheLeavesEverything) {
  Context context = counting(), undisturbed = counting();
  for (Context *each : {&context, &undisturbed})
    call(*each, {3, 4});
  Pair x{-5, -2};
  std::array<int32_t, 4> y = {1, 2, 3, 4}, before = y;
  const void *inputs[] = {x.data()};
  void *outputs[] = {y.data()};
  for (int tries = 0; tries < 2; ++tries) // the first try locks nothing
    EXPECT_EQ(ruleOf(context.run(inputs, outputs)), "RUN-24");
  EXPECT_EQ(y, before);
  EXPECT_EQ(stateOf(context, kTotal), (Pair{3, 4}));
  EXPECT_EQ(stateOf(context, kLow), (Pair{3, 4})); // in place, not damaged
  EXPECT_EQ(call(context, {9, -9}), call(undisturbed, {9, -9}));
}

TEST(Context, AStateWithoutAValueStaysSoWhenACacheIsFull) {
  Context context = counting();
  call(context, {3, 4});
  EXPECT_EQ(failingCall(context), "RUN-8");
  Pair x{0, -2};
  std::array<int32_t, 4> y;
  const void *inputs[] = {x.data()};
  void *outputs[] = {y.data()};
  // `low` is damaged, which is found first; nothing makes it whole by chance.
  for (int tries = 0; tries < 2; ++tries)
    EXPECT_EQ(ruleOf(context.run(inputs, outputs)), "RUN-16");
}

TEST(Context, StatesLiveInTheCallersBlock) {
  alignas(kStateAlignment) std::byte block[512];
  int64_t bytes = stateLayout(counter().interface()).bytes;
  ASSERT_LE(bytes, 448);
  auto rule = [&](size_t offset, int64_t size) {
    auto context = Context::create(counter(), {block + offset, size_t(size)});
    return context ? "good" : context.error().rule;
  };
  EXPECT_EQ(rule(0, bytes), "good");
  EXPECT_EQ(rule(64, bytes), "good");
  EXPECT_EQ(rule(8, bytes), "RUN-20");
  EXPECT_EQ(rule(0, bytes - 1), "RUN-20");
}

TEST(Context, TheCallersBlockIsNoPlaceForOutputs) {
  alignas(kStateAlignment) std::byte block[512];
  auto context = Context::create(counter(), block);
  ASSERT_TRUE(context);
  EXPECT_EQ(std::memcmp(block, "TALLYST1", 8), 0);
  Pair x{};
  const void *inputs[] = {x.data()};
  void *outputs[] = {block + 128};
  EXPECT_EQ(ruleOf(context->run(inputs, outputs)), "RUN-18");
}

TEST(Context, AModelWithoutStatesLeavesTheCallersBlock) {
  alignas(kStateAlignment) std::byte block[64] = {};
  auto context = Context::create(Program(Interface(), nullptr, nullptr), block);
  ASSERT_TRUE(context);
  ASSERT_TRUE(context->reset());
  EXPECT_EQ(block[0], std::byte(0));
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

namespace {
std::atomic<bool> isInside, mayLeave;
} // namespace

/// Stays inside until it may leave.
static int32_t waitInside(const void *const *, void *const *, void *) {
  isInside = true;
  while (!mayLeave)
    std::this_thread::yield();
  return 0;
}

TEST(Context, ASecondUseMeanwhileIsRefused) {
  isInside = mayLeave = false;
  auto context =
      Context::create(Program(counter().interface(), waitInside, nullptr));
  ASSERT_TRUE(context);
  Pair x{}, value{};
  std::array<int32_t, 4> y, z;
  const void *inputs[] = {x.data()};
  void *outputs[] = {y.data()}, *others[] = {z.data()};
  Status first = Status::success();
  std::thread caller([&] { first = context->run(inputs, outputs); });
  while (!isInside)
    std::this_thread::yield();
  EXPECT_EQ(ruleOf(context->run(inputs, others)), "RUN-19");
  EXPECT_EQ(ruleOf(context->reset()), "RUN-19");
  EXPECT_EQ(ruleOf(context->reset(kTotal)), "RUN-19");
  EXPECT_EQ(ruleOf(context->readState(kTotal, value.data())), "RUN-19");
  EXPECT_EQ(ruleOf(context->setState(kTotal, value.data())), "RUN-19");
  EXPECT_EQ(ruleOf(context->setStates({})), "RUN-19");
  EXPECT_EQ(context->states().error().rule, "RUN-19");
  EXPECT_EQ(context->clone().error().rule, "RUN-19");
  mayLeave = true;
  caller.join();
  EXPECT_TRUE(first);
  EXPECT_TRUE(context->run(inputs, outputs)); // and then it goes on
}

/// Steps of one stream: made up, but the same whenever they are asked for.
static Pair frame(int stream, int step) {
  return {stream * 1000 + step % 7, 50 - step % (stream + 3)};
}

// Under the thread sanitizer (make tsan) this shows that contexts share
// nothing.
TEST(Context, FourStreamsOnTwoThreadsAreApart) {
  constexpr int kSteps = 200;
  const Program program(counter().interface(), counter_run, nullptr);
  using Stream = std::vector<std::array<int32_t, 4>>;
  std::array<Stream, 4> alone, together;
  for (int s = 0; s < 4; ++s) {
    Context context = counting();
    for (int step = 0; step < kSteps; ++step)
      alone[s].push_back(call(context, frame(s, step)));
  }
  auto work = [&](int first) {
    std::array<Context, 2> contexts{counting(program), counting(program)};
    std::mt19937 order(first);
    while (together[first].size() + together[first + 1].size() < 2 * kSteps) {
      int which = order() % 2;
      Stream &stream = together[first + which];
      if (stream.size() < kSteps)
        stream.push_back(
            call(contexts[which], frame(first + which, int(stream.size()))));
    }
  };
  std::thread one(work, 0), other(work, 2);
  one.join();
  other.join();
  EXPECT_EQ(together, alone);
}
