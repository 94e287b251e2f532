//===- OnnxTensorTest.cpp - numbers to packed bytes -----------------------===//

#include "tally/model/OnnxTensor.h"

#include "tally/model/OnnxTestModel.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace tally;
using namespace tally::model;
using namespace tally::model::test;

namespace {

/// The bytes of a rank-1 tensor of `count` elements that `fill` gives data.
template <typename Fill>
std::vector<int> packed(ElementType type, int64_t count, Fill fill) {
  onnx::ModelProto model = reluModel();
  onnx::TensorProto *weight = addWeight(model);
  weight->set_data_type(static_cast<int32_t>(type));
  weight->set_dims(0, count);
  fill(*weight);
  Result<Model> result = readBack(model);
  if (!result) {
    ADD_FAILURE() << result.error().str();
    return {};
  }
  const TensorData &tensor = result->graph.initializers.at(0);
  EXPECT_EQ(tensor.name, "w");
  EXPECT_EQ(tensor.type, type);
  EXPECT_EQ(tensor.elementCount(), count);
  std::vector<int> bytes;
  for (std::byte byte : tensor.bytes)
    bytes.push_back(std::to_integer<int>(byte));
  return bytes;
}

std::vector<int> packedInts(ElementType type, int64_t count,
                            std::vector<int32_t> entries) {
  return packed(type, count, [&](onnx::TensorProto &tensor) {
    for (int32_t entry : entries)
      tensor.add_int32_data(entry);
  });
}

using Bytes = std::vector<int>;

TEST(OnnxTensor, NarrowsInt32Data) {
  EXPECT_EQ(packedInts(ElementType::Int8, 3, {-128, -1, 127}),
            (Bytes{0x80, 0xFF, 0x7F}));
  EXPECT_EQ(packedInts(ElementType::UInt8, 2, {0, 255}), (Bytes{0, 0xFF}));
  EXPECT_EQ(packedInts(ElementType::Int16, 2, {-2, 258}),
            (Bytes{0xFE, 0xFF, 0x02, 0x01}));
  EXPECT_EQ(packedInts(ElementType::Float16, 1, {0x3C00}), (Bytes{0x00, 0x3C}));
  EXPECT_EQ(packedInts(ElementType::BFloat16, 1, {0xBF80}),
            (Bytes{0x80, 0xBF}));
  EXPECT_EQ(packedInts(ElementType::Int32, 1, {-2}),
            (Bytes{0xFE, 0xFF, 0xFF, 0xFF}));
  EXPECT_EQ(packedInts(ElementType::Bool, 2, {1, 0}), (Bytes{1, 0}));
  EXPECT_EQ(packedInts(ElementType::Float8E8M0, 1, {0x7F}), (Bytes{0x7F}));
}

TEST(OnnxTensor, KeepsPackedNibbles) {
  // 1, -2, 3: two entries; the second entry's high nibble is unused. Writers
  // store 0xE1 = 225 as it is or, sign extended, as -31.
  EXPECT_EQ(packedInts(ElementType::Int4, 3, {0xE1, 0x03}),
            (Bytes{0xE1, 0x03}));
  EXPECT_EQ(packedInts(ElementType::Int4, 3, {-31, 0x03}), (Bytes{0xE1, 0x03}));
  EXPECT_EQ(packedInts(ElementType::UInt2, 5, {0xE4, 0x01}),
            (Bytes{0xE4, 0x01}));
  EXPECT_EQ(packedInts(ElementType::Float4E2M1, 2, {0x21}), (Bytes{0x21}));
}

TEST(OnnxTensor, PacksSixBitEntries) {
  // 0x3F, 0x00, 0x15 = 111111, 000000, 010101 from the low bits up:
  // byte 0: 00'111111   byte 1: 0101'0000   byte 2: ....'..01
  EXPECT_EQ(packedInts(ElementType::Float6E2M3, 3, {0x3F, 0x00, 0x15}),
            (Bytes{0x3F, 0x50, 0x01}));
  EXPECT_EQ(packedInts(ElementType::Float6E3M2, 4, {1, 2, 3, 4}),
            (Bytes{0x81, 0x30, 0x10})); // 1 | 2<<6 | 3<<12 | 4<<18 = 0x103081
}

TEST(OnnxTensor, TakesTheWideFields) {
  EXPECT_EQ(
      packed(ElementType::Float32, 1, [](auto &t) { t.add_float_data(1.0f); }),
      (Bytes{0, 0, 0x80, 0x3F}));
  EXPECT_EQ(
      packed(ElementType::Float64, 1, [](auto &t) { t.add_double_data(-2.0); }),
      (Bytes{0, 0, 0, 0, 0, 0, 0, 0xC0}));
  EXPECT_EQ(
      packed(ElementType::Int64, 1, [](auto &t) { t.add_int64_data(-3); }),
      (Bytes{0xFD, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}));
  EXPECT_EQ(packed(ElementType::UInt32, 1,
                   [](auto &t) { t.add_uint64_data(0xFFFFFFFFu); }),
            (Bytes{0xFF, 0xFF, 0xFF, 0xFF}));
  EXPECT_EQ(
      packed(ElementType::UInt64, 1, [](auto &t) { t.add_uint64_data(5); }),
      (Bytes{5, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(packed(ElementType::Complex64, 1,
                   [](auto &t) {
                     t.add_float_data(1.0f);
                     t.add_float_data(0.0f);
                   }),
            (Bytes{0, 0, 0x80, 0x3F, 0, 0, 0, 0}));
}

TEST(OnnxTensor, TakesRawBytesOver) {
  EXPECT_EQ(
      packed(ElementType::Int4, 3, [](auto &t) { t.set_raw_data("\xE1\x03"); }),
      (Bytes{0xE1, 0x03}));
  EXPECT_EQ(packed(ElementType::Int8, 0, [](auto &) {}), Bytes());
}

TEST(OnnxTensor, KeepsBytesOfSharedTensorsAlive) {
  TensorData kept;
  {
    onnx::ModelProto model = reluModel();
    addWeight(model)->set_raw_data("12345678");
    Result<Model> result = readBack(model);
    ASSERT_TRUE(result);
    kept = result->graph.initializers[0];
  }
  EXPECT_EQ(std::memcmp(kept.bytes.data(), "12345678", 8), 0);
}

TEST(OnnxTensor, TakesNoMoreMemoryThanItsData) {
  // 2^20 raw bytes pass through without a second copy: the bytes stand in the
  // string that protobuf parsed them into, so the count of owners is one.
  onnx::ModelProto model = reluModel();
  onnx::TensorProto *weight = addWeight(model);
  weight->set_dims(0, 1 << 18);
  weight->set_raw_data(std::string(1 << 20, 'w'));
  const char *before = weight->raw_data().data();
  ExternalFiles files({}, ExternalData::Copy);
  TensorReader reader(files);
  Result<TensorData> tensor = reader.read(*weight, "w");
  ASSERT_TRUE(tensor);
  EXPECT_EQ(reinterpret_cast<const char *>(tensor->bytes.data()), before);
  Result<TensorData> again = reader.read(*weight, "w");
  ASSERT_TRUE(again);
  EXPECT_EQ(again->bytes.data(), tensor->bytes.data());
}

} // namespace
