//===- OnnxTestModel.h - small ONNX files for tests -------------*- C++ -*-===//
//
// Builders for the tests beside: every test starts from a valid model and
// breaks or adds one thing.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_MODEL_ONNXTESTMODEL_H
#define TALLY_MODEL_ONNXTESTMODEL_H

#include "tally/model/OnnxReader.h"
#include "tally/model/onnx.pb.h"
#include "tally/support/TestFolder.h"

#include <filesystem>
#include <fstream>
#include <string>

namespace tally::model::test {

inline onnx::NodeProto *addNode(onnx::GraphProto &graph, std::string opType,
                                std::vector<std::string> inputs,
                                std::vector<std::string> outputs) {
  onnx::NodeProto *node = graph.add_node();
  node->set_op_type(std::move(opType));
  for (std::string &input : inputs)
    node->add_input(std::move(input));
  for (std::string &output : outputs)
    node->add_output(std::move(output));
  return node;
}

inline void setValue(onnx::ValueInfoProto *info, std::string name,
                     std::vector<int64_t> dims) {
  info->set_name(std::move(name));
  auto *type = info->mutable_type()->mutable_tensor_type();
  type->set_elem_type(1);
  type->mutable_shape();
  for (int64_t dim : dims)
    type->mutable_shape()->add_dim()->set_dim_value(dim);
}

inline onnx::OperatorSetIdProto *addOpset(onnx::ModelProto &model,
                                          std::string domain, int64_t version) {
  onnx::OperatorSetIdProto *opset = model.add_opset_import();
  opset->set_domain(std::move(domain));
  opset->set_version(version);
  return opset;
}

/// y = Relu(x), both float32[2]; opsets: standard 17, "my" 1.
inline onnx::ModelProto reluModel() {
  onnx::ModelProto model;
  model.set_ir_version(8);
  addOpset(model, "", 17);
  addOpset(model, "my", 1);
  onnx::GraphProto &graph = *model.mutable_graph();
  graph.set_name("main");
  setValue(graph.add_input(), "x", {2});
  setValue(graph.add_output(), "y", {2});
  addNode(graph, "Relu", {"x"}, {"y"});
  return model;
}

/// A float32[2] initializer named "w" without data.
inline onnx::TensorProto *addWeight(onnx::ModelProto &model) {
  onnx::TensorProto *tensor = model.mutable_graph()->add_initializer();
  tensor->set_name("w");
  tensor->set_data_type(1);
  tensor->add_dims(2);
  return tensor;
}

inline onnx::AttributeProto *addAttribute(onnx::NodeProto *node,
                                          std::string name, int32_t type) {
  onnx::AttributeProto *attribute = node->add_attribute();
  attribute->set_name(std::move(name));
  attribute->set_type(type);
  return attribute;
}

inline Result<Model> readBack(const onnx::ModelProto &model,
                              const std::filesystem::path &folder = {},
                              const ReadOptions &options = {}) {
  std::string bytes = model.SerializeAsString();
  return readOnnxBytes(std::as_bytes(std::span(bytes)), folder, options);
}

/// A folder of its own that goes away with the object.
class Folder {
public:
  std::filesystem::path operator/(const std::string &name) const {
    return path() / name;
  }
  std::filesystem::path path() const { return folder.path("."); }

  std::filesystem::path write(const std::string &name,
                              const std::string &content) const {
    std::ofstream(*this / name, std::ios::binary) << content;
    return *this / name;
  }

private:
  TestFolder folder;
};

/// Adds float32[2] "w" with external data at `location`, bytes [0, 8).
inline onnx::TensorProto *addExternalWeight(onnx::ModelProto &model,
                                            const std::string &location) {
  onnx::TensorProto *tensor = addWeight(model);
  tensor->set_data_location(1);
  auto *entry = tensor->add_external_data();
  entry->set_key("location");
  entry->set_value(location);
  return tensor;
}

inline void addExternalEntry(onnx::TensorProto *tensor, std::string key,
                             std::string value) {
  auto *entry = tensor->add_external_data();
  entry->set_key(std::move(key));
  entry->set_value(std::move(value));
}

/// A function of domain "my" with one input "a" and one output "b".
inline onnx::FunctionProto *addFunction(onnx::ModelProto &model,
                                        std::string name) {
  onnx::FunctionProto *function = model.add_functions();
  function->set_domain("my");
  function->set_name(std::move(name));
  function->add_input("a");
  function->add_output("b");
  return function;
}

inline onnx::NodeProto *addNode(onnx::FunctionProto &function,
                                std::string opType,
                                std::vector<std::string> inputs,
                                std::vector<std::string> outputs,
                                std::string domain = "") {
  onnx::NodeProto *node = function.add_node();
  node->set_op_type(std::move(opType));
  node->set_domain(std::move(domain));
  for (std::string &input : inputs)
    node->add_input(std::move(input));
  for (std::string &output : outputs)
    node->add_output(std::move(output));
  return node;
}

/// z = my.NAME(x), a graph output.
inline onnx::NodeProto *addCall(onnx::ModelProto &model, std::string name) {
  onnx::GraphProto &graph = *model.mutable_graph();
  onnx::NodeProto *call = addNode(graph, std::move(name), {"x"}, {"z"});
  call->set_domain("my");
  setValue(graph.add_output(), "z", {2});
  return call;
}

} // namespace tally::model::test

#endif // TALLY_MODEL_ONNXTESTMODEL_H
