//===- OnnxFunctionsTest.cpp - calls replaced by bodies -------------------===//

#include "tally/model/OnnxTestModel.h"

#include <gtest/gtest.h>

using namespace tally;
using namespace tally::model;
using namespace tally::model::test;

namespace {

/// "name: out = Op(in, in)" for each node.
std::vector<std::string> lines(const Graph &graph) {
  std::vector<std::string> result;
  for (const Node &node : graph.nodes) {
    std::string line = node.name + ":";
    for (const std::string &output : node.outputs)
      line += " " + output;
    line += " = " + node.fullOpType() + "(";
    for (const std::string &input : node.inputs)
      line += (line.back() == '(' ? "" : ", ") + input;
    result.push_back(line + ")");
  }
  return result;
}

using Lines = std::vector<std::string>;

Model mustRead(const onnx::ModelProto &proto) {
  Result<Model> model = readBack(proto);
  if (!model) {
    ADD_FAILURE() << model.error().str();
    return {};
  }
  return std::move(*model);
}

TEST(OnnxFunctions, RenamesTheBody) {
  onnx::ModelProto proto = reluModel();
  auto *function = addFunction(proto, "F");
  addNode(*function, "Abs", {"a"}, {"t"});
  addNode(*function, "Sqrt", {"t"}, {"b"})->set_name("root");
  addCall(proto, "F")->set_name("call");
  EXPECT_EQ(lines(mustRead(proto).graph),
            (Lines{"Relu_0: y = Relu(x)", "call/Abs_0: call/t = Abs(x)",
                   "call/root: z = Sqrt(call/t)"}));
}

TEST(OnnxFunctions, AvoidsNamesThatExist) {
  onnx::ModelProto proto = reluModel();
  addNode(*proto.mutable_graph(), "Neg", {"x"}, {"call/t"})
      ->set_name("call/Abs_0");
  auto *function = addFunction(proto, "F");
  addNode(*function, "Abs", {"a"}, {"t"});
  addNode(*function, "Sqrt", {"t"}, {"b"});
  addCall(proto, "F")->set_name("call");
  EXPECT_EQ(lines(mustRead(proto).graph),
            (Lines{"Relu_0: y = Relu(x)", "call/Abs_0: call/t = Neg(x)",
                   "call/Abs_0_2: call/t_2 = Abs(x)",
                   "call/Sqrt_1: z = Sqrt(call/t_2)"}));
}

TEST(OnnxFunctions, InlinesCallsInBodies) {
  onnx::ModelProto proto = reluModel();
  auto *outer = addFunction(proto, "Outer");
  addNode(*outer, "Inner", {"a"}, {"t"}, "my")->set_name("first");
  addNode(*outer, "Inner", {"t"}, {"b"}, "my")->set_name("second");
  addNode(*addFunction(proto, "Inner"), "Abs", {"a"}, {"b"});
  addCall(proto, "Outer")->set_name("o");
  EXPECT_EQ(lines(mustRead(proto).graph),
            (Lines{"Relu_0: y = Relu(x)", "o/first/Abs_0: o/t = Abs(x)",
                   "o/second/Abs_0: z = Abs(o/t)"}));
}

TEST(OnnxFunctions, ChoosesByOverload) {
  onnx::ModelProto proto = reluModel();
  addNode(*addFunction(proto, "F"), "Abs", {"a"}, {"b"});
  auto *special = addFunction(proto, "F");
  special->set_overload("special");
  addNode(*special, "Neg", {"a"}, {"b"});
  addCall(proto, "F")->set_overload("special");
  EXPECT_EQ(lines(mustRead(proto).graph)[1], "F_1/Neg_0: z = Neg(x)");
}

TEST(OnnxFunctions, CopiesInputsThatAreOutputs) {
  // F(a) -> (a, b, b): the first output is the input, the third the second.
  onnx::ModelProto proto = reluModel();
  auto *function = addFunction(proto, "F");
  function->clear_output();
  for (const char *output : {"a", "b", "b"})
    function->add_output(output);
  addNode(*function, "Abs", {"a"}, {"b"});
  auto *call = addCall(proto, "F");
  call->set_name("f");
  call->add_output("z2");
  call->add_output("z3");
  EXPECT_EQ(lines(mustRead(proto).graph),
            (Lines{"Relu_0: y = Relu(x)", "f/Abs_0: z2 = Abs(x)",
                   "f/Identity: z = Identity(x)",
                   "f/Identity_2: z3 = Identity(z2)"}));
}

TEST(OnnxFunctions, LeavesOutWhatTheCallLeavesOut) {
  onnx::ModelProto proto = reluModel();
  auto *function = addFunction(proto, "F");
  function->add_input("low");
  function->add_output("unused");
  addNode(*function, "Clip", {"a", "low"}, {"b"});
  addNode(*function, "Abs", {"a"}, {"unused"});
  addCall(proto, "F");
  Model model = mustRead(proto);
  EXPECT_EQ(lines(model.graph)[1], "F_1/Clip_0: z = Clip(x, )");
  EXPECT_EQ(lines(model.graph)[2], "F_1/Abs_1: F_1/unused = Abs(x)");
  EXPECT_FALSE(model.graph.nodes[1].hasInput(1));
}

/// A function that gives its parameter "p" on as the attribute "k".
onnx::FunctionProto *addReferring(onnx::ModelProto &proto, std::string name,
                                  std::string op, std::string domain) {
  auto *function = addFunction(proto, std::move(name));
  auto *node =
      addNode(*function, std::move(op), {"a"}, {"b"}, std::move(domain));
  addAttribute(node, "k", 2)->set_ref_attr_name("p");
  return function;
}

TEST(OnnxFunctions, BindsAttributes) {
  onnx::ModelProto proto = reluModel();
  addReferring(proto, "F", "Abs", "")->add_attribute("p");
  addAttribute(addCall(proto, "F"), "p", 2)->set_i(7);
  Model model = mustRead(proto);
  ASSERT_TRUE(model.graph.nodes[1].attributeAs<int64_t>("k"));
  EXPECT_EQ(*model.graph.nodes[1].attributeAs<int64_t>("k"), 7);
}

TEST(OnnxFunctions, BindsAttributesThroughTwoCalls) {
  onnx::ModelProto proto = reluModel();
  addReferring(proto, "F", "G", "my")->add_attribute("p");
  auto *inner = addFunction(proto, "G");
  inner->add_attribute("k");
  addAttribute(addNode(*inner, "Abs", {"a"}, {"b"}), "j", 2)
      ->set_ref_attr_name("k");
  addAttribute(addCall(proto, "F"), "p", 2)->set_i(7);
  EXPECT_EQ(*mustRead(proto).graph.nodes[1].attributeAs<int64_t>("j"), 7);
}

TEST(OnnxFunctions, UsesDefaultsOfAttributes) {
  onnx::ModelProto proto = reluModel();
  auto *attribute = addReferring(proto, "F", "Abs", "")->add_attribute_proto();
  attribute->set_name("p");
  attribute->set_type(2);
  attribute->set_i(5);
  addCall(proto, "F");
  EXPECT_EQ(*mustRead(proto).graph.nodes[1].attributeAs<int64_t>("k"), 5);
}

TEST(OnnxFunctions, DropsReferencesWithoutAValue) {
  onnx::ModelProto proto = reluModel();
  addReferring(proto, "F", "Abs", "")->add_attribute("p");
  addCall(proto, "F");
  EXPECT_EQ(mustRead(proto).graph.nodes[1].attribute("k"), nullptr);
}

TEST(OnnxFunctions, KeepsTheBodysOpset) {
  onnx::ModelProto proto = reluModel();
  auto *function = addFunction(proto, "F");
  function->add_opset_import()->set_version(13);
  addNode(*function, "Abs", {"a"}, {"b"});
  addCall(proto, "F");
  Model model = mustRead(proto);
  EXPECT_EQ(model.opsets.at(""), 17);
  EXPECT_EQ(model.graph.nodes[0].opset, 17);
  EXPECT_EQ(model.graph.nodes[1].opset, 13);
}

TEST(OnnxFunctions, SharesConstantsOfBodies) {
  // Two calls, one constant: two initializers with the same bytes in memory.
  onnx::ModelProto proto = reluModel();
  auto *function = addFunction(proto, "F");
  auto *constant = addNode(*function, "Constant", {}, {"c"});
  auto *tensor = addAttribute(constant, "value", 4)->mutable_t();
  tensor->set_data_type(3);
  tensor->add_dims(2);
  tensor->add_int32_data(-1);
  tensor->add_int32_data(2);
  addNode(*function, "Add", {"a", "c"}, {"b"});
  addCall(proto, "F")->set_name("f");
  auto *second = addNode(*proto.mutable_graph(), "F", {"x"}, {"u"});
  second->set_domain("my");
  second->set_name("g");
  Graph graph = mustRead(proto).graph;
  ASSERT_EQ(graph.initializers.size(), 2u);
  EXPECT_EQ(graph.initializers[0].name, "f/c");
  EXPECT_EQ(graph.initializers[1].name, "g/c");
  EXPECT_EQ(graph.initializers[0].bytes.data(),
            graph.initializers[1].bytes.data());
  EXPECT_EQ(lines(graph)[2], "g/Add_1: u = Add(x, g/c)");
}

TEST(OnnxFunctions, RenamesGraphsInBodies) {
  // The branch reads the body's t and has a value and a weight of its own; the
  // second copy must have names of its own too.
  onnx::ModelProto proto = reluModel();
  auto *function = addFunction(proto, "F");
  addNode(*function, "Abs", {"a"}, {"t"});
  auto *branch =
      addAttribute(addNode(*function, "If", {"a"}, {"b"}), "then_branch", 5)
          ->mutable_g();
  auto *weight = branch->add_initializer();
  weight->set_name("w");
  weight->set_data_type(3);
  weight->add_int32_data(4);
  addNode(*branch, "Add", {"t", "w"}, {"s"});
  setValue(branch->add_output(), "s", {2});
  addCall(proto, "F")->set_name("f");
  auto *second = addNode(*proto.mutable_graph(), "F", {"x"}, {"u"});
  second->set_domain("my");
  second->set_name("g");
  Graph graph = mustRead(proto).graph;
  auto *copy = graph.nodes[4].attributeAs<Attribute::GraphPtr>("then_branch");
  ASSERT_TRUE(copy);
  EXPECT_EQ(lines(**copy), Lines{"g/Add_0: g/s = Add(g/t, g/w)"});
  EXPECT_EQ((*copy)->initializers[0].name, "g/w");
  EXPECT_EQ((*copy)->outputs[0].name, "g/s");
}

TEST(OnnxFunctions, ForgetsSymbolsOfBodies) {
  onnx::ModelProto proto = reluModel();
  auto *function = addFunction(proto, "F");
  addNode(*function, "Abs", {"a"}, {"t"});
  addNode(*function, "Abs", {"t"}, {"b"});
  setValue(function->add_value_info(), "t", {2});
  auto *shape = function->mutable_value_info(0)
                    ->mutable_type()
                    ->mutable_tensor_type()
                    ->mutable_shape();
  shape->add_dim()->set_dim_param("N");
  addCall(proto, "F")->set_name("f");
  Graph graph = mustRead(proto).graph;
  ASSERT_EQ(graph.valueInfos.size(), 1u);
  EXPECT_EQ(graph.valueInfos[0].name, "f/t");
  EXPECT_EQ(*graph.valueInfos[0].dims,
            (std::vector<Dim>{Dim::fixed(2), Dim::unknown()}));
}

} // namespace
