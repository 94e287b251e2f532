//===- OnnxGraph.cpp - graphs and nodes -----------------------------------===//
//
// A graph is read in two passes over its names. First everything it defines is
// declared, so that a second definition, or one that hides an outer name, is
// seen; then inputs of nodes are looked up from the inside out, so that an
// undefined name is seen at the node that reads it. Node order plays no part
// until the end, when GraphOrder sorts what is complete.
//
// Example: an If in the main graph whose branch reads x. The branch's scope
// does not have x, the main graph's does; were x also defined in the branch,
// it would have been refused before.
//
//===----------------------------------------------------------------------===//

#include "tally/model/OnnxGraph.h"

#include "tally/model/GraphOrder.h"
#include "tally/model/OnnxConstant.h"
#include "tally/model/OnnxRules.h"
#include "tally/model/OnnxType.h"

#include <algorithm>

namespace tally::model {

std::string normalDomain(const std::string &domain) {
  return domain == "ai.onnx" ? "" : domain;
}

Status checkName(const std::string &name, std::string_view what,
                 std::string_view node) {
  if (isUtf8(name))
    return Status::success();
  return breaks(OnnxRule::NameEncoding,
                "the " + std::string(what) + " '" + printable(name) +
                    "' is not UTF-8",
                node);
}

std::string readText(const std::string &text) {
  return isUtf8(text) ? text : printable(text, text.size());
}

const std::string *GraphReader::Scope::find(const std::string &name) const {
  for (const Scope *scope = this; scope; scope = scope->outer)
    if (auto found = scope->names.find(name); found != scope->names.end())
      return &found->second;
  return nullptr;
}

Result<Graph> GraphReader::readMain() {
  if (Status status = indexFunctions(); !status)
    return status.takeError();
  reserveNames(model.graph(), nodeNames, valueNames);
  Body body;
  body.opsets = &modelOpsets;
  Result<Graph> graph = readGraph(*model.mutable_graph(), body, nullptr, 0);
  if (!graph)
    return graph;
  for (const ValueInfo &input : graph->inputs)
    if (input.isTensor() && input.type == ElementType::Undefined)
      return breaks(OnnxRule::TypeMissing,
                    "the input of the main graph has no element type",
                    input.name);
  return graph;
}

Result<Graph> GraphReader::readGraph(onnx::GraphProto &proto, const Body &body,
                                     const Scope *outer, int depth) {
  if (depth >= maxDepth)
    return breaks(OnnxRule::LimitDepth,
                  "graphs and function calls nest " + std::to_string(depth) +
                      " deep",
                  proto.name());
  Scope scope{outer, {}};
  if (Status status = declareGraph(proto, body, scope); !status)
    return status.takeError();
  Graph graph;
  if (Status status = fillGraph(proto, {body, scope, depth}, graph); !status)
    return status.takeError();
  return graph;
}

Status GraphReader::fillGraph(onnx::GraphProto &proto, const Place &at,
                              Graph &graph) {
  graph.name = readText(proto.name());
  graph.doc = readText(proto.doc_string());
  if (Status status = readInitializers(proto, at, graph); !status)
    return status;
  if (Status status = readInputs(proto, at, graph); !status)
    return status;
  if (Status status = readNodes(*proto.mutable_node(), at, graph); !status)
    return status;
  if (Status status = readOutputs(proto, at, graph); !status)
    return status;
  if (Status status = readValueInfos(proto.value_info(), at, graph); !status)
    return status;
  // Bodies of functions have added hints too; the first one of a name stays.
  std::unordered_set<std::string> seen;
  std::erase_if(graph.valueInfos, [&](const ValueInfo &info) {
    return !seen.insert(info.name).second;
  });
  return orderNodes(graph);
}

//===----------------------------------------------------------------------===//
// What a graph defines
//===----------------------------------------------------------------------===//

Status GraphReader::declare(const std::string &name, std::string finalName,
                            std::string_view what, Scope &scope) {
  if (name.empty())
    return breaks(OnnxRule::NameEmpty,
                  "there is a " + std::string(what) + " without a name");
  if (Status status = checkName(name, what, name); !status)
    return status;
  if (scope.names.contains(name))
    return breaks(OnnxRule::GraphRedefined,
                  "the " + std::string(what) + " '" + printable(name) +
                      "' is defined a second time",
                  name);
  if (scope.find(name))
    return breaks(OnnxRule::GraphShadowed,
                  "the " + std::string(what) + " '" + printable(name) +
                      "' of a nested graph hides an outer value",
                  name);
  scope.names.emplace(name, std::move(finalName));
  return Status::success();
}

/// Names of the main graph and graphs in it stay; a body's copy needs new ones.
Status GraphReader::declareLocal(const std::string &name, std::string_view what,
                                 const Body &body, Scope &scope) {
  if (!body.function || name.empty())
    return declare(name, name, what, scope);
  std::string finalName = valueNames.fresh(body.prefix + readText(name));
  if (Status status = charge(body, finalName.size()); !status)
    return status;
  return declare(name, std::move(finalName), what, scope);
}

/// Results of nodes; those in `given` have their final name already.
Status
GraphReader::declareNodes(const Nodes &nodes, const Body &body, Scope &scope,
                          const std::map<std::string, std::string> &given) {
  for (const onnx::NodeProto &node : nodes)
    for (const std::string &output : node.output()) {
      if (output.empty())
        continue;
      auto known = given.find(output);
      Status status =
          known == given.end()
              ? declareLocal(output, "node output", body, scope)
              : declare(output, known->second, "node output", scope);
      if (!status)
        return status;
    }
  return Status::success();
}

Status GraphReader::declareGraph(const onnx::GraphProto &proto,
                                 const Body &body, Scope &scope) {
  for (const onnx::ValueInfoProto &input : proto.input())
    if (Status status = declareLocal(input.name(), "graph input", body, scope);
        !status)
      return status;
  // An initializer may repeat a graph input, but not another initializer.
  std::unordered_set<std::string> inputs;
  for (const onnx::ValueInfoProto &input : proto.input())
    inputs.insert(input.name());
  for (const onnx::TensorProto &initializer : proto.initializer()) {
    if (inputs.erase(initializer.name()))
      continue;
    if (Status status =
            declareLocal(initializer.name(), "initializer", body, scope);
        !status)
      return status;
  }
  return declareNodes(proto.node(), body, scope, {});
}

//===----------------------------------------------------------------------===//
// Inputs, initializers, outputs, hints
//===----------------------------------------------------------------------===//

Status GraphReader::readInitializers(onnx::GraphProto &proto, const Place &at,
                                     Graph &graph) {
  if (proto.sparse_initializer_size() > 0)
    return breaks(OnnxRule::TensorSparse, "the graph has sparse initializers",
                  proto.sparse_initializer(0).values().name());
  graph.initializers.reserve(proto.initializer_size());
  for (onnx::TensorProto &initializer : *proto.mutable_initializer()) {
    Result<TensorData> tensor = tensors.read(initializer, initializer.name());
    if (!tensor)
      return tensor.takeError();
    tensor->name = *at.scope.find(initializer.name());
    if (Status status =
            charge(at.body, tensor->name.size() + 8 * tensor->dims.size());
        !status)
      return status;
    graph.initializers.push_back(std::move(*tensor));
  }
  return Status::success();
}

/// Whether an input's declaration leaves room for the tensor.
static bool agrees(const ValueInfo &input, const TensorData &tensor) {
  if (!input.isTensor())
    return false;
  if (input.type != ElementType::Undefined && input.type != tensor.type)
    return false;
  if (!input.dims)
    return true;
  return std::equal(input.dims->begin(), input.dims->end(), tensor.dims.begin(),
                    tensor.dims.end(), [](const Dim &dim, int64_t size) {
                      return dim.kind != Dim::Kind::Fixed || dim.size == size;
                    });
}

Status GraphReader::readInputs(const onnx::GraphProto &proto, const Place &at,
                               Graph &graph) {
  std::unordered_map<std::string_view, const TensorData *> initializers;
  for (const TensorData &tensor : graph.initializers)
    initializers.emplace(tensor.name, &tensor);
  for (const onnx::ValueInfoProto &inputProto : proto.input()) {
    Result<ValueInfo> input = readValueInfo(inputProto, at);
    if (!input)
      return input.takeError();
    auto initializer = initializers.find(input->name);
    if (initializer == initializers.end())
      graph.inputs.push_back(std::move(*input));
    else if (!agrees(*input, *initializer->second))
      return breaks(OnnxRule::GraphInputClash,
                    "the initializer's type or shape is not that of the graph "
                    "input of its name",
                    inputProto.name());
  }
  return Status::success();
}

Status GraphReader::readOutputs(const onnx::GraphProto &proto, const Place &at,
                                Graph &graph) {
  std::unordered_set<std::string> seen;
  for (const onnx::ValueInfoProto &output : proto.output()) {
    const std::string *finalName = at.scope.find(output.name());
    if (!finalName || finalName->empty())
      return breaks(OnnxRule::GraphOutput,
                    "the graph '" + printable(proto.name()) +
                        "' gives out a value that nothing defines",
                    output.name());
    if (!seen.insert(output.name()).second)
      return breaks(OnnxRule::GraphOutputTwice,
                    "the graph '" + printable(proto.name()) +
                        "' lists the output twice",
                    output.name());
    Result<ValueInfo> info = readValueInfo(output, at);
    if (!info)
      return info.takeError();
    graph.outputs.push_back(std::move(*info));
  }
  return Status::success();
}

Status GraphReader::readValueInfos(
    const google::protobuf::RepeatedPtrField<onnx::ValueInfoProto> &protos,
    const Place &at, Graph &graph) {
  for (const onnx::ValueInfoProto &proto : protos) {
    auto found = at.scope.names.find(proto.name());
    if (found == at.scope.names.end() || found->second.empty())
      continue;
    Result<ValueInfo> info = readValueInfo(proto, at);
    if (!info)
      return info.takeError();
    graph.valueInfos.push_back(std::move(*info));
  }
  return Status::success();
}

Result<ValueInfo> GraphReader::readValueInfo(const onnx::ValueInfoProto &proto,
                                             const Place &at) {
  Result<ValueInfo> info = readType(proto.type(), proto.name());
  if (!info)
    return info;
  info->name = *at.scope.find(proto.name());
  if (!at.body.function)
    return info;
  if (Status status =
          charge(at.body, info->name.size() + proto.ByteSizeLong() * 8);
      !status)
    return status.takeError();
  // A symbol of a function's body is not the model's symbol of that name.
  if (info->dims)
    for (Dim &dim : *info->dims)
      if (dim.kind == Dim::Kind::Symbol)
        dim = Dim::unknown();
  return info;
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

Status GraphReader::readNodes(Nodes &nodes, const Place &at, Graph &graph) {
  for (int index = 0; index < nodes.size(); ++index)
    if (Status status = readNode(nodes[index], index, at, graph); !status)
      return status;
  return Status::success();
}

Result<std::string> GraphReader::nodeName(const onnx::NodeProto &proto,
                                          int index, const Place &at) {
  if (Status status = checkName(proto.name(), "node name"); !status)
    return status.takeError();
  std::string base = proto.name().empty()
                         ? proto.op_type() + "_" + std::to_string(index)
                         : proto.name();
  if (at.body.function)
    return nodeNames.fresh(at.body.prefix + base);
  return proto.name().empty() ? nodeNames.fresh(base)
                              : nodeNames.original(base);
}

Status GraphReader::readNode(onnx::NodeProto &proto, int index, const Place &at,
                             Graph &graph) {
  if (proto.op_type().empty())
    return breaks(OnnxRule::NameEmpty,
                  "node " + std::to_string(index) +
                      " of its graph has no "
                      "operator",
                  proto.name());
  if (Status status = checkName(proto.op_type(), "operator", proto.name());
      !status)
    return status;
  if (Status status = checkName(proto.domain(), "domain", proto.name());
      !status)
    return status;
  Result<std::string> name = nodeName(proto, index, at);
  if (!name)
    return name.takeError();
  if (Status status =
          charge(at.body, sizeof(Node) + name->size() + proto.ByteSizeLong());
      !status)
    return status;
  Node node;
  node.domain = normalDomain(proto.domain());
  if (onnx::FunctionProto *function = findFunction(node.domain, proto))
    return inlineCall(*function, proto, *name, at, graph);
  node.name = std::move(*name);
  return readOrdinaryNode(proto, std::move(node), at, graph);
}

Status GraphReader::readOrdinaryNode(onnx::NodeProto &proto, Node node,
                                     const Place &at, Graph &graph) {
  node.opType = proto.op_type();
  node.doc = readText(proto.doc_string());
  Result<int64_t> opset = opsetFor(node.domain, at.body, node.name);
  if (!opset)
    return opset.takeError();
  node.opset = *opset;
  for (const std::string &input : proto.input()) {
    Result<std::string> resolved = resolve(input, at, node.name);
    if (!resolved)
      return resolved.takeError();
    node.inputs.push_back(std::move(*resolved));
  }
  for (const std::string &output : proto.output())
    node.outputs.push_back(output.empty() ? "" : *at.scope.find(output));
  Result<std::vector<Attribute>> attributes =
      readAttributes(proto, at, node.name);
  if (!attributes)
    return attributes.takeError();
  node.attributes = std::move(*attributes);
  if (!node.domain.empty() || node.opType != "Constant") {
    graph.nodes.push_back(std::move(node));
    return Status::success();
  }
  Result<TensorData> value = constantValue(std::move(node));
  if (!value)
    return value.takeError();
  graph.initializers.push_back(std::move(*value));
  return Status::success();
}

Result<std::string> GraphReader::resolve(const std::string &name,
                                         const Place &at,
                                         std::string_view node) {
  if (name.empty())
    return std::string();
  const std::string *found = at.scope.find(name);
  if (!found)
    return breaks(OnnxRule::GraphUndefined,
                  "the node reads '" + printable(name) +
                      "', which nothing defines",
                  node);
  if (Status status = charge(at.body, found->size()); !status)
    return status.takeError();
  return *found;
}

Result<int64_t> GraphReader::opsetFor(const std::string &domain,
                                      const Body &body,
                                      std::string_view node) const {
  if (auto found = body.opsets->find(domain); found != body.opsets->end())
    return found->second;
  return breaks(OnnxRule::OpsetMissing,
                "the node's domain '" +
                    (domain.empty() ? "ai.onnx" : printable(domain)) +
                    "' is not imported",
                node);
}

} // namespace tally::model
