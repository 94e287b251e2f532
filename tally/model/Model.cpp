//===- Model.cpp - small questions about models ---------------------------===//

#include "tally/model/Model.h"

#include "tally/support/CheckedMath.h"

#include <array>
#include <cassert>

namespace tally::model {

namespace {

struct TypeFacts {
  std::string_view name;
  unsigned bits;
};

// Indexed by ONNX's type number.
constexpr std::array<TypeFacts, 29> typeFacts = {{
    {"undefined", 0},      {"float32", 32},   {"uint8", 8},
    {"int8", 8},           {"uint16", 16},    {"int16", 16},
    {"int32", 32},         {"int64", 64},     {"string", 0},
    {"bool", 8},           {"float16", 16},   {"float64", 64},
    {"uint32", 32},        {"uint64", 64},    {"complex64", 64},
    {"complex128", 128},   {"bfloat16", 16},  {"float8e4m3fn", 8},
    {"float8e4m3fnuz", 8}, {"float8e5m2", 8}, {"float8e5m2fnuz", 8},
    {"uint4", 4},          {"int4", 4},       {"float4e2m1", 4},
    {"float8e8m0", 8},     {"uint2", 2},      {"int2", 2},
    {"float6e2m3", 6},     {"float6e3m2", 6},
}};

} // namespace

std::optional<ElementType> elementTypeFromNumber(int64_t number) {
  if (number < 0 || number >= static_cast<int64_t>(typeFacts.size()))
    return std::nullopt;
  return static_cast<ElementType>(number);
}

std::string_view elementTypeName(ElementType type) {
  return typeFacts[static_cast<size_t>(type)].name;
}

unsigned elementBits(ElementType type) {
  return typeFacts[static_cast<size_t>(type)].bits;
}

bool isSignedInteger(ElementType type) {
  switch (type) {
  case ElementType::Int2:
  case ElementType::Int4:
  case ElementType::Int8:
  case ElementType::Int16:
  case ElementType::Int32:
  case ElementType::Int64:
    return true;
  default:
    return false;
  }
}

bool isInteger(ElementType type) {
  switch (type) {
  case ElementType::UInt2:
  case ElementType::UInt4:
  case ElementType::UInt8:
  case ElementType::UInt16:
  case ElementType::UInt32:
  case ElementType::UInt64:
    return true;
  default:
    return isSignedInteger(type);
  }
}

std::optional<int64_t> packedBytes(ElementType type, int64_t count) {
  unsigned bits = elementBits(type);
  if (bits == 0)
    return std::nullopt;
  if (bits % 8 == 0)
    return checkedMul(count, bits / 8);
  // Whole bytes first, so that the product cannot wrap before the division.
  int64_t whole = count / 8 * bits;
  return whole + (count % 8 * bits + 7) / 8;
}

int64_t TensorData::elementCount() const {
  std::optional<int64_t> count = checkedElementCount(dims);
  assert(count && "a reader lets no such shape through");
  return *count;
}

std::string_view Attribute::kindName() const {
  // In the order of Value's alternatives.
  static constexpr std::string_view names[] = {
      "int",  "float",  "string",  "tensor",  "graph",  "type",
      "ints", "floats", "strings", "tensors", "graphs", "types"};
  static_assert(std::size(names) == std::variant_size_v<Value>);
  return names[value.index()];
}

std::string Node::fullOpType() const {
  return domain.empty() ? opType : domain + "." + opType;
}

const Attribute *Node::attribute(std::string_view name) const {
  for (const Attribute &candidate : attributes)
    if (candidate.name == name)
      return &candidate;
  return nullptr;
}

/// Calls `visit` with the graphs that are attributes of `node`.
template <typename Visit>
static void visitGraphs(const Node &node, const Visit &visit) {
  for (const Attribute &attribute : node.attributes) {
    if (auto *graph = std::get_if<Attribute::GraphPtr>(&attribute.value))
      visit(**graph);
    if (auto *graphs =
            std::get_if<std::vector<Attribute::GraphPtr>>(&attribute.value))
      for (const Attribute::GraphPtr &graph : *graphs)
        visit(*graph);
  }
}

void visitReads(const Node &node,
                const std::function<void(const std::string &)> &visit) {
  for (const std::string &input : node.inputs)
    visit(input);
  visitGraphs(node, [&](const Graph &graph) {
    for (const Node &inner : graph.nodes)
      visitReads(inner, visit);
    for (const ValueInfo &output : graph.outputs)
      visit(output.name);
  });
}

void visitNodes(const Graph &graph,
                const std::function<void(const Graph &, const Node &)> &visit) {
  for (const Node &node : graph.nodes)
    visit(graph, node);
  for (const Node &node : graph.nodes)
    visitGraphs(node, [&](const Graph &inner) { visitNodes(inner, visit); });
}

} // namespace tally::model
