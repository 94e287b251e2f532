//===- IndexingImportTest.cpp - rows of indices, shapes and constants ----===//

#include "tally/graph/import/TestNode.h"

using namespace tally;
using namespace tally::nn::test;

namespace {

using Names = std::vector<std::string>;
using Ints = std::vector<int64_t>;

Value ints(Ints values, std::optional<Ints> dims = {}) {
  return value<int64_t>(std::move(values), std::move(dims));
}

//===----------------------------------------------------------------------===//
// Gather, Scatter
//===----------------------------------------------------------------------===//

TEST(IndexingImport, GatherByConstantsIsAMovement) {
  OneNode list("Gather", 13);
  list.input(value<float>({0, 1, 2, 3, 4})).constant(ints({0, -1, 0}));
  expect<float>(list, {0, 4, 0});
  EXPECT_EQ(list.operators(), (Names{"constant", "select"}));
  // Even steps are a slice, which is a view; a scalar drops the dimension.
  OneNode even("Gather", 13);
  even.input(value<float>({0, 1, 2, 3, 4})).constant(ints({1, 3}));
  EXPECT_EQ(even.operators(), (Names{"constant", "slice"}));
  OneNode scalar("Gather", 13);
  scalar.input(value<float>({0, 1, 2, 3, 4})).constant(ints({2}, Ints{}));
  expect<float>(scalar, {2});
  EXPECT_EQ(scalar.operators(), (Names{"constant", "slice", "reshape"}));
}

TEST(IndexingImport, GatherByRunTimeIndicesClampsThem) {
  OneNode node("Gather", 13);
  node.input(value<float>({0, 1, 2})).input(ints({-1, 5, -7}));
  expect<float>(node, {2, 2, 0});
  EXPECT_EQ(node.operators(), Names{"gather"});
}

TEST(IndexingImport, AConstantIndexOutsideIsAnError) {
  OneNode gather("Gather", 13);
  gather.input(value<float>({0, 1, 2})).constant(ints({3}));
  EXPECT_EQ(gather.error(), "node 'n': Gather: index 3 is outside dimension 0 "
                            "of size 3 [IMP-10]");
  OneNode elements("GatherElements", 13);
  elements.input(value<float>({0, 1, 2})).constant(ints({-4}));
  EXPECT_EQ(elements.error(), "node 'n': GatherElements: index -4 is outside "
                              "dimension 0 of size 3 [IMP-10]");
  // The second number of a tuple indexes the second dimension.
  OneNode tuples("GatherND", 13);
  tuples.input(value<float>({0, 1, 2, 3}, Ints{4, 1}))
      .constant(ints({3, 1}, Ints{1, 2}));
  EXPECT_EQ(tuples.error(), "node 'n': GatherND: index 1 is outside dimension "
                            "1 of size 1 [IMP-10]");
  OneNode scatter("ScatterND", 16);
  scatter.input(value<float>({0, 1}))
      .constant(ints({2}, Ints{1, 1}))
      .input(value<float>({9}));
  EXPECT_EQ(scatter.error(), "node 'n': ScatterND: index 2 is outside "
                             "dimension 0 of size 2 [IMP-10]");
}

TEST(IndexingImport, ScatterElementsCombines) {
  OneNode node("ScatterElements", 18);
  node.input(value<float>({1, 2, 3}))
      .constant(ints({2, 2}))
      .input(value<float>({10, 20}))
      .attribute("reduction", std::string("add"));
  expect<float>(node, {1, 2, 33});
}

TEST(IndexingImport, ScatterIsTheOldNameOfScatterElements) {
  OneNode node("Scatter", 9);
  node.input(value<float>({1, 2, 3}))
      .constant(ints({0}))
      .input(value<float>({10}));
  expect<float>(node, {10, 2, 3});
}

TEST(IndexingImport, UnknownReductionsAreRefused) {
  OneNode node("ScatterND", 18);
  node.input(value<float>({1, 2}))
      .constant(ints({0}, Ints{1, 1}))
      .input(value<float>({10}))
      .attribute("reduction", std::string("xor"));
  EXPECT_EQ(node.error(),
            "node 'n': ScatterND: reduction 'xor' is unknown [IMP-6]");
}

//===----------------------------------------------------------------------===//
// OneHot, NonZero, Trilu, CumSum
//===----------------------------------------------------------------------===//

TEST(IndexingImport, OneHotTakesAFloatDepth) {
  OneNode node("OneHot", 11);
  node.input(ints({1})).constant(value<float>({2})).input(value<float>({0, 5}));
  expect<float>(node, {0, 5});
}

TEST(IndexingImport, NonZeroOfAConstantIsAConstant) {
  OneNode node("NonZero", 13);
  node.constant(value<float>({0, 7, 7, 0}, Ints{2, 2}));
  // Elements (0, 1) and (1, 0): rows first, then columns.
  expect<int64_t>(node, {0, 1, 1, 0});
}

TEST(IndexingImport, NonZeroOfARunTimeTensorIsRefused) {
  OneNode node("NonZero", 13);
  node.input(value<float>({0, 7}));
  EXPECT_EQ(node.error(),
            "node 'n': NonZero: the result's shape depends on the input's "
            "values [IMP-5]; cut the graph behind this node with --inputs");
}

TEST(IndexingImport, TriluKeepsTheUpperTriangleByDefault) {
  OneNode node("Trilu", 14);
  node.input(value<float>({1, 2, 3, 4}, Ints{2, 2}))
      .constant(ints({1}, Ints{}));
  expect<float>(node, {0, 2, 0, 0});
}

TEST(IndexingImport, CumSumTakesAConstantAxis) {
  OneNode node("CumSum", 14);
  node.input(value<float>({1, 2, 3}))
      .constant(ints({-1}, Ints{}))
      .attribute("reverse", int64_t(1));
  expect<float>(node, {6, 5, 3});
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

TEST(IndexingImport, ShapeAndSizeAreConstants) {
  OneNode part("Shape", 15);
  part.input(value<float>({0, 1, 2, 3, 4, 5}, Ints{1, 2, 3}))
      .attribute("start", int64_t(-2))
      .attribute("end", int64_t(9));
  expect<int64_t>(part, {2, 3});
  EXPECT_EQ(part.operators(), Names{"constant"});
  OneNode size("Size", 13);
  size.input(value<float>({0, 1, 2, 3, 4, 5}, Ints{1, 2, 3}));
  expect<int64_t>(size, {6});
}

TEST(IndexingImport, ConstantOfShapeFillsWithFloatZeroByDefault) {
  OneNode node("ConstantOfShape", 9);
  node.constant(ints({2}));
  expect<float>(node, {0, 0});
}

TEST(IndexingImport, ConstantOfShapeTakesItsValuesType) {
  auto number = std::make_shared<int8_t>(-3);
  model::TensorData data;
  data.type = ElementType::Int8;
  data.dims = {1};
  data.bytes = std::as_bytes(std::span(number.get(), 1));
  data.owner = number;
  OneNode node("ConstantOfShape", 9);
  node.constant(ints({2})).attribute("value", data);
  expect<int8_t>(node, {-3, -3});
}

TEST(IndexingImport, ConstantsAreBounded) {
  OneNode node("ConstantOfShape", 9);
  node.constant(ints({1 << 20, 1 << 20}));
  EXPECT_EQ(node.error(), "node 'n': ConstantOfShape: the constant has more "
                          "than 2^28 elements [IMP-9]");
  OneNode range("Range", 11);
  range.constant(ints({0}, Ints{}))
      .constant(ints({INT64_MAX}, Ints{}))
      .constant(ints({1}, Ints{}));
  EXPECT_EQ(range.error(), "node 'n': Range: the constant has more than 2^28 "
                           "elements [IMP-9]");
}

TEST(IndexingImport, RangeCountsInBothDirections) {
  OneNode down("Range", 11);
  down.constant(ints({10}, Ints{}))
      .constant(ints({4}, Ints{}))
      .constant(ints({-3}, Ints{}));
  expect<int64_t>(down, {10, 7});
  OneNode floats("Range", 11);
  floats.constant(scalar<float>(0))
      .constant(scalar<float>(1))
      .constant(scalar<float>(0.4f));
  expect<float>(floats, {0, 0.4f, 0.8f});
  OneNode empty("Range", 11);
  empty.constant(ints({4}, Ints{}))
      .constant(ints({10}, Ints{}))
      .constant(ints({-3}, Ints{}));
  expect<int64_t>(empty, {});
}

TEST(IndexingImport, RangeOfRunTimeNumbersIsRefused) {
  OneNode node("Range", 11);
  node.input(ints({0}, Ints{}))
      .constant(ints({4}, Ints{}))
      .constant(ints({1}, Ints{}));
  EXPECT_EQ(node.error(), "node 'n': Range: start must be a constant [IMP-5]; "
                          "make 'x0' an initializer");
}

TEST(IndexingImport, EyeLikeTakesTheInputsTypeOrItsOwn) {
  OneNode node("EyeLike", 9);
  node.input(value<float>({9, 9, 9, 9, 9, 9}, Ints{2, 3}))
      .attribute("k", int64_t(1))
      .attribute("dtype", int64_t(6)); // int32
  expect<int32_t>(node, {0, 1, 0, 0, 0, 1});
}

TEST(IndexingImport, ResultsAreBounded) {
  OneNode node("Expand", 13);
  node.input(value<float>({1})).constant(ints({1 << 20, 1 << 20}));
  EXPECT_EQ(node.error(), "node 'n': Expand: a result of shape "
                          "1048576x1048576 has more than 2^31 - 1 elements "
                          "[IMP-9]");
}

} // namespace
