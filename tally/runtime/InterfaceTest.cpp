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
  interface.emulated = true;
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
  Diagnostic failure = failureOf(R"({"version":3})");
  EXPECT_EQ(failure.rule, "IFC-2");
  EXPECT_EQ(failure.kind, FailureKind::Unsupported);
  EXPECT_NE(failure.message.find("version 3"), std::string::npos);
}

/// Two states that take over each other's slot, and one that flips.
static Interface stateful() {
  Interface interface = sample();
  eval::Quantization grid{-128, 127, {0.5f}, {-17}, -1};
  StateInterface a{{"a", eval::Element::I8, {2, 3}, grid}};
  a.policy = StatePolicy::Exchange;
  a.isRead = true;
  a.initial = std::string(6, char(-17));
  StateInterface b = a;
  b.tensor.name = "b";
  b.current = b.next = 1;
  b.initial = std::string("\0\1\2\3\4\5", 6);
  StateInterface c{{"c", eval::Element::F32, {1}, std::nullopt}};
  c.current = 2;
  c.next = 3;
  c.isWritten = true;
  c.writtenBytes = c.copiedBytes = 4;
  c.reason = "an input";
  interface.states = {a, b, c};
  interface.slotBytes = {6, 6, 4, 4};
  interface.commit = {1, 0, 3, 2};
  interface.stateHash = 0xfedcba9876543210;
  return interface;
}

TEST(Interface, StatesComeBackEqualAndMakeItVersion2) {
  std::string text = toJson(stateful());
  auto back = interfaceFromJson(text);
  ASSERT_TRUE(back) << back.error().str();
  EXPECT_EQ(*back, stateful());
  EXPECT_NE(text.find(R"({"version":2,)"), std::string::npos);
  // 6 equal bytes are written as one: 0xef in base 64.
  EXPECT_NE(text.find(R"("initial":"7w==")"), std::string::npos);
}

TEST(Interface, PointersOfStatesStandBehindTheModelsOwn) {
  Interface interface = stateful();          // 1 input, 2 outputs
  EXPECT_EQ(interface.inputPointers(), 3u);  // and a, b
  EXPECT_EQ(interface.outputPointers(), 3u); // and c
}

TEST(Interface, StatesStayWithinSlotsOfTheirOwn) {
  auto ruleOf = [](void (*damage)(Interface &)) {
    Interface interface = stateful();
    damage(interface);
    return failureOf(toJson(interface)).rule;
  };
  EXPECT_EQ(ruleOf([](Interface &i) { i.states[0].current = 4; }), "IFC-3");
  EXPECT_EQ(ruleOf([](Interface &i) { i.states[0].next = -1; }), "IFC-3");
  EXPECT_EQ(ruleOf([](Interface &i) { i.slotBytes[0] = 5; }), "IFC-3");
  EXPECT_EQ(ruleOf([](Interface &i) { i.states[0].advance = 1; }), "IFC-3");
  EXPECT_EQ(ruleOf([](Interface &i) { i.states[0].advance = -1; }), "IFC-3");
  EXPECT_EQ(ruleOf([](Interface &i) { i.states[0].target = -1; }), "IFC-3");
  EXPECT_EQ(ruleOf([](Interface &i) { i.states[0].extent = 5; }), "IFC-3");
  EXPECT_EQ(ruleOf([](Interface &i) { i.states[0].rows = 0; }), "IFC-3");
  EXPECT_EQ(ruleOf([](Interface &i) { i.states[0].rows = 2; }), "IFC-3");
  // commit: an entry twice, one that is not there, slots of two sizes.
  EXPECT_EQ(ruleOf([](Interface &i) { i.commit[0] = 0; }), "IFC-3");
  EXPECT_EQ(ruleOf([](Interface &i) { i.commit[0] = 9; }), "IFC-3");
  EXPECT_EQ(ruleOf([](Interface &i) { i.commit = {3, 0, 1, 2}; }), "IFC-3");
  EXPECT_EQ(ruleOf([](Interface &i) { i.commit.pop_back(); }), "IFC-3");
  EXPECT_EQ(ruleOf([](Interface &i) { i.states[0].initial = "abc"; }), "IFC-1");
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
