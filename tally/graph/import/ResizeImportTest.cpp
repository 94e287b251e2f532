//===- ResizeImportTest.cpp - coordinates, taps and rows of Resize -------===//

#include "tally/graph/import/ResizeTaps.h"
#include "tally/graph/import/TestNode.h"

using namespace tally;
using namespace tally::nn;
using namespace tally::nn::test;

namespace {

using Names = std::vector<std::string>;
using Ints = std::vector<int64_t>;
using Floats = std::vector<float>;
using Doubles = std::vector<double>;

constexpr int64_t kOne = int64_t(1) << 23;

//===----------------------------------------------------------------------===//
// Coordinates
//===----------------------------------------------------------------------===//

Doubles coordinatesOf(const char *mode, const ResizedDim &dim) {
  Doubles result;
  for (int64_t i = 0; i < dim.output; ++i)
    result.push_back(sourceCoordinate(*findCoordinates(mode), dim, i));
  return result;
}

// 2 elements become 4, scale 2: the formulas of ResizeTaps.h.
TEST(ResizeTaps, CoordinatesOfDoubling) {
  ResizedDim dim{2, 4, 2};
  EXPECT_EQ(coordinatesOf("half_pixel", dim),
            (Doubles{-0.25, 0.25, 0.75, 1.25}));
  EXPECT_EQ(coordinatesOf("asymmetric", dim), (Doubles{0, 0.5, 1, 1.5}));
  EXPECT_EQ(coordinatesOf("tf_half_pixel_for_nn", dim),
            (Doubles{0.25, 0.75, 1.25, 1.75}));
  // i * (2 - 1) / (4 - 1)
  EXPECT_EQ(coordinatesOf("align_corners", dim),
            (Doubles{0, 1.0 / 3, 2.0 / 3, 1}));
}

TEST(ResizeTaps, CoordinatesOfOneResult) {
  // (0 + 0.5) * 4 - 0.5 = 1.5, but 0 where a size of 1 is special.
  ResizedDim dim{4, 1, 0.25};
  EXPECT_EQ(coordinatesOf("half_pixel", dim), Doubles{1.5});
  EXPECT_EQ(coordinatesOf("pytorch_half_pixel", dim), Doubles{0});
  EXPECT_EQ(coordinatesOf("align_corners", dim), Doubles{0});
}

// Scale 0.75 of 3 elements is 2.25, of which 2 are made: the symmetric form
// shifts by 3/2 * (1 - 2/2.25) = 1/6.
TEST(ResizeTaps, SymmetricHalfPixelCentersTheResult) {
  ResizedDim dim{3, 2, 0.75};
  double plain = sourceCoordinate(ResizeCoordinates::HalfPixel, dim, 0);
  double symmetric =
      sourceCoordinate(ResizeCoordinates::HalfPixelSymmetric, dim, 0);
  EXPECT_NEAR(symmetric - plain, 1.0 / 6, 1e-15);
}

// The part from 1/4 to 3/4 of 5 elements (of length 4): 1 to 3.
TEST(ResizeTaps, CropsAndResizes) {
  ResizedDim dim{5, 3, 0.6, 0.25, 0.75};
  EXPECT_EQ(coordinatesOf("tf_crop_and_resize", dim), (Doubles{1, 2, 3}));
  ResizedDim one{5, 1, 0.2, 0.25, 0.75};
  EXPECT_EQ(coordinatesOf("tf_crop_and_resize", one), Doubles{2});
}

TEST(ResizeTaps, NearestRoundsAsAsked) {
  auto all = [](const char *mode) {
    Ints result;
    for (double x : {-0.5, 0.5, 1.25, 1.5, 3.75})
      result.push_back(nearestIndex(*findRounding(mode), x, 4));
    return result;
  };
  EXPECT_EQ(all("round_prefer_floor"), (Ints{0, 0, 1, 1, 3}));
  EXPECT_EQ(all("round_prefer_ceil"), (Ints{0, 1, 1, 2, 3}));
  EXPECT_EQ(all("floor"), (Ints{0, 0, 1, 1, 3}));
  EXPECT_EQ(all("ceil"), (Ints{0, 1, 2, 2, 3}));
  EXPECT_FALSE(findRounding("up"));
}

//===----------------------------------------------------------------------===//
// Taps
//===----------------------------------------------------------------------===//

TEST(ResizeTaps, LinearTakesTwoNeighbours) {
  ResizeTaps taps = resizeTaps({}, {2, 4, 2}, {-0.25, 0.25, 1});
  // Outside the first element it stands in; an integer is a right neighbour.
  EXPECT_EQ(taps.sources, (Ints{0, 0, 0, 1, 0, 1}));
  EXPECT_EQ(taps.weights,
            (Ints{kOne / 4, kOne * 3 / 4, kOne * 3 / 4, kOne / 4, 0, kOne}));
}

// Thirds are no multiples of 2^-23; the larger one takes the rest.
TEST(ResizeTaps, WeightsSumToOne) {
  ResizeTaps taps = resizeTaps({}, {2, 4, 2}, {1.0 / 3});
  // 2^23 / 3 = 2796202.67
  EXPECT_EQ(taps.weights, (Ints{kOne - 2796203, 2796203}));
}

// Keys' kernel with a = -1/2 at distances 1.5, 0.5, 0.5, 1.5:
//   |x| <= 1: 1.5 * 0.125 - 2.5 * 0.25 + 1 = 0.5625
//   |x| < 2: -0.5 * 3.375 + 2.5 * 2.25 - 4 * 1.5 + 2 = -0.0625
TEST(ResizeTaps, CubicTakesFour) {
  TapKernel kernel;
  kernel.isCubic = true;
  kernel.cubicA = -0.5;
  ResizeTaps taps = resizeTaps(kernel, {4, 4, 1}, {1.5});
  EXPECT_EQ(taps.sources, (Ints{0, 1, 2, 3}));
  EXPECT_EQ(taps.weights,
            (Ints{-kOne / 16, kOne * 9 / 16, kOne * 9 / 16, -kOne / 16}));
}

// At 0.5 of two elements the outer taps lie outside: 0.5625 of 1.125 each.
TEST(ResizeTaps, ExcludesWhatIsOutside) {
  TapKernel kernel;
  kernel.isCubic = true;
  kernel.cubicA = -0.5;
  kernel.excludeOutside = true;
  ResizeTaps taps = resizeTaps(kernel, {2, 2, 1}, {0.5});
  EXPECT_EQ(taps.weights, (Ints{0, kOne / 2, kOne / 2, 0}));
  // All taps outside: the edge.
  ResizeTaps far = resizeTaps(kernel, {2, 2, 1}, {9.5});
  EXPECT_EQ(far.weights, (Ints{kOne, 0, 0, 0}));
  EXPECT_EQ(far.sources[0], 1);
}

// Halving with a kernel twice as wide: distances 1.5, 0.5, 0.5, 1.5 count
// half, so the weights are 1/4, 3/4, 3/4, 1/4 of their sum 2.
TEST(ResizeTaps, AntialiasWidensAShrinkingKernel) {
  TapKernel kernel;
  kernel.antialias = true;
  ResizeTaps taps = resizeTaps(kernel, {4, 2, 0.5}, {1.5});
  EXPECT_EQ(taps.sources, (Ints{0, 1, 2, 3}));
  EXPECT_EQ(taps.weights,
            (Ints{kOne / 8, kOne * 3 / 8, kOne * 3 / 8, kOne / 8}));
  // A growing dimension keeps two taps.
  EXPECT_EQ(resizeTaps(kernel, {2, 4, 2}, {0.25}).weights.size(), 2u);
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// A Resize of two elements.
struct ResizeOfTwo : OneNode {
  explicit ResizeOfTwo(const char *mode) : OneNode("Resize", 19) {
    input(value<float>({1, 2}, Ints{1, 2}));
    attribute("mode", std::string(mode));
  }
};

TEST(ResizeImport, NearestIsAMovement) {
  OneNode node("Resize", 19);
  node.input(value<float>({1, 2}, Ints{1, 2}))
      .absent()
      .constant(value<float>({1, 2}))
      .attribute("mode", std::string("nearest"));
  expect<float>(node, {1, 1, 2, 2});
  EXPECT_EQ(node.operators(), (Names{"constant", "select"}));
}

TEST(ResizeImport, LinearIsWeightedSums) {
  OneNode node("Resize", 19);
  node.input(value<float>({1, 5}, Ints{1, 2}))
      .absent()
      .absent()
      .constant(value<int64_t>({1, 4}))
      .attribute("mode", std::string("linear"));
  expect<float>(node, {1, 2, 4, 5});
  EXPECT_EQ(node.operators(), (Names{"constant", "resize"}));
}

// Before operator set 11 coordinates are i / scale, nearest rounds down.
TEST(ResizeImport, OldFormsScaleFromTheFirstElement) {
  OneNode resize("Resize", 10);
  resize.input(value<float>({1, 5}, Ints{1, 2}))
      .constant(value<float>({1, 2}))
      .attribute("mode", std::string("linear"));
  expect<float>(resize, {1, 3, 5, 5});
  OneNode upsample("Upsample", 7);
  upsample.input(value<float>({1, 5}, Ints{1, 2}))
      .attribute("scales", Floats{1, 2})
      .attribute("mode", std::string("nearest"));
  expect<float>(upsample, {1, 1, 5, 5});
  OneNode operand("Upsample", 9);
  operand.input(value<float>({1, 5}, Ints{1, 2}))
      .constant(value<float>({2, 1}))
      .attribute("mode", std::string("nearest"));
  expect<float>(operand, {1, 5, 1, 5});
}

// 2x4 to at most 4x4: the smaller scale, 1, serves both axes; to at least
// 4x4 it is 2, and the columns become 8.
TEST(ResizeImport, KeepsAnAspectRatio) {
  auto shapeWith = [](const char *policy) {
    OneNode node("Resize", 18);
    node.input(value<float>(Floats(8), Ints{2, 4}))
        .absent()
        .absent()
        .constant(value<int64_t>({4, 4}))
        .attribute("keep_aspect_ratio_policy", std::string(policy));
    auto result = node.run();
    EXPECT_TRUE(result);
    return result->shape;
  };
  EXPECT_EQ(shapeWith("not_larger"), (eval::Shape{2, 4}));
  EXPECT_EQ(shapeWith("not_smaller"), (eval::Shape{4, 8}));
}

// The part from -1/2 to 3/2 of 1 2 3: coordinates -1, 1, 3; two are outside.
TEST(ResizeImport, CropsBeyondTheInputTakeTheExtrapolationValue) {
  OneNode node("Resize", 19);
  node.input(value<float>({1, 2, 3}))
      .constant(value<float>({-0.5f, 1.5f}))
      .absent()
      .constant(value<int64_t>({3}))
      .attribute("mode", std::string("linear"))
      .attribute("coordinate_transformation_mode",
                 std::string("tf_crop_and_resize"))
      .attribute("extrapolation_value", 9.0f);
  expect<float>(node, {9, 2, 9});
}

TEST(ResizeImport, WhatIsMissingOrUnknownIsAnError) {
  ResizeOfTwo none("linear");
  EXPECT_EQ(none.error(), "node 'n': Resize: there must be either scales or "
                          "sizes, one per axis [IMP-6]");
  ResizeOfTwo mode("quintic");
  EXPECT_EQ(mode.error(),
            "node 'n': Resize: mode 'quintic' is unknown [IMP-6]");
  ResizeOfTwo scale("linear");
  scale.absent().constant(value<float>({1, -2}));
  EXPECT_NE(scale.error().find("is not finite and positive [IMP-6]"),
            std::string::npos);
  ResizeOfTwo crop("linear");
  crop.constant(value<float>({0, 0, 1, 1}))
      .constant(value<float>({1, 2}))
      .attribute("coordinate_transformation_mode",
                 std::string("tf_crop_and_resize"));
  EXPECT_EQ(crop.error(), "node 'n': Resize: tf_crop_and_resize needs sizes; "
                          "scales are not supported [IMP-6]");
}

} // namespace
