//===- ElementwiseImportTest.cpp - elementwise rows of the importer -------===//

#include "tally/graph/import/TestNode.h"

using namespace tally;
using namespace tally::nn::test;
using model::ElementType;

namespace {

using Names = std::vector<std::string>;
constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(ElementwiseImport, ClipTakesAttributesBeforeOpset11) {
  OneNode node("Clip", 6);
  node.input(value<float>({-3, 2, kInf})).attribute("min", 0.0f);
  // The default of max is the largest finite number.
  expect<float>(node, {0, 2, std::numeric_limits<float>::max()});
  EXPECT_EQ(node.operators(), Names{"clip"});
}

TEST(ElementwiseImport, ClipTakesConstantOperands) {
  OneNode node("Clip", 13);
  node.input(value<float>({-3, 2, kInf}))
      .absent()
      .constant(scalar<float>(1.5f));
  expect<float>(node, {-3, 1.5f, 1.5f});
  EXPECT_EQ(node.operators(), (Names{"constant", "clip"}));
}

TEST(ElementwiseImport, ClipWithRuntimeBoundsIsMaxAndMin) {
  OneNode node("Clip", 13);
  node.input(value<float>({-3, 2, 9}))
      .input(scalar<float>(-1))
      .input(value<float>({4}));
  expect<float>(node, {-1, 2, 4});
  EXPECT_EQ(node.operators(), (Names{"max", "reshape", "min"}));
}

TEST(ElementwiseImport, ClipOfIntegersStaysInIntegers) {
  OneNode node("Clip", 13);
  node.input(value<int8_t>({-128, 5, 127}))
      .constant(scalar<int8_t>(-3))
      .constant(scalar<int8_t>(100));
  expect<int8_t>(node, {-3, 5, 100});
}

TEST(ElementwiseImport, ClipOfDoubles) {
  OneNode node("Clip", 13);
  node.input(value<double>({-3, 2})).constant(scalar<double>(-1e-300));
  expect<double>(node, {-1e-300, 2});
}

TEST(ElementwiseImport, ClipRefusesNanAndVectors) {
  OneNode node("Clip", 13);
  node.input(value<float>({1})).constant(scalar<float>(kNan));
  EXPECT_NE(node.error().find("CLIP-1"), std::string::npos) << node.error();
  OneNode old("Clip", 6);
  old.input(value<float>({1})).attribute("max", kNan);
  EXPECT_NE(old.error().find("CLIP-1"), std::string::npos) << old.error();
  OneNode vector("Clip", 13);
  vector.input(value<float>({1, 2})).constant(value<float>({1, 2}));
  EXPECT_NE(vector.error().find("is not a scalar"), std::string::npos)
      << vector.error();
}

TEST(ElementwiseImport, SquareIsAProduct) {
  OneNode node("Pow", 15);
  node.input(value<float>({-3, 0.1f})).constant(scalar<float>(2));
  expect<float>(node, {9, 0.1f * 0.1f});
  EXPECT_EQ(node.operators(), (Names{"constant", "mul"}));
  OneNode integers("Pow", 15);
  integers.input(value<int32_t>({-3})).constant(scalar<int64_t>(2));
  expect<int32_t>(integers, {9});
}

TEST(ElementwiseImport, OtherPowers) {
  OneNode node("Pow", 15);
  node.input(value<int32_t>({2, -1, 3})).input(value<float>({10, 3, 0.5f}));
  expect<int32_t>(node, {1024, -1, 1});
  // Of a higher rank than the base: the result's shape is not the base's.
  OneNode shaped("Pow", 15);
  shaped.input(scalar<float>(3)).constant(value<float>({2}));
  EXPECT_EQ(shaped.operators(), (Names{"constant", "pow"}));
}

TEST(ElementwiseImport, VariadicOperatorsAreChains) {
  auto three = [](const char *op) {
    OneNode node(op, 13);
    for (float x : {1.0f, 4.0f, 4.0f})
      node.input(value<float>({x}));
    return node.run();
  };
  EXPECT_EQ(three("Sum")->data<float>()[0], 9);
  EXPECT_EQ(three("Mean")->data<float>()[0], 3);
  EXPECT_EQ(three("Max")->data<float>()[0], 4);
  EXPECT_EQ(three("Min")->data<float>()[0], 1);
  OneNode one("Max", 13);
  one.input(value<float>({7}));
  expect<float>(one, {7});
  OneNode none("Sum", 13);
  EXPECT_EQ(none.error(), "node 'n': Sum: operand 0 is missing [IMP-11]");
}

TEST(ElementwiseImport, CastByNumberAndByExample) {
  OneNode cast("Cast", 13);
  cast.input(value<float>({-1.9f, 300, kNan})).attribute("to", int64_t(3));
  expect<int8_t>(cast, {-1, 127, 0});
  OneNode like("CastLike", 15);
  like.input(value<float>({-1.9f})).input(value<int64_t>({5, 6}));
  expect<int64_t>(like, {-1});
  OneNode none("Cast", 13);
  none.input(value<float>({1})).attribute("to", int64_t(1));
  EXPECT_EQ(none.operators(), Names{});
}

TEST(ElementwiseImport, CastRefusesTypesWithoutExecutor) {
  OneNode node("Cast", 19);
  node.input(value<float>({1})).attribute("to", int64_t(17)); // float8
  EXPECT_NE(node.error().find("cannot cast to float8e4m3fn"), std::string::npos)
      << node.error();
}

TEST(ElementwiseImport, GeluForms) {
  // -3 Phi(-3) = -0.00405 exactly, -0.00364 by the tanh form.
  OneNode exact("Gelu", 20), tanh("Gelu", 20), other("Gelu", 20);
  exact.input(value<float>({-3}));
  tanh.input(value<float>({-3})).attribute("approximate", std::string("tanh"));
  other.input(value<float>({-3})).attribute("approximate", std::string("x"));
  EXPECT_NEAR(exact.run()->data<float>()[0], -0.0040497f, 1e-6f);
  EXPECT_NEAR(tanh.run()->data<float>()[0], -0.0036373f, 1e-6f);
  EXPECT_NE(other.error().find("approximate is 'x'"), std::string::npos);
}

TEST(ElementwiseImport, MicrosoftGelus) {
  auto run = [](const char *op, bool bias) {
    OneNode node(op, 1, "com.microsoft");
    node.input(value<float>({bias ? -5.0f : -3.0f}));
    if (bias)
      node.input(value<float>({2}));
    return node.run()->data<float>()[0];
  };
  EXPECT_NEAR(run("Gelu", false), -0.0040497f, 1e-6f);
  EXPECT_NEAR(run("BiasGelu", true), -0.0040497f, 1e-6f);
  EXPECT_NEAR(run("FastGelu", true), -0.0036373f, 1e-6f);
  EXPECT_NEAR(run("FastGelu", false), -0.0036373f, 1e-6f);
  // -3 / (1 + e^(3 * 1.702))
  EXPECT_NEAR(run("QuickGelu", false), -0.018065f, 1e-5f);
}

TEST(ElementwiseImport, DefaultsOfParameters) {
  auto run = [](const char *op, float x, int64_t opset = 24) {
    OneNode node(op, opset);
    node.input(value<float>({x}));
    auto result = node.run();
    EXPECT_TRUE(result) << op;
    return result ? result->data<float>()[0] : 0;
  };
  EXPECT_EQ(run("LeakyRelu", -1), -0.01f);
  EXPECT_EQ(run("ThresholdedRelu", 1), 0);
  EXPECT_EQ(run("ThresholdedRelu", 1.5f), 1.5f);
  EXPECT_EQ(run("HardSigmoid", 1), 0.2f + 0.5f);
  EXPECT_EQ(run("Elu", -kInf), -1);
  EXPECT_EQ(run("Celu", -kInf), -1);
  EXPECT_EQ(run("Selu", 1), 1.05070102214813232421875f);
  EXPECT_EQ(run("Selu", -kInf),
            1.05070102214813232421875f * -1.67326319217681884765625f);
  EXPECT_NEAR(run("Swish", 1), 0.731058578f, 1e-6f);
}

TEST(ElementwiseImport, BitShiftNeedsADirection) {
  OneNode left("BitShift", 11), none("BitShift", 11);
  left.input(value<uint8_t>({3}))
      .input(value<uint8_t>({2}))
      .attribute("direction", std::string("LEFT"));
  none.input(value<uint8_t>({3})).input(value<uint8_t>({2}));
  expect<uint8_t>(left, {12});
  EXPECT_NE(none.error().find("direction is ''"), std::string::npos);
}

TEST(ElementwiseImport, ModFlavours) {
  OneNode floored("Mod", 13), truncated("Mod", 13), floats("Mod", 13);
  floored.input(value<int8_t>({-7})).input(value<int8_t>({3}));
  truncated.input(value<int8_t>({-7}))
      .input(value<int8_t>({3}))
      .attribute("fmod", int64_t(1));
  floats.input(value<float>({-7})).input(value<float>({3}));
  expect<int8_t>(floored, {2});
  expect<int8_t>(truncated, {-1});
  EXPECT_NE(floats.error().find("MOD-1"), std::string::npos);
}

TEST(ElementwiseImport, WhereOfThreeShapes) {
  OneNode node("Where", 9);
  Value condition = value<uint8_t>({1, 0}, std::vector<int64_t>{2, 1});
  condition.type = ElementType::Bool;
  node.input(condition).input(value<float>({1, 2})).input(scalar<float>(5));
  expect<float>(node, {1, 2, 5, 5});
}

/// A, its scale and zero point, ..., of com.microsoft's operators.
void addCodes(OneNode &node, std::vector<int8_t> codes, float scale,
              int8_t zeroPoint) {
  node.input(value<int8_t>(std::move(codes)))
      .constant(scalar<float>(scale))
      .constant(scalar<int8_t>(zeroPoint));
}

OneNode qlinear(const char *op) { return OneNode(op, 1, "com.microsoft"); }

TEST(QLinearImport, AddAndMul) {
  for (auto [op, code] : {std::pair("QLinearAdd", int8_t(15)),
                          std::pair("QLinearMul", int8_t(7))}) {
    OneNode node = qlinear(op);
    addCodes(node, {3}, 0.5f, 1);  // real 1
    addCodes(node, {5}, 0.25f, 0); // real 5/4
    node.constant(scalar<float>(0.125f)).constant(scalar<int8_t>(-3));
    expect<int8_t>(node, {code}); // 18 or 10 eighths, minus 3
  }
}

TEST(QLinearImport, Unary) {
  OneNode sigmoid = qlinear("QLinearSigmoid");
  addCodes(sigmoid, {3, 127}, 0.5f, 3);
  sigmoid.constant(scalar<float>(0.0078125f)).constant(scalar<int8_t>(-7));
  expect<int8_t>(sigmoid, {57, 121}); // 64 and 128 less 7
  OneNode leaky = qlinear("QLinearLeakyRelu");
  addCodes(leaky, {-3, 5}, 0.5f, 1);
  leaky.constant(scalar<float>(0.25f)).attribute("alpha", 0.25f);
  expect<int8_t>(leaky, {-2, 8}); // no zero point: 0 of the input's type
}

TEST(QLinearImport, ProfileReachesTheOperator) {
  OneNode node = qlinear("QLinearAdd");
  addCodes(node, {-128}, 0.5f, 3);
  addCodes(node, {2}, 0.25f, -5);
  node.constant(scalar<float>(0.5f)).constant(scalar<int8_t>(1));
  EXPECT_EQ(node.run()->data<int8_t>()[0], -127);
  EXPECT_EQ(node.run(eval::Profile::OnnxRuntime)->data<int8_t>()[0], -126);
}

TEST(QLinearImport, RefusesScalesPerChannel) {
  OneNode node = qlinear("QLinearSigmoid");
  node.input(value<int8_t>({3, 3}))
      .constant(value<float>({0.5f, 0.25f}))
      .constant(value<int8_t>({0, 0}))
      .constant(scalar<float>(0.5f));
  EXPECT_NE(node.error().find("takes one scale per tensor"), std::string::npos)
      << node.error();
}

TEST(ElementwiseImport, OtherTrigonometryIsRefused) {
  OneNode node("Tan", 7);
  node.input(value<float>({1}));
  EXPECT_NE(node.error().find("Tan"), std::string::npos) << node.error();
}

} // namespace
