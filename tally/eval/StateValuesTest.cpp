//===- StateValuesTest.cpp - calls that read and write states -------------===//

#include "tally/eval/Evaluator.h"
#include "tally/ops/Ops.h"

#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace tally;
using eval::StateValues;
using eval::Tensor;

namespace {
/// s' = s + x, which is returned; t has no initial value and becomes s.
constexpr const char *kText = R"(
nn.state @s : tensor<2xi32> {init = dense<[10, 20]> : tensor<2xi32>}
nn.state @t : tensor<2xi32>
func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = nn.state_read @s : tensor<2xi32>
  %1 = nn.add %0, %x : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  nn.state_write @s, %1 : tensor<2xi32>
  nn.state_write @t, %0 : tensor<2xi32>
  return %1 : tensor<2xi32>
})";

Tensor ints(std::vector<int64_t> values) {
  Tensor tensor{{static_cast<int64_t>(values.size())},
                eval::Element::I32,
                std::nullopt,
                nullptr};
  tensor.allocate();
  for (auto [i, value] : llvm::enumerate(values))
    eval::storeInt(tensor, i, value);
  return tensor;
}

class StateValuesTest : public testing::Test {
protected:
  StateValuesTest() { load(kText); }
  void load(const char *text) {
    context.loadDialect<nn::NnDialect, func::FuncDialect>();
    module = parseSourceString<ModuleOp>(text, &context);
  }
  Result<std::vector<Tensor>> call(const Tensor &x, StateValues *states) {
    eval::EvaluatorOptions options;
    options.states = states;
    return eval::evaluate(module->lookupSymbol<func::FuncOp>("main"), {x},
                          options);
  }
  std::vector<int64_t> sum(const Tensor &x, StateValues *states) {
    auto outputs = call(x, states);
    EXPECT_TRUE(outputs);
    return outputs ? eval::toInts(outputs->front()) : std::vector<int64_t>();
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};
} // namespace

TEST_F(StateValuesTest, ACallReadsWhatTheLastOneWrote) {
  StateValues states;
  Tensor x = ints({1, 2});
  EXPECT_EQ(sum(x, &states), (std::vector<int64_t>{11, 22}));
  EXPECT_EQ(sum(x, &states), (std::vector<int64_t>{12, 24}));
  EXPECT_EQ(eval::toInts(states.at("s")), (std::vector<int64_t>{12, 24}));
  // t was written after the call began, with what s was then.
  EXPECT_EQ(eval::toInts(states.at("t")), (std::vector<int64_t>{11, 22}));
  states["s"] = ints({0, 0});
  EXPECT_EQ(sum(x, &states), (std::vector<int64_t>{1, 2}));
}

TEST_F(StateValuesTest, WithoutValuesEveryCallIsAFirstOne) {
  EXPECT_EQ(sum(ints({1, 2}), nullptr), (std::vector<int64_t>{11, 22}));
  EXPECT_EQ(sum(ints({1, 2}), nullptr), (std::vector<int64_t>{11, 22}));
}

TEST_F(StateValuesTest, AStateKeepsNoMemoryOfTheCallers) {
  load(R"(
nn.state @s : tensor<2xi32> {init = dense<0> : tensor<2xi32>}
func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = nn.state_read @s : tensor<2xi32>
  nn.state_write @s, %x : tensor<2xi32>
  return %0 : tensor<2xi32>
})");
  StateValues states;
  Tensor x = ints({1, 2});
  EXPECT_EQ(sum(x, &states), (std::vector<int64_t>{0, 0}));
  eval::storeInt(x, 0, 99);
  EXPECT_EQ(sum(x, &states), (std::vector<int64_t>{1, 2}));
}

TEST_F(StateValuesTest, ACallThatFailsLeavesTheStates) {
  load(R"(
nn.state @s : tensor<2xi32> {init = dense<5> : tensor<2xi32>}
nn.state @t : tensor<2xi32>
func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  nn.state_write @s, %x : tensor<2xi32>
  %0 = nn.state_read @t : tensor<2xi32>
  nn.state_write @t, %0 : tensor<2xi32>
  return %0 : tensor<2xi32>
})");
  StateValues states{{"s", ints({7, 8})}};
  auto outputs = call(ints({1, 2}), &states);
  ASSERT_FALSE(outputs);
  EXPECT_EQ(outputs.error().rule, "EVAL-3");
  EXPECT_EQ(outputs.error().kind, FailureKind::Usage);
  EXPECT_NE(outputs.error().message.find("'t'"), std::string::npos);
  EXPECT_EQ(eval::toInts(states.at("s")), (std::vector<int64_t>{7, 8}));
  EXPECT_EQ(states.count("t"), 0u);
  states["t"] = ints({3, 4});
  EXPECT_EQ(sum(ints({1, 2}), &states), (std::vector<int64_t>{3, 4}));
  EXPECT_EQ(eval::toInts(states.at("s")), (std::vector<int64_t>{1, 2}));
}
