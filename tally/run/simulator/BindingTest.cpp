//===- BindingTest.cpp - buffers that a call is refused for ------------===//
//
// A program with an input of 64 bytes, an output of 128 and a context.
//
//===----------------------------------------------------------------------===//

#include "tally/run/simulator/TestPrograms.h"

using namespace tally;
using namespace tally::simulator;
namespace build = isa::build;

namespace {
class Bindings : public Programs {
protected:
  void SetUp() override {
    buffers(64, 128);
    w.program.buffers[1].alignment = 256;
    context(2);
    w.program.scalars = {{"length", 4, 1, 40}};
    w.program.context[4] = 7;
    w << build::Ecall();
    simulator = load(machine, w.finish());
    caller = std::make_unique<Caller>(*simulator);
  }
  Binding &bindingOf(int64_t region) {
    for (Binding &binding : caller->bindings)
      if (binding.region == region)
        return binding;
    return caller->bindings.front();
  }
  void expectRefusal(const std::string &rule, const std::string &message) {
    auto outcome = simulator->run(caller->bindings);
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().rule, rule);
    EXPECT_EQ(outcome.error().message, message);
  }
};
} // namespace

TEST_F(Bindings, GoodOnesRun) { ASSERT_TRUE(simulator->run(caller->bindings)); }
TEST_F(Bindings, EveryRegionOnce) {
  caller->bindings.pop_back();
  expectRefusal("BIND-1", "region 4 'y' is bound 0 times");
}
TEST_F(Bindings, NoOtherRegion) {
  caller->bindings.push_back({9, 1 << 20, {}});
  expectRefusal("BIND-1", "the program has no region 9");
}
TEST_F(Bindings, EnoughBytes) {
  bindingOf(kOut).bytes = bindingOf(kOut).bytes.first(127);
  expectRefusal("BIND-2", "region 4 'y' needs 128 bytes, the buffer has 127");
}
TEST_F(Bindings, Aligned) {
  bindingOf(kOut).base = 1024 + 64;
  expectRefusal("BIND-3", "region 4 'y' is bound at 1088, which is no multiple "
                          "of 256");
}
TEST_F(Bindings, InAWindow) {
  bindingOf(kOut).base = (uint64_t(1) << 32) - 0;
  expectRefusal("BIND-4", "region 4 'y' at addresses 4294967296 to 4294967424 "
                          "lies in no window of the global memory");
}
TEST_F(Bindings, WithoutOverlap) {
  bindingOf(kIn).base = 4096;
  bindingOf(kOut).base = 4096;
  expectRefusal("BIND-5", "region 3 'x' and region 4 'y' share addresses");
}
TEST_F(Bindings, WithoutOverlapInTheHost) {
  bindingOf(kIn).bytes = bindingOf(kOut).bytes.subspan(32);
  expectRefusal("BIND-5", "region 4 'y' and region 3 'x' share bytes of the "
                          "caller's memory");
}
TEST_F(Bindings, ScalarsInTheirRanges) {
  caller->bytes[isa::kContextRegion][4] = 41;
  expectRefusal("BIND-6",
                "'length' in the context is 41, the program takes 1 to 40");
}

namespace {
/// The same with a state of 64 bytes beside a second slot.
class StateBindings : public Bindings {
protected:
  void SetUp() override {
    Bindings::SetUp();
    isa::Program &program = w.program;
    program.buffers.push_back({"s", isa::BufferUse::OldState, 64});
    program.buffers.push_back({"s", isa::BufferUse::NewState, 64});
    isa::State state;
    state.name = "s";
    state.shape = {64};
    state.next = 1;
    state.oldBuffer = 2;
    state.newBuffer = 3;
    program.states = {state};
    program.slots = {64, 64};
    program.commit = {1, 0};
    simulator = load(machine, w.finish());
    caller = std::make_unique<Caller>(*simulator);
  }
  static constexpr int64_t kOld = isa::kFirstCallerRegion + 2;
  static constexpr int64_t kNew = kOld + 1;
};
} // namespace

TEST_F(StateBindings, GoodOnesRun) {
  ASSERT_TRUE(simulator->run(caller->bindings));
}
TEST_F(StateBindings, OneSlotIsNotBoth) {
  bindingOf(kNew).base = bindingOf(kOld).base;
  expectRefusal("BIND-5",
                "region 5 's' and region 6 's (new)' share addresses");
}
TEST_F(StateBindings, OutputsLieInNoState) {
  bindingOf(kOut).bytes = {bindingOf(kOld).bytes.data(), 128};
  expectRefusal("BIND-5", "region 4 'y' and region 5 's' share bytes of the "
                          "caller's memory");
}
