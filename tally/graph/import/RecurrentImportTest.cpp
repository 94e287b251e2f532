//===- RecurrentImportTest.cpp - LSTM, GRU and RNN ------------------------===//
//
// What the operators compute is held against numpy and onnxruntime by
// tests/python/test_recurrent.py. Here: equations small enough for a comment,
// the names of steps, and the rules.
//
//===----------------------------------------------------------------------===//

#include "tally/graph/Locations.h"
#include "tally/graph/import/TestNode.h"

using namespace tally;
using namespace tally::nn::test;

namespace {

using Shape = std::vector<int64_t>;
using Floats = std::vector<float>;
using Names = std::vector<std::string>;

/// X [2, 1, 1] = 1, 2; W = 3, R = 0.5, H0 = 4; f(x) = x.
void linearRnn(OneNode &node) {
  node.input(value<float>({1, 2}, Shape{2, 1, 1}))
      .constant(value<float>({3}, Shape{1, 1, 1}))
      .constant(value<float>({0.5}, Shape{1, 1, 1}))
      .constant(value<float>({1, 0.25}, Shape{1, 2}))
      .absent()
      .input(value<float>({4}, Shape{1, 1, 1}))
      .attribute("activations", Names{"Affine"})
      .attribute("activation_alpha", Floats{1})
      .attribute("activation_beta", Floats{0});
}

/// An LSTM of sizes T = 2, N = 1, I = 2, H = 1 with all but the listed operands
/// in order.
void lstm(OneNode &node, const Shape &x = {2, 1, 2}, const Shape &w = {1, 4, 2},
          const Shape &r = {1, 4, 1}) {
  for (const Shape &shape : {x, w, r}) {
    int64_t count = 1;
    for (int64_t size : shape)
      count *= size;
    node.input(value<float>(Floats(count, 0.5f), shape));
  }
}

std::string errorOf(OneNode &node) {
  auto module = node.import();
  return module ? "" : module.error().str();
}

TEST(RecurrentImport, StepsTakeWhatTheStepBeforeGave) {
  // H1 = 1 * 3 + 4 * 0.5 + 1.25 = 6.25
  // H2 = 2 * 3 + 6.25 * 0.5 + 1.25 = 10.375
  OneNode node("RNN", 14);
  linearRnn(node);
  expect<float>(node, {6.25, 10.375});
}

TEST(RecurrentImport, ReverseBeginsAtTheEnd) {
  // H2 = 2 * 3 + 4 * 0.5 + 1.25 = 9.25
  // H1 = 1 * 3 + 9.25 * 0.5 + 1.25 = 8.875
  OneNode node("RNN", 14);
  linearRnn(node);
  node.attribute("direction", std::string("reverse"));
  expect<float>(node, {8.875, 9.25});
}

TEST(RecurrentImport, ClipBoundsWhatTheFunctionTakes) {
  // H1 = min(6.25, 6), H2 = min(2 * 3 + 6 * 0.5 + 1.25, 6)
  OneNode node("RNN", 14);
  linearRnn(node);
  node.attribute("clip", 6.0f);
  expect<float>(node, {6, 6});
}

TEST(RecurrentImport, OperationsAreNamedByTheirStep) {
  OneNode node("RNN", 14);
  linearRnn(node);
  auto module = node.import();
  ASSERT_TRUE(module) << module.error().str();
  std::vector<std::string> products;
  std::string last;
  (*module)->walk([&](nn::GemmOp op) {
    products.push_back(nn::nodeName(op));
    EXPECT_EQ(nn::tensorName(op.getResult()), "");
  });
  (*module)->walk([&](nn::ReshapeOp op) {
    if (!nn::tensorName(op.getResult()).empty())
      last = nn::tensorName(op.getResult());
  });
  EXPECT_EQ(products, (Names{"n@forward", "n@0", "n@1"}));
  EXPECT_EQ(last, "y");
}

TEST(RecurrentImport, ShapesMustAgree) {
  OneNode flat("LSTM", 14);
  lstm(flat, {2, 2});
  EXPECT_NE(errorOf(flat).find("RNN-1"), std::string::npos);
  OneNode gates("LSTM", 14);
  lstm(gates, {2, 1, 2}, {1, 3, 2});
  EXPECT_NE(errorOf(gates).find("W has shape 1x3x2, not 1x4x2"),
            std::string::npos);
  OneNode hidden("LSTM", 14);
  lstm(hidden);
  hidden.attribute("hidden_size", int64_t(5));
  EXPECT_NE(errorOf(hidden).find("hidden_size is 5"), std::string::npos);
  OneNode empty("LSTM", 14);
  lstm(empty, {0, 1, 2});
  EXPECT_NE(errorOf(empty).find("one is empty [RNN-1]"), std::string::npos);
}

TEST(RecurrentImport, LengthsLieWithinTheSteps) {
  OneNode node("LSTM", 14);
  lstm(node);
  node.absent().constant(value<int32_t>({3}));
  EXPECT_NE(errorOf(node).find("a length of 3 is outside [0, 2] [RNN-1]"),
            std::string::npos);
}

TEST(RecurrentImport, DirectionsAreKnown) {
  OneNode node("LSTM", 14);
  lstm(node);
  node.attribute("direction", std::string("sideways"));
  EXPECT_NE(errorOf(node).find("RNN-2"), std::string::npos);
}

TEST(RecurrentImport, ElementsAreFloatsOfOneType) {
  OneNode node("LSTM", 14);
  lstm(node);
  node.input(value<double>(std::vector<double>(8, 0.0), Shape{1, 8}));
  EXPECT_NE(errorOf(node).find("RNN-3"), std::string::npos);
  OneNode lengths("LSTM", 14);
  lstm(lengths);
  lengths.absent().constant(value<int64_t>({2}));
  EXPECT_NE(errorOf(lengths).find("not int32 [RNN-3]"), std::string::npos);
}

TEST(RecurrentImport, ActivationsAreKnownAndOnePerFunction) {
  OneNode unknown("LSTM", 14);
  lstm(unknown);
  unknown.attribute("activations", Names{"Sigmoid", "Gelu", "Tanh"});
  EXPECT_NE(errorOf(unknown).find("'Gelu' [RNN-4]"), std::string::npos);
  OneNode few("LSTM", 14);
  lstm(few);
  few.attribute("activations", Names{"Sigmoid", "Tanh"});
  EXPECT_NE(errorOf(few).find("2 names, not 3 [RNN-4]"), std::string::npos);
}

TEST(RecurrentImport, ParametersSufficeAndAreTaken) {
  OneNode missing("LSTM", 14);
  lstm(missing);
  missing.attribute("activations", Names{"Sigmoid", "Tanh", "ScaledTanh"});
  EXPECT_NE(errorOf(missing).find("ScaledTanh needs a value of "
                                  "activation_alpha [RNN-5]"),
            std::string::npos);
  OneNode left("LSTM", 14);
  lstm(left);
  left.attribute("activation_alpha", Floats{0.5});
  EXPECT_NE(errorOf(left).find("has 1 values; the functions take 0 [RNN-5]"),
            std::string::npos);
}

TEST(RecurrentImport, ClipIsPositive) {
  OneNode node("LSTM", 14);
  lstm(node);
  node.attribute("clip", 0.0f);
  EXPECT_NE(errorOf(node).find("RNN-6"), std::string::npos);
}

TEST(RecurrentImport, LongSequencesAreRefused) {
  // 4097 steps count as 65,552 nodes.
  OneNode node("RNN", 14);
  node.input(value<float>(Floats(4097, 0.5f), Shape{4097, 1, 1}))
      .constant(value<float>({1}, Shape{1, 1, 1}))
      .constant(value<float>({1}, Shape{1, 1, 1}));
  EXPECT_NE(errorOf(node).find("FLOW-4"), std::string::npos);
}

TEST(RecurrentImport, WeightsThatAreCodesHaveAGrid) {
  // X [2, 1, 1], W [1, 1, 4], R [1, 1, 4], and operands 3 to 7 absent.
  auto make = [](OneNode &node, const Shape &scaleShape, float scale) {
    node.input(value<float>({1, 2}, Shape{2, 1, 1}));
    for (int i = 0; i < 2; ++i)
      node.constant(value<int8_t>({1, 2, 3, 4}, Shape{1, 1, 4}));
    for (int i = 0; i < 5; ++i)
      node.absent();
    for (int i = 0; i < 2; ++i) {
      node.constant(value<float>(Floats(eval::elementCount(scaleShape), scale),
                                 scaleShape));
      node.constant(value<int8_t>({0}));
    }
  };
  OneNode fits("DynamicQuantizeLSTM", 1, "com.microsoft");
  make(fits, {1}, 0.5f);
  EXPECT_EQ(errorOf(fits), "");
  OneNode many("DynamicQuantizeLSTM", 1, "com.microsoft");
  make(many, {3}, 0.5f);
  EXPECT_NE(errorOf(many).find("RNN-8"), std::string::npos);
  OneNode none("DynamicQuantizeLSTM", 1, "com.microsoft");
  lstm(none, {2, 1, 1}, {1, 1, 4}, {1, 1, 4});
  EXPECT_NE(errorOf(none).find("not int8 or uint8 [RNN-8]"), std::string::npos);
}

//===----------------------------------------------------------------------===//
// Nested graphs
//===----------------------------------------------------------------------===//

model::Attribute::GraphPtr graphOf(size_t inputs, size_t outputs) {
  auto graph = std::make_shared<model::Graph>();
  for (size_t i = 0; i < inputs; ++i) {
    model::ValueInfo info;
    info.name = "in" + std::to_string(i);
    graph->inputs.push_back(info);
  }
  for (size_t i = 0; i < outputs; ++i) {
    model::ValueInfo info;
    info.name = "in" + std::to_string(i);
    graph->outputs.push_back(info);
  }
  return graph;
}

TEST(NestedGraphs, HaveTheInputsAndOutputsOfTheirNode) {
  OneNode scan("Scan", 9);
  scan.input(value<float>({1, 2}))
      .attribute("num_scan_inputs", int64_t(1))
      .attribute("body", graphOf(2, 1));
  EXPECT_NE(errorOf(scan).find("'body' has 2 inputs, not 1 [FLOW-5]"),
            std::string::npos);
  OneNode loop("Loop", 13);
  loop.constant(scalar<int64_t>(1)).absent().attribute("body", graphOf(2, 1));
  EXPECT_NE(errorOf(loop).find("'body' has 1 outputs, not 2 [FLOW-5]"),
            std::string::npos);
  OneNode without("Loop", 13);
  without.constant(scalar<int64_t>(1)).absent();
  EXPECT_NE(errorOf(without).find("'body' is missing [IMP-6]"),
            std::string::npos);
}

TEST(NestedGraphs, AConditionIsOneBoolean) {
  OneNode node("If", 13);
  node.input(value<float>({1, 2}));
  EXPECT_NE(errorOf(node).find("FLOW-1"), std::string::npos);
}

TEST(NestedGraphs, AScanGivesBackWhatItScans) {
  OneNode scan("Scan", 9);
  scan.input(value<float>({1, 2, 3}))
      .attribute("num_scan_inputs", int64_t(1))
      .attribute("scan_output_directions", std::vector<int64_t>{1})
      .attribute("body", graphOf(1, 1));
  expect<float>(scan, {3, 2, 1});
}

TEST(NestedGraphs, ALoopThatDoesNotRunStacksWhatIsKnown) {
  OneNode loop("Loop", 13);
  loop.constant(scalar<int64_t>(0)).absent().attribute("body", graphOf(2, 2));
  EXPECT_NE(errorOf(loop).find("FLOW-6"), std::string::npos);
}

} // namespace
