//===- SimulatedStatesTest.cpp - streams that begin anew, side by side ----===//

#include "tally/driver/TestStreams.h"

#include <algorithm>
#include <random>

using namespace tally;

namespace {
/// Codes over their old value, of 8 bits that begin at code 9 and of 16 bits
/// that begin at the zero point, both with zero point -17; codes beside the old
/// value, a line of three frames, and two that change places.
constexpr const char *kStep = R"(
!code = !quant.uniform<i8:f32, 0.0625:-17>
!wide = !quant.uniform<i16:f32, 0.001:-17>
nn.state @c : tensor<24x!code> {init = dense<9> : tensor<24xi8>}
nn.state @w : tensor<24x!wide> {init = dense<-17> : tensor<24xi16>}
nn.state @f : tensor<24xf32> {init = dense<1.5> : tensor<24xf32>}
nn.state @r : tensor<3x24x!code> {init = dense<-17> : tensor<3x24xi8>}
nn.state @a : tensor<24xf32> {init = dense<1.0> : tensor<24xf32>}
nn.state @b : tensor<24xf32> {init = dense<2.0> : tensor<24xf32>}
func.func @main(%x: tensor<1x24x!code> {nn.name = "x"})
    -> (tensor<24x!wide> {nn.name = "y"}, tensor<24xf32> {nn.name = "z"},
        tensor<3x24x!code> {nn.name = "line"}) {
  %c = nn.state_read @c : tensor<24x!code>
  %w = nn.state_read @w : tensor<24x!wide>
  %f = nn.state_read @f : tensor<24xf32>
  %r = nn.state_read @r : tensor<3x24x!code>
  %a = nn.state_read @a : tensor<24xf32>
  %b = nn.state_read @b : tensor<24xf32>
  %v = nn.reshape %x {shape = array<i64: 24>}
      : (tensor<1x24x!code>) -> tensor<24x!code>
  %c1 = nn.add %c, %v
      : (tensor<24x!code>, tensor<24x!code>) -> tensor<24x!code>
  %w1 = nn.sub %w, %v
      : (tensor<24x!wide>, tensor<24x!code>) -> tensor<24x!wide>
  %f1 = nn.softmax %f {axis = 0 : i64}
      : (tensor<24xf32>) -> tensor<24xf32>
  %kept = nn.slice %r {starts = array<i64: 1, 0>, sizes = array<i64: 2, 24>,
                       steps = array<i64: 1, 1>}
      : (tensor<3x24x!code>) -> tensor<2x24x!code>
  %r1 = nn.concat %kept, %x {axis = 0 : i64}
      : (tensor<2x24x!code>, tensor<1x24x!code>) -> tensor<3x24x!code>
  %line = nn.relu %r1 : (tensor<3x24x!code>) -> tensor<3x24x!code>
  %z = nn.mul %a, %f1 : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
  nn.state_write @c, %c1 : tensor<24x!code>
  nn.state_write @w, %w1 : tensor<24x!wide>
  nn.state_write @f, %f1 : tensor<24xf32>
  nn.state_write @r, %r1 : tensor<3x24x!code>
  nn.state_write @a, %b : tensor<24xf32>
  nn.state_write @b, %a : tensor<24xf32>
  return %w1, %z, %line
      : tensor<24x!wide>, tensor<24xf32>, tensor<3x24x!code>
}
)";

class Streams : public TestStreams {
protected:
  Streams() : TestStreams(kStep) {}

  /// A stream after `steps` calls.
  SimulatedProgram after(uint64_t steps) {
    SimulatedProgram made = stream();
    for (uint64_t step = 0; step < steps; ++step)
      call(made, step);
    return made;
  }
  static constexpr const char *kNames[] = {"c", "w", "f", "r", "a", "b"};
};
} // namespace

TEST_F(Streams, HaveEachPolicy) {
  using enum isa::StatePolicy;
  EXPECT_EQ(policies(),
            (std::map<std::string, isa::StatePolicy>{{"c", InPlace},
                                                     {"w", InPlace},
                                                     {"f", Flip},
                                                     {"r", Ring},
                                                     {"a", Exchange},
                                                     {"b", Exchange}}));
}

TEST_F(Streams, AreFreshAfterAReset) {
  for (uint64_t steps : {1, 7, 20}) {
    SimulatedProgram used = after(steps), fresh = stream();
    used.states().setValues({});
    for (uint64_t step = 0; step < 50; ++step) {
      call(used, step);
      call(fresh, step);
      expectEqual(used, fresh);
    }
  }
}

/// As a stream that was given the same values by name: slots, cursors and the
/// places of exchanged states are its own.
TEST_F(Streams, GoOnWhenOneStateIsReset) {
  auto initial = stream().states().values();
  ASSERT_TRUE(initial);
  for (const char *name : kNames)
    for (uint64_t steps : {8, 9}) {
      SimulatedProgram used = after(steps);
      auto others = used.states().values();
      ASSERT_TRUE(others);
      EXPECT_TRUE(
          compareBits(others->at(name), initial->at(name)) ||
          (steps == 8 && std::string("ab").find(name) != std::string::npos))
          << name << " is what it was at first";
      others->erase(name);
      used.states().setValues(*others);
      auto values = used.states().values();
      ASSERT_TRUE(values);
      EXPECT_FALSE(compareBits(values->at(name), initial->at(name))) << name;
      for (const auto &[other, tensor] : *others)
        EXPECT_FALSE(compareBits(values->at(other), tensor)) << other;
      SimulatedProgram given = stream();
      given.states().setValues(*values);
      for (uint64_t step = 30; step < 39; ++step) {
        call(used, step);
        call(given, step);
        expectEqual(used, given);
      }
    }
}

/// Four contexts, in any order: each is as if it were alone.
TEST_F(Streams, DoNotMeet) {
  std::vector<size_t> turns;
  for (size_t i = 0; i < 4 * 50; ++i)
    turns.push_back(i % 4);
  std::mt19937_64 generator(3);
  std::shuffle(turns.begin(), turns.end(), generator);
  std::vector<SimulatedProgram> together, alone;
  for (size_t i = 0; i < 4; ++i) {
    together.push_back(stream());
    alone.push_back(stream());
    for (uint64_t step = 0; step < 50; ++step)
      call(alone.back(), 100 * i + step);
  }
  std::vector<uint64_t> steps(4);
  for (size_t turn : turns)
    call(together[turn], 100 * turn + steps[turn]++);
  for (size_t i = 0; i < 4; ++i)
    expectEqual(together[i], alone[i]);
}
