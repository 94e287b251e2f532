//===- InterfaceTest.cpp - the self-description there and back ------------===//

#include "tally/runtime/Interface.h"

#include <gtest/gtest.h>

using namespace tally;
using namespace tally::runtime;

namespace {
/// Every member differs from its default.
Interface sample() {
  Interface interface;
  interface.producer = "tally 9.9";
  interface.symbol = "net";
  interface.model = "net \"quoted\".onnx";
  interface.numerics = "tflite";
  interface.target = "x86_64-linux-gnu";
  interface.tiers = {"x86-64", "avx2"};
  eval::Quantization grid{-128, 127, {0.1f, 1.5e-7f}, {3, -128}, 1};
  interface.inputs = {{"image", eval::Element::I8, {1, 2, 3}, grid}};
  interface.outputs = {{"scores", eval::Element::F32, {}, std::nullopt},
                       {"größe", eval::Element::U16, {0, 7}, std::nullopt}};
  interface.arenaBytes = (int64_t(1) << 62) + 1;
  interface.arenaAlignment = 128;
  interface.constBytes = 77;
  interface.staticArena = true;
  interface.stages = {{"conv1", "conv", "1x2x3 i8", 1000, 64, false, ""},
                      {"exp1", "exp", "2 f32", 0, 0, true, "no Quantize"}};
  interface.peak = {{"t1", 4096}, {"t2", 64}};
  return interface;
}

std::string replaced(std::string text, const std::string &from,
                     const std::string &to) {
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

Diagnostic failureOf(const std::string &text) {
  auto interface = interfaceFromJson(text);
  EXPECT_FALSE(interface) << text;
  return interface ? Diagnostic() : interface.takeError();
}
} // namespace

TEST(Interface, ComesBackEqual) {
  auto back = interfaceFromJson(toJson(sample()));
  ASSERT_TRUE(back) << back.error().str();
  EXPECT_EQ(*back, sample());
}

TEST(Interface, KeysStandInAFixedOrder) {
  Interface empty;
  EXPECT_EQ(
      toJson(empty),
      R"({"version":1,"producer":"","symbol":"","model":"",)"
      R"("numerics":"","target":"","tiers":[],"inputs":[],)"
      R"("outputs":[],"arena_bytes":0,"arena_alignment":64,)"
      R"("static_arena":false,"self_test_bytes":0,"constant_bytes":0,"stages":[],)"
      R"("peak":[]})");
}

TEST(Interface, AnotherVersionIsNamedBeforeAnythingElseIsRead) {
  Diagnostic failure = failureOf(R"({"version":2})");
  EXPECT_EQ(failure.rule, "IFC-2");
  EXPECT_EQ(failure.kind, FailureKind::Unsupported);
  EXPECT_NE(failure.message.find("version 2"), std::string::npos);
}

TEST(Interface, MalformedTextIsRefused) {
  const std::string good = toJson(sample());
  const std::string cases[] = {
      "",
      "[]",
      "{}",
      R"({"version":"1"})",
      R"({"version":1})",
      good.substr(0, good.size() - 1),
      replaced(good, "\"int8\"", "\"int9\""),
      replaced(good, "\"type\":\"int8\",", ""),
      replaced(good, "[1,2,3]", "[1,-2,3]"),
      replaced(good, "[1,2,3]", "[4294967296,4294967296]"),
      replaced(good, "\"zero_points\":[3,-128]", "\"zero_points\":[3]"),
      replaced(good, "\"axis\":1", "\"axis\":0"),  // 2 scales, dimension 1
      replaced(good, "\"axis\":1", "\"axis\":3"),  // rank 3
      replaced(good, "\"axis\":1", "\"axis\":-1"), // 2 scales, one grid
      replaced(good, "\"arena_alignment\":128", "\"arena_alignment\":96"),
      replaced(good, "\"arena_alignment\":128", "\"arena_alignment\":0"),
      replaced(good, "\"constant_bytes\":77", "\"constant_bytes\":-1"),
      // Deeper than any stack.
      std::string(10'000'000, '['),
      std::string(R"({"version":1,"x":"\"[[[[")") + std::string(1 << 20, '{'),
  };
  for (const std::string &text : cases)
    EXPECT_EQ(failureOf(text).rule, "IFC-1") << text.substr(0, 2000);
}

TEST(Interface, BracketsInStringsAreText) {
  Interface interface;
  interface.model = R"([[[[[[[[[[{{{{{{{{{{"[[[[\)";
  auto read = interfaceFromJson(toJson(interface));
  ASSERT_TRUE(read) << read.error().str();
  EXPECT_EQ(*read, interface);
}

TEST(Interface, AScaleMustBeAPositiveNumber) {
  for (const char *scale : {"0", "-1", "1e300"}) {
    std::string grid = std::string(R"("quantization":{"min":0,"max":1,)") +
                       R"("axis":-1,"scales":[)" + scale +
                       R"(],"zero_points":[0]})";
    std::string text = replaced(
        toJson(Interface()), R"("inputs":[])",
        R"("inputs":[{"name":"x","type":"uint8","shape":[1],)" + grid + "}]");
    Diagnostic failure = failureOf(text);
    EXPECT_EQ(failure.rule, "IFC-1");
    EXPECT_NE(failure.message.find("positive fp32"), std::string::npos)
        << failure.message;
  }
}

TEST(Interface, BytesOfATensor) {
  TensorInterface tensor{"x", eval::Element::I32, {2, 3}, std::nullopt};
  EXPECT_EQ(tensor.byteCount(), 2 * 3 * 4);
}
