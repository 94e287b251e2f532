//===- ModelTest.cpp - element types and text -----------------------------===//

#include "tally/model/Model.h"

#include <cstdint>
#include <gtest/gtest.h>

using namespace tally::model;

namespace {

TEST(ElementType, KnowsNumbersNamesAndBits) {
  EXPECT_EQ(elementTypeFromNumber(22), ElementType::Int4);
  EXPECT_EQ(elementTypeFromNumber(28), ElementType::Float6E3M2);
  EXPECT_EQ(elementTypeFromNumber(29), std::nullopt);
  EXPECT_EQ(elementTypeFromNumber(-1), std::nullopt);
  EXPECT_EQ(elementTypeName(ElementType::Float8E4M3FNUZ), "float8e4m3fnuz");
  EXPECT_EQ(elementTypeName(ElementType::UInt2), "uint2");
  EXPECT_EQ(elementBits(ElementType::Complex128), 128u);
  EXPECT_EQ(elementBits(ElementType::Float4E2M1), 4u);
  EXPECT_TRUE(isSignedInteger(ElementType::Int2));
  EXPECT_FALSE(isSignedInteger(ElementType::UInt4));
  EXPECT_TRUE(isInteger(ElementType::UInt4));
  EXPECT_FALSE(isInteger(ElementType::Bool));
}

TEST(ElementType, PacksWithoutGaps) {
  EXPECT_EQ(packedBytes(ElementType::Int4, 3), 2);
  EXPECT_EQ(packedBytes(ElementType::Int4, 0), 0);
  EXPECT_EQ(packedBytes(ElementType::UInt2, 9), 3); // 18 bits
  EXPECT_EQ(packedBytes(ElementType::Float6E2M3, 4), 3);
  EXPECT_EQ(packedBytes(ElementType::Float6E2M3, 5), 4); // 30 bits
  EXPECT_EQ(packedBytes(ElementType::Complex64, 3), 24);
  EXPECT_EQ(packedBytes(ElementType::String, 1), std::nullopt);
  EXPECT_EQ(packedBytes(ElementType::Int4, INT64_MAX), int64_t{1} << 62);
  EXPECT_EQ(packedBytes(ElementType::Int64, INT64_MAX / 4), std::nullopt);
}

TEST(Text, TellsUtf8) {
  EXPECT_TRUE(isUtf8(""));
  EXPECT_TRUE(isUtf8("a\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80"));
  EXPECT_FALSE(isUtf8("\x80"));             // no start
  EXPECT_FALSE(isUtf8("\xC3"));             // no end
  EXPECT_FALSE(isUtf8("\xC0\x80"));         // overlong, 2 bytes
  EXPECT_FALSE(isUtf8("\xE0\x9F\x80"));     // overlong, 3 bytes
  EXPECT_FALSE(isUtf8("\xED\xA0\x80"));     // surrogate
  EXPECT_FALSE(isUtf8("\xF4\x90\x80\x80")); // past U+10FFFF
}

TEST(Text, PrintsWhatATerminalMayGet) {
  EXPECT_EQ(printable("conv/1 \xC3\xA4"), "conv/1 \xC3\xA4");
  EXPECT_EQ(printable("a\nb\x1B[2J"), "a\\x0Ab\\x1B[2J");
  EXPECT_EQ(printable("\xC2\x9B"), "\\xC2\\x9B"); // C1: CSI
  EXPECT_EQ(printable("\\x"), "\\x5Cx");
  EXPECT_EQ(printable("\xFF"), "\\xFF");
}

TEST(Text, CutsInTheMiddle) {
  EXPECT_EQ(printable("0123456789abcdef", 10), "01234...bcdef");
  // The euro sign is 3 bytes; the cut steps back to its start on both sides.
  std::string euros;
  for (int i = 0; i < 10; ++i)
    euros += "\xE2\x82\xAC";
  EXPECT_EQ(printable(euros, 10), "\xE2\x82\xAC...\xE2\x82\xAC\xE2\x82\xAC");
}

TEST(Node, FindsAttributesByKind) {
  Node node;
  node.opType = "QLinearAdd";
  node.domain = "com.microsoft";
  node.attributes.push_back({"axis", int64_t{3}});
  node.inputs = {"a", ""};
  EXPECT_EQ(node.fullOpType(), "com.microsoft.QLinearAdd");
  ASSERT_TRUE(node.attributeAs<int64_t>("axis"));
  EXPECT_EQ(*node.attributeAs<int64_t>("axis"), 3);
  EXPECT_EQ(node.attributeAs<float>("axis"), nullptr);
  EXPECT_EQ(node.attribute("other"), nullptr);
  EXPECT_EQ(node.attribute("axis")->kindName(), "int");
  EXPECT_TRUE(node.hasInput(0));
  EXPECT_FALSE(node.hasInput(1));
  EXPECT_FALSE(node.hasInput(2));
}

} // namespace
