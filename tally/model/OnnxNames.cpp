//===- OnnxNames.cpp - names that are unique in a whole model -------------===//

#include "tally/model/OnnxNames.h"

namespace tally::model {

std::string NameTable::original(const std::string &name) {
  auto [entry, isNew] = taken.emplace(name, true);
  if (isNew || !entry->second) {
    entry->second = true;
    return name;
  }
  return fresh(name);
}

std::string NameTable::fresh(const std::string &wanted) {
  if (taken.emplace(wanted, true).second)
    return wanted;
  // Remembering the last suffix keeps many equal names from taking n^2 tries.
  unsigned &suffix = lastSuffix.emplace(wanted, 1).first->second;
  while (true) {
    std::string candidate = wanted + "_" + std::to_string(++suffix);
    if (taken.emplace(candidate, true).second)
      return candidate;
  }
}

static void reserveNames(const onnx::NodeProto &node, NameTable &nodes,
                         NameTable &values) {
  if (!node.name().empty())
    nodes.reserve(node.name());
  for (const std::string &output : node.output())
    values.reserve(output);
  for (const onnx::AttributeProto &attribute : node.attribute()) {
    if (attribute.has_g())
      reserveNames(attribute.g(), nodes, values);
    for (const onnx::GraphProto &graph : attribute.graphs())
      reserveNames(graph, nodes, values);
  }
}

void reserveNames(const onnx::GraphProto &graph, NameTable &nodes,
                  NameTable &values) {
  for (const onnx::ValueInfoProto &input : graph.input())
    values.reserve(input.name());
  for (const onnx::TensorProto &initializer : graph.initializer())
    values.reserve(initializer.name());
  for (const onnx::NodeProto &node : graph.node())
    reserveNames(node, nodes, values);
}

} // namespace tally::model
