//===- RefusalImportTest.cpp - what import rows refuse, and why -----------===//
//
// One node per diagnostic that no other test of the rows has.
//
//===----------------------------------------------------------------------===//

#include "tally/graph/import/TestNode.h"

using namespace tally;
using namespace tally::nn::test;

namespace {

using Ints = std::vector<int64_t>;

Value ints(Ints values, std::optional<Ints> dims = {}) {
  return value<int64_t>(std::move(values), std::move(dims));
}
/// Floats of a shape; what they are does not matter.
Value floats(Ints dims) {
  std::vector<float> numbers(eval::elementCount(dims));
  return value<float>(numbers, dims);
}
Value typed(Value v, ElementType type) {
  v.type = type;
  return v;
}

/// The node's failure has this text after "node 'n': ".
void refuses(OneNode &node, const std::string &message) {
  EXPECT_EQ(node.error(), "node 'n': " + message);
}

TEST(RefusalImport, Windows) {
  refuses(OneNode("MaxPool", 12).input(floats({1, 1, 4})),
          "MaxPool: kernel_shape is missing [IMP-6]");
  refuses(OneNode("MaxPool", 12)
              .input(floats({1, 1, 4}))
              .attribute("kernel_shape", Ints{2, 2}),
          "MaxPool: kernel_shape, strides, dilations and pads must be positive "
          "and have 1 (pads 2) entries [IMP-6]");
  refuses(OneNode("ConvTranspose", 11)
              .input(floats({1, 1, 4}))
              .input(floats({1, 1, 2}))
              .attribute("strides", Ints{1, 1}),
          "ConvTranspose: strides, dilations, output_padding and pads need 1 "
          "(pads 2) entries [IMP-6]");
  // Stride 2, 3 elements, kernel 2: 2 * 2 + 2 = 6, and one more as padding.
  auto beyond = [](OneNode &&node, int64_t size) -> OneNode & {
    return node.input(floats({1, 1, 3}))
        .input(floats({1, 1, 2}))
        .attribute("strides", Ints{2})
        .attribute("output_shape", Ints{size});
  };
  EXPECT_EQ(beyond(OneNode("ConvTranspose", 11), 7).run()->shape,
            eval::Shape({1, 1, 7}));
  refuses(beyond(OneNode("ConvTranspose", 11), 8),
          "ConvTranspose: output_shape 8 lies beyond what the window of "
          "spatial dimension 0 reaches, 6, by more than an output_padding may "
          "be [IMP-6]");
}

TEST(RefusalImport, Normalizations) {
  auto batch = [](OneNode &&node) -> OneNode & {
    node.input(floats({1, 1, 2}));
    for (int i = 0; i < 4; ++i)
      node.constant(floats({1}));
    return node;
  };
  refuses(batch(OneNode("BatchNormalization", 14))
              .attribute("training_mode", int64_t(1)),
          "BatchNormalization: only the inference form is supported, with one "
          "output [IMP-6]");
  refuses(
      batch(OneNode("BatchNormalization", 14)).attribute("spatial", int64_t(0)),
      "BatchNormalization: statistics per activation (spatial = 0) are not "
      "supported [IMP-6]");
  refuses(OneNode("LayerNormalization", 17)
              .input(floats({1, 2}))
              .constant(floats({2}))
              .attribute("stash_type", int64_t(11)),
          "LayerNormalization: only statistics in float32 are supported "
          "(stash_type) [IMP-6]");
}

TEST(RefusalImport, QuantizationAttributes) {
  auto quantize = [](OneNode &&node) -> OneNode & {
    return node.input(value<float>({1})).constant(scalar<float>(1));
  };
  refuses(quantize(OneNode("QuantizeLinear", 23))
              .attribute("precision", int64_t(10)),
          "QuantizeLinear: divisions in another type than the scale's or "
          "float32 are not supported (precision) [IMP-6]");
  refuses(quantize(OneNode("QuantizeLinear", 23))
              .attribute("output_dtype", int64_t(17)),
          "QuantizeLinear: output type float8e4m3fn is not supported; only "
          "integer codes are [IMP-6]");
  refuses(OneNode("DequantizeLinear", 23)
              .input(value<int8_t>({1}))
              .constant(scalar<float>(1))
              .attribute("output_dtype", int64_t(10)),
          "DequantizeLinear: an output_dtype other than the scale's type is "
          "not supported [IMP-6]");
  refuses(OneNode("QuantizeLinear", 23)
              .input(value<float>({1}))
              .input(scalar<float>(1))
              .attribute("output_dtype", int64_t(6)),
          "QuantizeLinear: a computed or blocked scale with codes of more than "
          "16 bits is not supported [IMP-6]");
  refuses(OneNode("QuantizeLinear", 23)
              .input(value<float>({1}))
              .constant(scalar<float>(1))
              .attribute("output_dtype", int64_t(7)),
          "QuantizeLinear: 64-bit codes are not supported [IMP-8]");
}

TEST(RefusalImport, Codes) {
  refuses(OneNode("QLinearConcat", 1, "com.microsoft")
              .constant(scalar<float>(1))
              .constant(scalar<uint8_t>(0)),
          "com.microsoft.QLinearConcat: operands must be the result's scale "
          "and zero point, then codes, scale and zero point of each input "
          "[IMP-11]");
  OneNode perRow("QLinearMatMul", 21);
  perRow.input(value<int8_t>({1, 2}, Ints{2, 1}))
      .input(value<float>({1, 2}))
      .absent()
      .input(value<int8_t>({1, 2}, Ints{1, 2}))
      .input(value<float>({1, 2}))
      .absent()
      .input(scalar<float>(1));
  refuses(perRow, "QLinearMatMul: computed scales of this granularity are not "
                  "supported [IMP-6]");
  // One scale for all of the input, though the batch has two images.
  OneNode perImage("QLinearConv", 10);
  perImage.input(value<int8_t>({1, 2}, Ints{2, 1, 1}))
      .constant(value<float>({1, 2}))
      .constant(value<int8_t>({0, 0}))
      .constant(value<int8_t>({1}, Ints{1, 1, 1}))
      .constant(scalar<float>(1))
      .constant(scalar<int8_t>(0))
      .constant(scalar<float>(1))
      .constant(scalar<int8_t>(0));
  refuses(perImage, "QLinearConv: operand 1: the operator takes one scale per "
                    "tensor [IMP-8]");
}

TEST(RefusalImport, Elements) {
  OneNode input("Relu", 13);
  input.input(typed(value<uint8_t>({1}), ElementType::Float8E5M2));
  EXPECT_EQ(input.error(), "input 'x0' is a float8e5m2, which no executor "
                           "handles [IMP-7]");
  OneNode constant("Relu", 13);
  constant.constant(typed(value<uint8_t>({1}), ElementType::Float8E5M2));
  EXPECT_EQ(constant.error(), "constant 'x0' is a float8e5m2 tensor, which no "
                              "executor handles [IMP-7]");
  refuses(OneNode("EyeLike", 9)
              .input(floats({2, 2}))
              .attribute("dtype", int64_t(99)),
          "EyeLike: dtype names the unknown type 99, which no executor handles "
          "[IMP-7]");
  OneNode like("CastLike", 15);
  like.input(value<float>({9}))
      .constant(typed(value<int8_t>({1}, Ints{1}), ElementType::Int4));
  refuses(like, "CastLike: cannot cast to fewer than 8 bits [IMP-6]");
}

TEST(RefusalImport, Shapes) {
  refuses(OneNode("Expand", 13).input(floats({2})).constant(ints({3})),
          "Expand: shape 2 does not broadcast with 3 [IMP-6]");
  refuses(OneNode("Tile", 13).input(floats({2})).constant(ints({1, 1})),
          "Tile: repeats must be one count per dimension of 2 [IMP-6]");
  refuses(OneNode("Unsqueeze", 11).input(floats({2})),
          "Unsqueeze: axes are missing [IMP-6]");
  refuses(OneNode("Slice", 9).input(floats({2})),
          "Slice: starts and ends are missing [IMP-6]");
  refuses(OneNode("Pad", 13).input(floats({2})).constant(ints({1})),
          "Pad: pads need 2 entries, a begin and an end per axis [IMP-6]");
  refuses(OneNode("Reshape", 13).input(floats({2})).constant(floats({1})),
          "Reshape: the shape must be integers [IMP-6]");
  refuses(OneNode("EyeLike", 9).input(floats({2})),
          "EyeLike: 2 is no matrix [IMP-6]");
  auto range = [](OneNode &&node, const Value &delta) -> OneNode & {
    return node.constant(scalar<float>(0))
        .constant(scalar<float>(1))
        .constant(delta);
  };
  refuses(range(OneNode("Range", 11), scalar<float>(0)),
          "Range: delta is 0 [IMP-6]");
  refuses(range(OneNode("Range", 11), scalar<int32_t>(1)),
          "Range: start, limit and delta must be "
          "three numbers of one type [IMP-6]");
  refuses(
      OneNode("Trilu", 14).input(floats({2, 2})).constant(scalar<float>(1e30f)),
      "Trilu: k is out of range [IMP-6]");
}

TEST(RefusalImport, AttributesWithoutADefault) {
  refuses(OneNode("Concat", 4).input(floats({1})).input(floats({1})),
          "Concat: axis is missing [IMP-6]");
  expect<float>(OneNode("Concat", 1)
                    .input(value<float>({1}, Ints{1, 1}))
                    .input(value<float>({2}, Ints{1, 1})),
                {1, 2});
  refuses(OneNode("TopK", 9).input(floats({2})),
          "TopK: k must be one number [IMP-6]");
  refuses(OneNode("TopK", 10).input(floats({2})),
          "TopK: operand 1 is missing [IMP-11]");
}

TEST(RefusalImport, Resizes) {
  auto resize = [](OneNode &&node, const char *mode) -> OneNode & {
    return node.input(floats({2, 2}))
        .attribute("coordinate_transformation_mode", std::string(mode));
  };
  refuses(resize(OneNode("Resize", 13), "sideways")
              .absent()
              .constant(value<float>({1, 2})),
          "Resize: coordinate_transformation_mode or nearest_mode is unknown "
          "[IMP-6]");
  refuses(resize(OneNode("Resize", 13), "half_pixel")
              .absent()
              .constant(value<float>({1})),
          "Resize: there must be one scale per axis, 2 [IMP-6]");
  refuses(resize(OneNode("Resize", 13), "half_pixel")
              .absent()
              .absent()
              .constant(ints({2, -1})),
          "Resize: a dimension of size 2 cannot be resized to -1 [IMP-6]");
  refuses(resize(OneNode("Resize", 13), "tf_crop_and_resize")
              .constant(value<float>({0, 1}))
              .absent()
              .constant(ints({2, 2})),
          "Resize: roi needs 4 numbers, the starts, then the ends [IMP-6]");
  OneNode beyond("Resize", 13);
  beyond.input(value<int8_t>({1, 2}))
      .constant(value<float>({0, 2}))
      .absent()
      .constant(ints({2}))
      .attribute("coordinate_transformation_mode",
                 std::string("tf_crop_and_resize"));
  refuses(beyond, "Resize: tf_crop_and_resize beyond the input is only "
                  "supported on float tensors [IMP-6]");
}

} // namespace
