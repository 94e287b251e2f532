//===- TestNode.h - models of one node, for tests ---------------*- C++ -*-===//
//
// A test of an import row makes a model of one node, imports it and runs the
// result in the evaluator, or states the error.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_GRAPH_IMPORT_TESTNODE_H
#define TALLY_GRAPH_IMPORT_TESTNODE_H

#include "tally/eval/Evaluator.h"
#include "tally/graph/import/Importer.h"
#include "tally/ops/Ops.h"

#include "gtest/gtest.h"

namespace tally::nn::test {

using model::ElementType;

template <typename T> ElementType typeFor();
template <> inline ElementType typeFor<float>() { return ElementType::Float32; }
template <> inline ElementType typeFor<double>() {
  return ElementType::Float64;
}
template <> inline ElementType typeFor<int8_t>() { return ElementType::Int8; }
template <> inline ElementType typeFor<uint8_t>() { return ElementType::UInt8; }
template <> inline ElementType typeFor<int32_t>() { return ElementType::Int32; }
template <> inline ElementType typeFor<int64_t>() { return ElementType::Int64; }
template <> inline ElementType typeFor<uint64_t>() {
  return ElementType::UInt64;
}

/// A value of the model under test.
struct Value {
  ElementType type;
  std::vector<int64_t> dims;
  std::shared_ptr<std::byte[]> bytes;
  size_t byteCount;
};

template <typename T>
Value value(std::vector<T> numbers,
            std::optional<std::vector<int64_t>> dims = {}) {
  size_t count = numbers.size() * sizeof(T);
  auto bytes = std::make_shared<std::byte[]>(count);
  std::memcpy(bytes.get(), numbers.data(), count);
  return {
      typeFor<T>(),
      dims.value_or(std::vector<int64_t>{static_cast<int64_t>(numbers.size())}),
      bytes, count};
}
template <typename T> Value scalar(T number) {
  return value<T>({number}, std::vector<int64_t>{});
}

/// A model of one node.
class OneNode {
public:
  OneNode(std::string opType, int64_t opset, std::string domain = "") {
    node.opType = std::move(opType);
    node.domain = std::move(domain);
    node.opset = opset;
    node.name = "n";
    node.outputs = {"y"};
  }
  /// Results y, y1, y2, .. in all; one by default.
  OneNode &outputs(size_t count) {
    for (size_t i = node.outputs.size(); i < count; ++i)
      node.outputs.push_back("y" + std::to_string(i));
    return *this;
  }
  /// A run-time input, a constant, an absent operand.
  OneNode &input(const Value &v) {
    model::ValueInfo info;
    info.name = name();
    info.type = v.type;
    info.dims.emplace();
    for (int64_t dim : v.dims)
      info.dims->push_back(model::Dim::fixed(dim));
    graph.inputs.push_back(info);
    eval::Tensor tensor;
    tensor.storage = v.bytes;
    inputs.push_back(tensor);
    node.inputs.push_back(info.name);
    return *this;
  }
  OneNode &constant(const Value &v) {
    model::TensorData data;
    data.name = name();
    data.type = v.type;
    data.dims = v.dims;
    data.bytes = {v.bytes.get(), v.byteCount};
    data.owner = v.bytes;
    graph.initializers.push_back(data);
    node.inputs.push_back(data.name);
    return *this;
  }
  OneNode &absent() {
    node.inputs.push_back("");
    return *this;
  }
  OneNode &attribute(std::string name, model::Attribute::Value v) {
    node.attributes.push_back({std::move(name), std::move(v)});
    return *this;
  }

  Result<mlir::OwningOpRef<mlir::ModuleOp>> import() {
    model::Model model;
    model.opsets[node.domain] = node.opset;
    model.graph = graph;
    model.graph.nodes = {node};
    for (const std::string &name : node.outputs) {
      model::ValueInfo output;
      output.name = name;
      model.graph.outputs.push_back(output);
    }
    return nn::importModel(context, model, {});
  }
  /// The results, or a failure of the import or the run.
  Result<std::vector<eval::Tensor>>
  runAll(eval::Profile profile = eval::Profile::Ideal) {
    auto module = import();
    if (!module)
      return module.takeError();
    auto function = *(*module)->getOps<mlir::func::FuncOp>().begin();
    eval::EvaluatorOptions options;
    options.profile = profile;
    return eval::evaluate(function, inputs, options);
  }
  /// The first result.
  Result<eval::Tensor> run(eval::Profile profile = eval::Profile::Ideal) {
    auto results = runAll(profile);
    if (!results)
      return results.takeError();
    return (*results)[0];
  }
  /// The names of the operators in the imported function.
  std::vector<std::string> operators() {
    auto module = import();
    std::vector<std::string> names;
    if (module)
      (*module)->walk([&](mlir::Operation *op) {
        if (op->getName().getDialectNamespace() == "nn")
          names.push_back(op->getName().stripDialect().str());
      });
    return names;
  }
  std::string error() {
    auto result = run();
    return result ? "" : result.error().str();
  }

private:
  std::string name() { return "x" + std::to_string(node.inputs.size()); }
  mlir::MLIRContext context;
  model::Node node;
  model::Graph graph;
  std::vector<eval::Tensor> inputs;
};

template <typename T> void expect(OneNode &node, std::vector<T> wanted) {
  auto result = node.run();
  ASSERT_TRUE(result) << result.error().str();
  ASSERT_EQ(result->count(), static_cast<int64_t>(wanted.size()));
  for (size_t i = 0; i < wanted.size(); ++i)
    EXPECT_EQ(result->data<T>()[i], wanted[i]) << "element " << i;
}
template <typename T> void expect(OneNode &&node, std::vector<T> wanted) {
  expect(node, std::move(wanted));
}

} // namespace tally::nn::test

#endif // TALLY_GRAPH_IMPORT_TESTNODE_H
