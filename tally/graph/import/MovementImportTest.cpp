//===- MovementImportTest.cpp - rows that move elements ------------------===//
//
// Where an operator set changed how an operator is written, both forms are
// here; x[i] = i mostly, so that results show where elements came from.
//
//===----------------------------------------------------------------------===//

#include "tally/graph/import/TestNode.h"

#include <numeric>

using namespace tally;
using namespace tally::nn::test;

namespace {

using Names = std::vector<std::string>;
using Ints = std::vector<int64_t>;
using Shape = eval::Shape;

/// 0, 1, 2, .. in the given shape.
Value counting(Shape shape) {
  std::vector<float> numbers(eval::elementCount(shape));
  std::iota(numbers.begin(), numbers.end(), 0.0f);
  return value<float>(numbers, shape);
}

Value ints(Ints values) { return value<int64_t>(std::move(values)); }

void expectShape(OneNode &node, Shape shape) {
  auto result = node.run();
  ASSERT_TRUE(result) << result.error().str();
  EXPECT_EQ(result->shape, shape);
}

//===----------------------------------------------------------------------===//
// Reshapes
//===----------------------------------------------------------------------===//

TEST(MovementImport, SqueezeAndUnsqueezeTakeAxesAsAttributeBefore13) {
  OneNode squeeze("Squeeze", 12);
  squeeze.input(counting({1, 2, 1})).attribute("axes", Ints{2});
  expectShape(squeeze, {1, 2});
  OneNode unsqueeze("Unsqueeze", 12);
  unsqueeze.input(counting({2, 3})).attribute("axes", Ints{0, 3});
  expectShape(unsqueeze, {1, 2, 3, 1});
}

TEST(MovementImport, SqueezeAndUnsqueezeTakeAxesAsOperandFrom13On) {
  OneNode squeeze("Squeeze", 13);
  squeeze.input(counting({1, 2, 1})).constant(ints({-3}));
  expectShape(squeeze, {2, 1});
  OneNode all("Squeeze", 13);
  all.input(counting({1, 2, 1}));
  expectShape(all, {2});
  OneNode unsqueeze("Unsqueeze", 13);
  // Axes count dimensions of the result: -1 is the last of three.
  unsqueeze.input(counting({2})).constant(ints({-1, 0}));
  expectShape(unsqueeze, {1, 2, 1});
}

TEST(MovementImport, SqueezeOfALargerDimensionIsAnError) {
  OneNode node("Squeeze", 13);
  node.input(counting({1, 2})).constant(ints({1}));
  EXPECT_EQ(node.error(),
            "node 'n': Squeeze: dimension 1 of 1x2 is not 1 [IMP-6]");
}

TEST(MovementImport, AxesAreCheckedOnce) {
  OneNode twice("Unsqueeze", 13);
  twice.input(counting({2})).constant(ints({0, -3}));
  EXPECT_EQ(twice.error(),
            "node 'n': Unsqueeze: axis 0 is given more than once [IMP-6]");
  OneNode outside("Squeeze", 13);
  outside.input(counting({1})).constant(ints({1}));
  EXPECT_EQ(outside.error(), "node 'n': Squeeze: axis 1 is outside a tensor of "
                             "rank 1 [IMP-6]");
}

//===----------------------------------------------------------------------===//
// Transpose, Expand, Tile, DepthToSpace
//===----------------------------------------------------------------------===//

TEST(MovementImport, TransposeReversesByDefault) {
  OneNode node("Transpose", 13);
  node.input(counting({2, 3}));
  expect<float>(node, {0, 3, 1, 4, 2, 5});
}

TEST(MovementImport, ExpandBroadcastsBothWays) {
  OneNode node("Expand", 13);
  node.input(counting({2, 1})).constant(ints({3, 1, 2}));
  expectShape(node, {3, 2, 2});
}

TEST(MovementImport, TileRepeatsWholeDimensions) {
  OneNode node("Tile", 13);
  node.input(counting({2, 2})).constant(ints({1, 2}));
  expect<float>(node, {0, 1, 0, 1, 2, 3, 2, 3});
  EXPECT_EQ(node.operators(),
            (Names{"constant", "reshape", "expand", "reshape"}));
}

TEST(MovementImport, ARunTimeShapeOperandIsRefused) {
  OneNode node("Tile", 13);
  node.input(counting({2})).input(ints({2}));
  EXPECT_EQ(node.error(), "node 'n': Tile: repeats must be a constant [IMP-5]; "
                          "make 'x1' an initializer");
}

// Channels 0, 1, 2, 3 of one pixel. DCR: channel b1 * 2 + b2 is pixel (b1, b2).
TEST(MovementImport, DepthToSpaceKnowsBothModes) {
  OneNode dcr("DepthToSpace", 13);
  dcr.input(counting({1, 8, 1, 1})).attribute("blocksize", int64_t(2));
  // DCR: channel c of block place p is 2p + c.
  expect<float>(dcr, {0, 2, 4, 6, 1, 3, 5, 7});
  OneNode crd("DepthToSpace", 13);
  crd.input(counting({1, 8, 1, 1}))
      .attribute("blocksize", int64_t(2))
      .attribute("mode", std::string("CRD"));
  // CRD: it is 4c + p.
  expect<float>(crd, {0, 1, 2, 3, 4, 5, 6, 7});
}

TEST(MovementImport, SpaceToDepthIsTheInverse) {
  OneNode node("SpaceToDepth", 13);
  node.input(counting({1, 1, 2, 2})).attribute("blocksize", int64_t(2));
  expect<float>(node, {0, 1, 2, 3});
  expectShape(node, {1, 4, 1, 1});
}

TEST(MovementImport, BlocksMustFit) {
  OneNode node("SpaceToDepth", 13);
  node.input(counting({1, 1, 3, 2})).attribute("blocksize", int64_t(2));
  EXPECT_EQ(node.error(), "node 'n': SpaceToDepth: an input of shape 1x1x3x2 "
                          "has no blocks of size 2 [IMP-6]");
}

TEST(MovementImport, DropoutPassesItsInputAndAMaskOfTrue) {
  OneNode node("Dropout", 13);
  node.input(counting({2})).outputs(2);
  auto results = node.runAll();
  ASSERT_TRUE(results) << results.error().str();
  EXPECT_EQ((*results)[0].data<float>()[1], 1);
  EXPECT_EQ((*results)[1].element, eval::Element::Bool);
  EXPECT_EQ(eval::toInts((*results)[1]), (Ints{1, 1}));
}

TEST(MovementImport, DropoutOfTrainingIsRefused) {
  OneNode node("Dropout", 13);
  node.input(counting({2})).absent().constant(value<uint8_t>({1}));
  EXPECT_EQ(node.error(),
            "node 'n': Dropout: training_mode is for training; only inference "
            "is supported [IMP-6]");
}

TEST(MovementImport, ReverseSequenceTakesConstantLengths) {
  OneNode node("ReverseSequence", 10);
  node.input(counting({3, 2})).constant(ints({2, 3}));
  // Column 0: 0 2 | 4 -> 2 0 4; column 1: 1 3 5 -> 5 3 1.
  expect<float>(node, {2, 5, 0, 3, 4, 1});
}

//===----------------------------------------------------------------------===//
// Slice, Split
//===----------------------------------------------------------------------===//

TEST(MovementImport, SliceTakesAttributesBefore10) {
  OneNode node("Slice", 9);
  node.input(counting({5}))
      .attribute("starts", Ints{1})
      .attribute("ends", Ints{-1});
  expect<float>(node, {1, 2, 3});
}

TEST(MovementImport, SliceClampsWhatItReaches) {
  OneNode forward("Slice", 13);
  forward.input(counting({5}))
      .constant(ints({-9}))
      .constant(ints({INT64_MAX}))
      .absent()
      .constant(ints({3}));
  expect<float>(forward, {0, 3});
  // Backward from beyond the end to before the start.
  OneNode backward("Slice", 13);
  backward.input(counting({5}))
      .constant(ints({9}))
      .constant(ints({INT64_MIN}))
      .constant(ints({0}))
      .constant(ints({-2}));
  expect<float>(backward, {4, 2, 0});
  // -1 names the last element, so backward from 3 to it is nothing.
  OneNode empty("Slice", 13);
  empty.input(counting({5}))
      .constant(ints({3}))
      .constant(ints({-1}))
      .constant(ints({0}))
      .constant(ints({-1}));
  expectShape(empty, {0});
}

TEST(MovementImport, StepsOfTheExtremesDoNotOverflow) {
  OneNode node("Slice", 13);
  node.input(counting({5}))
      .constant(ints({4}))
      .constant(ints({INT64_MIN}))
      .constant(ints({0}))
      .constant(ints({INT64_MIN}));
  expect<float>(node, {4});
}

TEST(MovementImport, AStepOfZeroIsAnError) {
  OneNode node("Slice", 13);
  node.input(counting({5}))
      .constant(ints({0}))
      .constant(ints({5}))
      .constant(ints({0}))
      .constant(ints({0}));
  EXPECT_EQ(node.error(), "node 'n': Slice: starts, ends, axes and steps must "
                          "have one length, and no step may be 0 [IMP-6]");
}

TEST(MovementImport, SplitIsOneSlicePerOutput) {
  OneNode node("Split", 13);
  node.input(counting({4})).constant(ints({1, 3})).outputs(2);
  auto results = node.runAll();
  ASSERT_TRUE(results) << results.error().str();
  EXPECT_EQ((*results)[0].shape, Shape{1});
  EXPECT_EQ((*results)[1].shape, Shape{3});
  EXPECT_EQ((*results)[1].data<float>()[0], 1);
  EXPECT_EQ(node.operators(), (Names{"constant", "slice", "slice"}));
}

TEST(MovementImport, SplitsLastPartIsSmaller) {
  OneNode node("Split", 18);
  node.input(counting({5})).attribute("num_outputs", int64_t(3)).outputs(3);
  auto results = node.runAll();
  ASSERT_TRUE(results) << results.error().str();
  // ceil(5 / 3) = 2, 2 and the rest.
  EXPECT_EQ((*results)[2].shape, Shape{1});
  EXPECT_EQ((*results)[2].data<float>()[0], 4);
}

TEST(MovementImport, SplitMustUseTheWholeDimension) {
  OneNode node("Split", 11);
  node.input(counting({4})).attribute("split", Ints{1, 2}).outputs(2);
  EXPECT_EQ(node.error(), "node 'n': Split: dimension 0 of size 4 is not split "
                          "into the node's 2 outputs [IMP-6]");
}

//===----------------------------------------------------------------------===//
// Pad, CenterCropPad
//===----------------------------------------------------------------------===//

TEST(MovementImport, PadTakesAttributesBefore11) {
  OneNode node("Pad", 10);
  node.input(counting({2}))
      .attribute("pads", Ints{1, 2})
      .attribute("value", 7.0f);
  expect<float>(node, {7, 0, 1, 7, 7});
}

TEST(MovementImport, PadTakesAxesFrom18On) {
  OneNode node("Pad", 18);
  node.input(counting({1, 2}))
      .constant(ints({1, 0}))
      .absent()
      .constant(ints({-2}));
  expect<float>(node, {0, 0, 0, 1});
  expectShape(node, {2, 2});
}

TEST(MovementImport, PadRepeatsTheInput) {
  auto pad = [](const char *mode) {
    OneNode node("Pad", 19);
    node.input(counting({4}))
        .constant(ints({2, 3}))
        .attribute("mode", std::string(mode));
    auto result = node.run();
    EXPECT_TRUE(result);
    auto values = result->values<float>();
    return std::vector<float>(values.begin(), values.end());
  };
  using Floats = std::vector<float>;
  EXPECT_EQ(pad("edge"), (Floats{0, 0, 0, 1, 2, 3, 3, 3, 3}));
  EXPECT_EQ(pad("reflect"), (Floats{2, 1, 0, 1, 2, 3, 2, 1, 0}));
  EXPECT_EQ(pad("wrap"), (Floats{2, 3, 0, 1, 2, 3, 0, 1, 2}));
}

// Reflecting further than the input is long turns back again: with 0 1 2 the
// sequence has period 4, .. 0 1 2 1 | 0 1 2 | 1 0 1 2 ..
TEST(MovementImport, ReflectGoesBackAndForth) {
  OneNode node("Pad", 13);
  node.input(counting({3}))
      .constant(ints({0, 5}))
      .attribute("mode", std::string("reflect"));
  expect<float>(node, {0, 1, 2, 1, 0, 1, 2, 1});
}

// -1 crops the 0 first; what is left, 1 2, is then reflected: 1 2 1.
TEST(MovementImport, NegativePadsCropFirst) {
  OneNode node("Pad", 13);
  node.input(counting({3}))
      .constant(ints({-1, 1}))
      .attribute("mode", std::string("reflect"));
  expect<float>(node, {1, 2, 1});
}

TEST(MovementImport, NothingCannotBeRepeated) {
  OneNode node("Pad", 13);
  node.input(counting({1}))
      .constant(ints({-1, 1}))
      .attribute("mode", std::string("edge"));
  EXPECT_EQ(node.error(), "node 'n': Pad: dimension 0 of size 1 cannot be "
                          "padded by -1 and 1 in mode edge [IMP-6]");
}

TEST(MovementImport, CenterCropPadGivesTheEndTheOddOne) {
  OneNode node("CenterCropPad", 18);
  node.input(counting({4, 1})).constant(ints({1, 4}));
  // Rows: 3 too many, one is cut in front: row 1. Columns: 3 more, one in
  // front.
  expect<float>(node, {0, 1, 0, 0});
}

//===----------------------------------------------------------------------===//
// Concat
//===----------------------------------------------------------------------===//

TEST(MovementImport, ConcatCountsANegativeAxisFromTheEnd) {
  OneNode node("Concat", 13);
  node.input(counting({2, 1}))
      .input(counting({2, 2}))
      .attribute("axis", int64_t(-1));
  expect<float>(node, {0, 0, 1, 1, 2, 3});
}

// Each input has its own scale and zero point: reals 2 * 0.5 = 1 and
// (3 - 1) * 2 = 4 on scale 0.5, zero point 10 are 12 and 18.
TEST(MovementImport, QLinearConcatMovesEachInputToTheResultsGrid) {
  OneNode node("QLinearConcat", 1, "com.microsoft");
  node.constant(scalar<float>(0.5f))
      .constant(scalar<uint8_t>(10))
      .input(value<uint8_t>({2}))
      .constant(scalar<float>(0.5f))
      .constant(scalar<uint8_t>(0))
      .input(value<uint8_t>({3}))
      .constant(scalar<float>(2.0f))
      .constant(scalar<uint8_t>(1))
      .attribute("axis", int64_t(0));
  expect<uint8_t>(node, {12, 18});
}

TEST(MovementImport, QLinearConcatTakesOneScalePerTensor) {
  OneNode node("QLinearConcat", 1, "com.microsoft");
  node.constant(scalar<float>(0.5f))
      .constant(scalar<uint8_t>(10))
      .input(value<uint8_t>({2}))
      .constant(value<float>({0.5f, 1.0f}))
      .constant(scalar<uint8_t>(0));
  EXPECT_NE(node.error().find("[IMP-8]"), std::string::npos) << node.error();
}

} // namespace
