//===- NodeImportTest.cpp - what holds for every import row ---------------===//

#include "tally/graph/import/SupportedOperators.h"
#include "tally/graph/import/TestNode.h"

using namespace tally;
using namespace tally::nn::test;

namespace {

std::string errorOf(Result<eval::Tensor> result) {
  return result ? "" : result.error().str();
}

TEST(NodeImport, NoRowReadsOperandsThatAreNotThere) {
  for (const auto &row : nn::supportedOperators())
    for (size_t given : {0, 1, 3, 8}) {
      OneNode node(row.opType, row.sinceOpset, row.domain);
      for (size_t i = 0; i < given; ++i)
        node.constant(value<float>({1}, std::vector<int64_t>{1, 1}));
      auto result = node.import();
      EXPECT_TRUE(given > 0 || !result) << row.fullName();
      EXPECT_TRUE(result || result.error().kind != FailureKind::Internal)
          << row.fullName() << ": " << result.error().str();
    }
}

TEST(NodeImport, AMissingOperandIsNamed) {
  OneNode node("MatMul", 13);
  node.absent().input(value<float>({1}));
  EXPECT_EQ(node.error(), "node 'n': MatMul: operand 0 is missing [IMP-11]");
  OneNode last("MatMul", 13);
  last.input(value<float>({1}));
  EXPECT_EQ(last.error(), "node 'n': MatMul: operand 1 is missing [IMP-11]");
  // A computed scale takes another way than a constant one.
  OneNode codes("QLinearMatMul", 21);
  codes.input(value<int8_t>({1})).input(scalar<float>(1));
  EXPECT_EQ(codes.error(),
            "node 'n': QLinearMatMul: operand 3 is missing [IMP-11]");
}

TEST(NodeImport, AResultThatTheOperatorDoesNotGive) {
  OneNode node("Relu", 13);
  node.input(value<float>({1})).outputs(2);
  EXPECT_EQ(node.error(),
            "node 'n': Relu: there is no result 1, 'y1' [IMP-11]");
}

TEST(NodeImport, AnAttributeOfAnotherKindIsNoDefault) {
  OneNode alpha("LeakyRelu", 13);
  alpha.input(value<float>({-1})).attribute("alpha", int64_t(1));
  EXPECT_EQ(alpha.error(), "node 'n': LeakyRelu: attribute 'alpha' is of kind "
                           "int, expected float [IMP-6]");
  OneNode axes("ReduceSum", 11);
  axes.input(value<float>({1, 2})).attribute("axes", int64_t(0));
  EXPECT_EQ(axes.error(), "node 'n': ReduceSum: attribute 'axes' is of kind "
                          "int, expected ints [IMP-6]");
}

TEST(NodeImport, AResultWhereTheGraphIsCutIsAnInput) {
  // a, h = Split(x) and y = a + h, cut at h: a still needs the Split.
  auto floats = [](std::string name, int64_t size) {
    model::ValueInfo info;
    info.name = std::move(name);
    info.type = ElementType::Float32;
    info.dims = {model::Dim::fixed(size)};
    return info;
  };
  model::Node split, add;
  split.opType = "Split";
  split.inputs = {"x"};
  split.outputs = {"a", "h"};
  add.opType = "Add";
  add.inputs = {"a", "h"};
  add.outputs = {"y"};
  split.opset = add.opset = 13;
  model::Model model;
  model.graph.inputs = {floats("x", 4)};
  model.graph.valueInfos = {floats("h", 2)};
  model.graph.outputs = {floats("y", 2)};
  model.graph.nodes = {split, add};
  nn::ImportOptions options;
  options.inputs = {"x", "h"};
  mlir::MLIRContext context;
  auto module = nn::importModel(context, model, options);
  ASSERT_TRUE(module) << module.error().str();
  std::vector<eval::Tensor> inputs(2);
  inputs[0].storage = value<float>({1, 2, 3, 4}).bytes;
  inputs[1].storage = value<float>({10, 20}).bytes;
  auto results =
      eval::evaluate(*(*module)->getOps<mlir::func::FuncOp>().begin(), inputs);
  ASSERT_TRUE(results) << results.error().str();
  EXPECT_EQ((*results)[0].data<float>()[0], 11); // not 1 + 3
  EXPECT_EQ((*results)[0].data<float>()[1], 22);
}

TEST(NodeImport, TheKindOfARefusalIsWhoseTurnItIs) {
  // A float of 64 bits is a valid operand that has no executor.
  OneNode wide("Exp", 13);
  wide.input(value<double>({1}));
  EXPECT_EQ(errorOf(wide.run()), "node 'n': Exp: nn.exp has no meaning on "
                                 "elements of type float64 [ELEM-3]");
  EXPECT_EQ(wide.run().error().kind, FailureKind::Unsupported);
  OneNode rows("Softmax", 13);
  rows.input(value<double>({1, 2}));
  EXPECT_EQ(rows.run().error().kind, FailureKind::Unsupported);
  // An integer is not one, nor are shapes that do not fit.
  OneNode integer("Exp", 13);
  integer.input(value<int32_t>({1}));
  EXPECT_EQ(integer.run().error().kind, FailureKind::Model);
  OneNode shapes("Add", 13);
  shapes.input(value<float>({1, 2})).input(value<float>({1, 2, 3}));
  EXPECT_EQ(shapes.run().error().kind, FailureKind::Model);
}

} // namespace
