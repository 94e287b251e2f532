//===- OnnxReaderTest.cpp - graphs, values, constants ---------------------===//

#include "tally/model/OnnxTestModel.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace tally;
using namespace tally::model;
using namespace tally::model::test;

namespace {

Model mustRead(const onnx::ModelProto &proto) {
  Result<Model> model = readBack(proto);
  if (!model) {
    ADD_FAILURE() << model.error().str();
    return {};
  }
  return std::move(*model);
}

TEST(OnnxReader, ReadsTheModelsOwnFields) {
  onnx::ModelProto proto = reluModel();
  proto.set_producer_name("maker");
  proto.set_producer_version("1.2");
  proto.set_domain("org");
  proto.set_model_version(9);
  proto.set_doc_string("what\xFF");
  auto *entry = proto.add_metadata_props();
  entry->set_key("k");
  entry->set_value("v");
  Model model = mustRead(proto);
  EXPECT_EQ(model.irVersion, 8);
  EXPECT_EQ(model.opsets,
            (std::map<std::string, int64_t>{{"", 17}, {"my", 1}}));
  EXPECT_EQ(model.producerName, "maker");
  EXPECT_EQ(model.producerVersion, "1.2");
  EXPECT_EQ(model.domain, "org");
  EXPECT_EQ(model.modelVersion, 9);
  EXPECT_EQ(model.doc, "what\\xFF");
  EXPECT_EQ(model.metadata.at("k"), "v");
}

TEST(OnnxReader, ReadsAFileAndItsExternalData) {
  Folder folder;
  onnx::ModelProto proto = reluModel();
  auto *weight = addExternalWeight(proto, "sub/w.bin");
  addExternalEntry(weight, "offset", "4");
  addExternalEntry(weight, "length", "8");
  std::filesystem::create_directory(folder / "sub");
  folder.write("sub/w.bin", "....12345678");
  folder.write("m.onnx", proto.SerializeAsString());
  for (ExternalData mode : {ExternalData::Copy, ExternalData::Map}) {
    Result<Model> model = readOnnxFile(folder / "m.onnx", {mode});
    ASSERT_TRUE(model) << model.error().str();
    const TensorData &tensor = model->graph.initializers.at(0);
    ASSERT_EQ(tensor.bytes.size(), 8u);
    EXPECT_EQ(std::memcmp(tensor.bytes.data(), "12345678", 8), 0);
  }
}

TEST(OnnxReader, TakesShapesAsTheyAre) {
  onnx::ModelProto proto = reluModel();
  auto *input = proto.mutable_graph()->mutable_input(0);
  auto *shape = input->mutable_type()->mutable_tensor_type()->mutable_shape();
  shape->clear_dim();
  shape->add_dim()->set_dim_value(0);
  shape->add_dim()->set_dim_param("batch");
  shape->add_dim()->set_dim_param("");
  shape->add_dim()->set_dim_param("?");
  shape->add_dim()->set_dim_value(-1);
  shape->add_dim();
  auto *output = proto.mutable_graph()->mutable_output(0);
  output->mutable_type()->mutable_tensor_type()->clear_shape();
  Graph graph = mustRead(proto).graph;
  EXPECT_EQ(
      *graph.inputs[0].dims,
      (std::vector<Dim>{Dim::fixed(0), Dim::named("batch"), Dim::unknown(),
                        Dim::unknown(), Dim::unknown(), Dim::unknown()}));
  EXPECT_FALSE(graph.outputs[0].dims.has_value());
  EXPECT_EQ(graph.outputs[0].type, ElementType::Float32);
}

TEST(OnnxReader, DescribesWhatIsNoTensor) {
  onnx::ModelProto proto = reluModel();
  auto *input = proto.mutable_graph()->add_input();
  input->set_name("s");
  auto *map = input->mutable_type()
                  ->mutable_sequence_type()
                  ->mutable_elem_type()
                  ->mutable_map_type();
  map->set_key_type(7);
  map->mutable_value_type()
      ->mutable_optional_type()
      ->mutable_elem_type()
      ->mutable_tensor_type()
      ->set_elem_type(1);
  Graph graph = mustRead(proto).graph;
  EXPECT_FALSE(graph.inputs[1].isTensor());
  EXPECT_EQ(graph.inputs[1].nonTensor,
            "sequence(map(int64, optional(tensor(float32))))");
}

TEST(OnnxReader, SeparatesInputsFromInitializers) {
  onnx::ModelProto proto = reluModel();
  addWeight(proto)->set_raw_data("12345678");
  setValue(proto.mutable_graph()->add_input(), "w", {2});
  Graph graph = mustRead(proto).graph;
  ASSERT_EQ(graph.inputs.size(), 1u);
  EXPECT_EQ(graph.inputs[0].name, "x");
  ASSERT_EQ(graph.initializers.size(), 1u);
  EXPECT_EQ(graph.initializers[0].name, "w");
}

TEST(OnnxReader, SortsNodes) {
  onnx::ModelProto proto = reluModel();
  onnx::GraphProto &graph = *proto.mutable_graph();
  graph.mutable_node(0)->set_input(0, "t");
  addNode(graph, "Abs", {"x"}, {"t"});
  Model model = mustRead(proto);
  EXPECT_EQ(model.graph.nodes[0].name, "Abs_1");
  EXPECT_EQ(model.graph.nodes[1].name, "Relu_0");
}

TEST(OnnxReader, NamesNodesApart) {
  // Explicit names keep their place, whoever comes first.
  onnx::ModelProto proto = reluModel();
  onnx::GraphProto &graph = *proto.mutable_graph();
  addNode(graph, "Abs", {"x"}, {"a"})->set_name("Relu_0");
  addNode(graph, "Abs", {"x"}, {"b"})->set_name("Relu_0");
  addNode(graph, "Abs", {"x"}, {"c"});
  Model model = mustRead(proto);
  std::vector<std::string> names;
  for (const Node &node : model.graph.nodes)
    names.push_back(node.name);
  EXPECT_EQ(names, (std::vector<std::string>{"Relu_0_2", "Relu_0", "Relu_0_3",
                                             "Abs_3"}));
}

TEST(OnnxReader, KnowsTheStandardDomainByBothNames) {
  onnx::ModelProto proto = reluModel();
  proto.mutable_graph()->mutable_node(0)->set_domain("ai.onnx");
  Model model = mustRead(proto);
  EXPECT_EQ(model.graph.nodes[0].domain, "");
  EXPECT_EQ(model.graph.nodes[0].opset, 17);
}

TEST(OnnxReader, ReadsAttributesOfEveryKind) {
  onnx::ModelProto proto = reluModel();
  onnx::NodeProto *node = proto.mutable_graph()->mutable_node(0);
  addAttribute(node, "f", 1)->set_f(1.5f);
  addAttribute(node, "i", 2)->set_i(-3);
  addAttribute(node, "s", 3)->set_s("SAME_UPPER");
  auto *floats = addAttribute(node, "floats", 6);
  floats->add_floats(1);
  floats->add_floats(2);
  addAttribute(node, "ints", 7)->add_ints(4);
  addAttribute(node, "strings", 8)->add_strings("a");
  auto *tensor = addAttribute(node, "tensors", 9)->add_tensors();
  tensor->set_data_type(2);
  tensor->set_raw_data("z");
  addAttribute(node, "graphs", 10)->add_graphs()->set_name("inner");
  addAttribute(node, "type", 13)
      ->mutable_tp()
      ->mutable_tensor_type()
      ->set_elem_type(3);
  addAttribute(node, "types", 14)->add_type_protos();
  addAttribute(node, "zero", 2); // writers may leave out a zero
  Model model = mustRead(proto);
  const Node &read = model.graph.nodes[0];
  EXPECT_EQ(*read.attributeAs<float>("f"), 1.5f);
  EXPECT_EQ(*read.attributeAs<int64_t>("i"), -3);
  EXPECT_EQ(*read.attributeAs<std::string>("s"), "SAME_UPPER");
  EXPECT_EQ(*read.attributeAs<std::vector<float>>("floats"),
            (std::vector<float>{1, 2}));
  EXPECT_EQ(*read.attributeAs<std::vector<int64_t>>("ints"),
            (std::vector<int64_t>{4}));
  EXPECT_EQ(*read.attributeAs<std::vector<std::string>>("strings"),
            (std::vector<std::string>{"a"}));
  EXPECT_EQ(read.attributeAs<std::vector<TensorData>>("tensors")->at(0).type,
            ElementType::UInt8);
  EXPECT_EQ(
      read.attributeAs<std::vector<Attribute::GraphPtr>>("graphs")->at(0)->name,
      "inner");
  EXPECT_EQ(read.attributeAs<ValueInfo>("type")->type, ElementType::Int8);
  EXPECT_EQ(read.attributeAs<std::vector<ValueInfo>>("types")->size(), 1u);
  EXPECT_EQ(*read.attributeAs<int64_t>("zero"), 0);
}

TEST(OnnxReader, TurnsConstantsIntoInitializers) {
  onnx::ModelProto proto = reluModel();
  onnx::GraphProto &graph = *proto.mutable_graph();
  addAttribute(addNode(graph, "Constant", {}, {"i"}), "value_int", 2)
      ->set_i(-1);
  auto *ints =
      addAttribute(addNode(graph, "Constant", {}, {"is"}), "value_ints", 7);
  ints->add_ints(1);
  ints->add_ints(2);
  addAttribute(addNode(graph, "Constant", {}, {"f"}), "value_float", 1)
      ->set_f(1);
  addAttribute(addNode(graph, "Constant", {}, {"fs"}), "value_floats", 6);
  auto *tensor = addAttribute(addNode(graph, "Constant", {}, {"t"}), "value", 4)
                     ->mutable_t();
  tensor->set_data_type(2);
  tensor->set_raw_data("q");
  Graph read = mustRead(proto).graph;
  ASSERT_EQ(read.nodes.size(), 1u);
  ASSERT_EQ(read.initializers.size(), 5u);
  const auto &list = read.initializers;
  EXPECT_EQ(list[0].name, "i");
  EXPECT_EQ(list[0].type, ElementType::Int64);
  EXPECT_TRUE(list[0].dims.empty());
  int64_t number;
  std::memcpy(&number, list[0].bytes.data(), sizeof(number));
  EXPECT_EQ(number, -1);
  EXPECT_EQ(list[1].dims, (std::vector<int64_t>{2}));
  EXPECT_EQ(list[1].bytes.size(), 16u);
  EXPECT_EQ(list[2].type, ElementType::Float32);
  EXPECT_EQ(list[3].dims, (std::vector<int64_t>{0}));
  EXPECT_EQ(list[4].name, "t");
}

TEST(OnnxReader, LetsBranchesReadOuterValues) {
  onnx::ModelProto proto = reluModel();
  onnx::GraphProto &graph = *proto.mutable_graph();
  auto *node = addNode(graph, "If", {"x"}, {"z"});
  for (const char *name : {"then_branch", "else_branch"}) {
    auto *branch = addAttribute(node, name, 5)->mutable_g();
    addNode(*branch, "Abs", {"late"}, {"t"}); // siblings may share names
    setValue(branch->add_output(), "t", {2});
  }
  addNode(graph, "Neg", {"x"}, {"late"});
  Graph read = mustRead(proto).graph;
  EXPECT_EQ(read.nodes[1].opType, "Neg");
  EXPECT_EQ(read.nodes[2].opType, "If");
  auto *branch = read.nodes[2].attributeAs<Attribute::GraphPtr>("else_branch");
  EXPECT_EQ((*branch)->nodes[0].inputs[0], "late");
}

TEST(OnnxReader, KeepsTheFirstOfDoubleHints) {
  onnx::ModelProto proto = reluModel();
  addNode(*proto.mutable_graph(), "Abs", {"x"}, {"t"});
  setValue(proto.mutable_graph()->add_value_info(), "t", {2});
  setValue(proto.mutable_graph()->add_value_info(), "t", {3});
  setValue(proto.mutable_graph()->add_value_info(), "nobody", {3});
  Graph graph = mustRead(proto).graph;
  ASSERT_EQ(graph.valueInfos.size(), 1u);
  EXPECT_EQ(*graph.valueInfos[0].dims, std::vector<Dim>{Dim::fixed(2)});
}

} // namespace
