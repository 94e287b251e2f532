//===- SimulatedProgramTest.cpp - states of programs that fail ------------===//
//
// An engine fails at each command of a call in turn. What the call had not
// finished is as it was, or is known to be damaged; afterwards the stream goes
// on as one that never failed.
//
//===----------------------------------------------------------------------===//

#include "tally/driver/TestStreams.h"

using namespace tally;

namespace {
/// One state for each policy that writes: `f` is written beside its old value,
/// as the softmax of it reads all of it, `p` over it, and `r` moves on by the
/// frame that enters.
constexpr const char *kStep = R"(
nn.state @f : tensor<16xf32> {init = dense<1.0> : tensor<16xf32>}
nn.state @p : tensor<16xf32> {init = dense<2.0> : tensor<16xf32>}
nn.state @r : tensor<3x16xf32> {init = dense<3.0> : tensor<3x16xf32>}
func.func @main(%x: tensor<1x16xf32> {nn.name = "x"})
    -> (tensor<16xf32> {nn.name = "y"}, tensor<3x16xf32> {nn.name = "z"}) {
  %f = nn.state_read @f : tensor<16xf32>
  %p = nn.state_read @p : tensor<16xf32>
  %r = nn.state_read @r : tensor<3x16xf32>
  %v = nn.reshape %x {shape = array<i64: 16>}
      : (tensor<1x16xf32>) -> tensor<16xf32>
  %g = nn.softmax %f {axis = 0 : i64}
      : (tensor<16xf32>) -> tensor<16xf32>
  %q = nn.add %p, %v
      : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %kept = nn.slice %r {starts = array<i64: 1, 0>, sizes = array<i64: 2, 16>,
                       steps = array<i64: 1, 1>}
      : (tensor<3x16xf32>) -> tensor<2x16xf32>
  %w = nn.concat %kept, %x {axis = 0 : i64}
      : (tensor<2x16xf32>, tensor<1x16xf32>) -> tensor<3x16xf32>
  %y = nn.mul %p, %g
      : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %z = nn.neg %w : (tensor<3x16xf32>) -> tensor<3x16xf32>
  nn.state_write @f, %g : tensor<16xf32>
  nn.state_write @p, %q : tensor<16xf32>
  nn.state_write @r, %w : tensor<3x16xf32>
  return %y, %z : tensor<16xf32>, tensor<3x16xf32>
}
)";

class FailingCalls : public TestStreams {
protected:
  FailingCalls() : TestStreams(kStep) {}

  int64_t commandsOfCall() {
    SimulatedProgram once = stream();
    int64_t failing = 0;
    while (call(once, 0, failing).fault) {
      ++failing;
      once.states().setValues({});
    }
    return failing;
  }
};
} // namespace

TEST_F(FailingCalls, OfAProgramWithEachPolicy) {
  EXPECT_EQ(policies(), (std::map<std::string, isa::StatePolicy>{
                            {"f", isa::StatePolicy::Flip},
                            {"p", isa::StatePolicy::InPlace},
                            {"r", isa::StatePolicy::Ring}}));
  // Three loads and five stores at least.
  EXPECT_GE(commandsOfCall(), 8);
}

TEST_F(FailingCalls, SayWhichCommandItWas) {
  SimulatedProgram failing = stream();
  auto outcome = call(failing, 0, 0);
  ASSERT_TRUE(outcome.fault);
  EXPECT_EQ(outcome.fault->rule, "SIM-INJECTED");
  EXPECT_EQ(outcome.fault->message,
            "the engine fails, as the run was asked to");
}

TEST_F(FailingCalls, AreRefusedUntilDamagedStatesAreRestored) {
  for (int64_t at = 0, count = commandsOfCall(); at < count; ++at) {
    SimulatedProgram failing = stream(), smooth = stream();
    for (uint64_t step = 0; step < 5; ++step) {
      call(failing, step);
      call(smooth, step);
    }
    auto saved = failing.states().values();
    ASSERT_TRUE(saved);
    ASSERT_TRUE(call(failing, 5, at).fault);
    auto refused = failing.run(inputs(failing, 5), {});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().rule, "RUN-16");
    EXPECT_EQ(refused.error().message,
              "state 'p' was overwritten by a call that failed");
    EXPECT_EQ(failing.states().values().error().rule, "RUN-16");
    failing.states().setValues(*saved);
    for (uint64_t step = 5; step < 9; ++step) {
      call(failing, step);
      call(smooth, step);
      expectEqual(failing, smooth);
    }
  }
}

/// States that are written beside their old values survive; the other one is
/// given anew.
TEST_F(FailingCalls, LeaveFlipsAndRingsAsTheyWere) {
  for (int64_t at = 0, count = commandsOfCall(); at < count; ++at) {
    SimulatedProgram failing = stream(), smooth = stream();
    for (uint64_t step = 0; step < 3; ++step) {
      call(failing, step);
      call(smooth, step);
    }
    auto saved = smooth.states().values();
    ASSERT_TRUE(saved);
    ASSERT_TRUE(call(failing, 3, at).fault);
    failing.states().setValue("p", saved->at("p"));
    call(failing, 3);
    call(smooth, 3);
    expectEqual(failing, smooth);
  }
}
