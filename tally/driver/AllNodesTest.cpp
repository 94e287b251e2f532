//===- AllNodesTest.cpp - comparing what is inside a graph ----------------===//

#include "tally/driver/AllNodes.h"
#include "tally/eval/Evaluator.h"
#include "tally/ops/Ops.h"

#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace tally;

namespace {
/// y = relu(relu(x)) with an inner tensor "mid" that two operations carry.
const char *kGraph = R"(
#first = loc(fused<{node = "n0", op = "Relu", outputs = ["mid"]}>[unknown])
#second = loc(fused<{node = "n1", op = "Relu", outputs = ["mid"]}>[unknown])
#third = loc(fused<{node = "n2", op = "Relu", outputs = ["y"]}>[unknown])
func.func @main(%x: tensor<2xf32> {nn.name = "x"})
    -> (tensor<2xf32> {nn.name = "y"}) {
  %0 = nn.relu %x : (tensor<2xf32>) -> tensor<2xf32> loc(#first)
  %1 = nn.relu %0 : (tensor<2xf32>) -> tensor<2xf32> loc(#second)
  %2 = nn.relu %1 : (tensor<2xf32>) -> tensor<2xf32> loc(#third)
  return %2 : tensor<2xf32>
}
)";

eval::Tensor pair(float a, float b) {
  eval::Tensor tensor;
  tensor.shape = {2};
  tensor.allocate();
  tensor.data<float>()[0] = a;
  tensor.data<float>()[1] = b;
  return tensor;
}

class AllNodes : public testing::Test {
protected:
  AllNodes() {
    context.loadDialect<nn::NnDialect, func::FuncDialect>();
    module = parseSourceString<ModuleOp>(kGraph, &context);
    function = module->lookupSymbol<func::FuncOp>("main");
  }

  /// Runs the evaluator on (-1, 3) against what a compiled form made.
  NodeComparison compare(std::map<std::string, eval::Tensor> made) {
    NodeComparison comparison(std::move(made), function);
    eval::EvaluatorOptions options;
    options.observe = [&](Value value, const eval::Tensor &tensor) {
      comparison.observe(value, tensor);
    };
    auto outputs = eval::evaluate(function, {pair(-1, 3)}, options);
    EXPECT_TRUE(outputs);
    return comparison;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
};
} // namespace

TEST_F(AllNodes, InnerTensorsBecomeResults) {
  EXPECT_EQ(exposeTensors(function), 1u);
  ASSERT_EQ(function.getNumResults(), 2u);
  EXPECT_EQ(cast<StringAttr>(function.getResultAttr(1, "nn.name")).getValue(),
            "mid");
  // Of the two operations that carry the name, the later one is the tensor.
  Operation *terminator = function.getBody().front().getTerminator();
  EXPECT_EQ(terminator->getOperand(1),
            terminator->getOperand(0).getDefiningOp()->getOperand(0));
  EXPECT_TRUE(succeeded(module->verify()));
}

TEST_F(AllNodes, EqualTensorsAreCounted) {
  NodeComparison comparison = compare({{"mid", pair(0, 3)}});
  EXPECT_EQ(comparison.compared, 1);
  EXPECT_EQ(comparison.different, 0);
  EXPECT_EQ(comparison.missing(), 0);
}

TEST_F(AllNodes, TheFirstDifferentNodeIsNamed) {
  NodeComparison comparison = compare({{"y", pair(0, 2)}, {"mid", pair(0, 4)}});
  EXPECT_EQ(comparison.compared, 2);
  EXPECT_EQ(comparison.different, 2);
  EXPECT_EQ(comparison.firstNode, "n1");
  EXPECT_EQ(comparison.firstTensor, "mid");
  EXPECT_NE(comparison.firstText.find("element [1] is 4"), std::string::npos);
}

TEST_F(AllNodes, OtherNamesAndTypesAreMissing) {
  eval::Tensor other = pair(0, 0);
  other.shape = {1, 2};
  NodeComparison comparison = compare({{"mid", other}, {"z", pair(0, 0)}});
  EXPECT_EQ(comparison.compared, 0);
  EXPECT_EQ(comparison.missing(), 2);
}
