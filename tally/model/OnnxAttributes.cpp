//===- OnnxAttributes.cpp - attributes of nodes ---------------------------===//
//
// An attribute states its type and has a field for each type; exactly the one
// field may be filled. Writers that leave out default values are allowed for:
// a number 0 or an empty list looks like a field that is not there.
//
// In the body of a function an attribute may instead refer to a parameter. It
// gets the parameter's value, or vanishes when the call gives none and there
// is no default, so that the operator's own default counts.
//
//===----------------------------------------------------------------------===//

#include "tally/model/OnnxGraph.h"

#include "tally/model/OnnxRules.h"
#include "tally/model/OnnxType.h"

#include <algorithm>
#include <bit>

namespace tally::model {

namespace {

/// AttributeProto.AttributeType.
enum AttributeType : int32_t {
  FloatType = 1,
  IntType = 2,
  StringType = 3,
  TensorType = 4,
  GraphType = 5,
  FloatsType = 6,
  IntsType = 7,
  StringsType = 8,
  TensorsType = 9,
  GraphsType = 10,
  SparseTensorType = 11,
  SparseTensorsType = 12,
  TypeType = 13,
  TypesType = 14,
};

constexpr std::string_view typeNames[] = {"",
                                          "float",
                                          "int",
                                          "string",
                                          "tensor",
                                          "graph",
                                          "floats",
                                          "ints",
                                          "strings",
                                          "tensors",
                                          "graphs",
                                          "sparse tensor",
                                          "sparse tensors",
                                          "type",
                                          "types"};

} // namespace

/// One bit for each type whose field is filled.
static uint32_t filledFields(const onnx::AttributeProto &proto) {
  uint32_t bits = 0;
  auto note = [&](AttributeType type, bool filled) {
    bits |= filled ? 1u << type : 0u;
  };
  note(FloatType, std::bit_cast<uint32_t>(proto.f()) != 0);
  note(IntType, proto.i() != 0);
  note(StringType, !proto.s().empty());
  note(TensorType, proto.has_t());
  note(GraphType, proto.has_g());
  note(FloatsType, proto.floats_size() > 0);
  note(IntsType, proto.ints_size() > 0);
  note(StringsType, proto.strings_size() > 0);
  note(TensorsType, proto.tensors_size() > 0);
  note(GraphsType, proto.graphs_size() > 0);
  note(SparseTensorType, proto.has_sparse_tensor());
  note(SparseTensorsType, proto.sparse_tensors_size() > 0);
  note(TypeType, proto.has_tp());
  note(TypesType, proto.type_protos_size() > 0);
  return bits;
}

static std::string quoted(const onnx::AttributeProto &proto) {
  return "the attribute '" + printable(proto.name()) + "'";
}

static Status checkType(const onnx::AttributeProto &proto,
                        std::string_view node) {
  if (proto.type() < FloatType || proto.type() > TypesType)
    return breaks(OnnxRule::AttributeType,
                  quoted(proto) + " has the type number " +
                      std::to_string(proto.type()) + ", not 1 to 14",
                  node);
  return Status::success();
}

static Status checkFields(const onnx::AttributeProto &proto,
                          std::string_view node) {
  uint32_t filled = filledFields(proto);
  uint32_t own = 1u << proto.type();
  std::string type(typeNames[proto.type()]);
  if (filled & ~own)
    return breaks(OnnxRule::AttributeValue,
                  quoted(proto) + " of type " + type + " has a value of type " +
                      std::string(typeNames[std::countr_zero(filled & ~own)]),
                  node);
  constexpr uint32_t mustBeFilled =
      1u << TensorType | 1u << GraphType | 1u << TypeType;
  if ((own & mustBeFilled) && !filled)
    return breaks(OnnxRule::AttributeValue,
                  quoted(proto) + " of type " + type + " has no value", node);
  if (own & (1u << SparseTensorType | 1u << SparseTensorsType))
    return breaks(OnnxRule::TensorSparse,
                  quoted(proto) + " holds a sparse tensor", node);
  return Status::success();
}

// Bytes that a copy of a value takes beyond its own object. Bytes of tensors
// are shared. So are nested graphs, but whoever walks a model meets one anew
// at each node that has it: it counts as often as it is met, or else graphs
// that hold a parameter twice would double at each call.
static uint64_t copyCost(const Attribute::Value &value);
template <typename T> static uint64_t ownCost(const T &) { return 0; }
static uint64_t ownCost(const Attribute::GraphPtr &graph) {
  uint64_t sum = sizeof(Graph);
  for (const Node &node : graph->nodes) {
    sum += sizeof(Node);
    for (const Attribute &attribute : node.attributes)
      sum += copyCost(attribute.value);
  }
  return sum;
}
static uint64_t ownCost(const std::string &text) { return text.size(); }
static uint64_t ownCost(const TensorData &tensor) {
  return tensor.dims.size() * sizeof(int64_t);
}
static uint64_t ownCost(const ValueInfo &info) {
  uint64_t sum = info.nonTensor.size();
  if (info.dims)
    for (const Dim &dim : *info.dims)
      sum += sizeof(Dim) + dim.symbol.size();
  return sum;
}
template <typename T> static uint64_t ownCost(const std::vector<T> &list) {
  uint64_t sum = list.size() * sizeof(T);
  for (const T &element : list)
    sum += ownCost(element);
  return sum;
}

static uint64_t copyCost(const Attribute::Value &value) {
  return sizeof(Attribute) +
         std::visit([](const auto &held) { return ownCost(held); }, value);
}

Result<std::vector<Attribute>>
GraphReader::readAttributes(onnx::NodeProto &proto, const Place &at,
                            std::string_view node) {
  std::vector<Attribute> attributes;
  std::unordered_set<std::string> seen;
  for (onnx::AttributeProto &attributeProto : *proto.mutable_attribute()) {
    if (!seen.insert(attributeProto.name()).second)
      return breaks(OnnxRule::AttributeTwice,
                    quoted(attributeProto) + " stands twice", node);
    Result<std::optional<Attribute>> attribute =
        readAttribute(attributeProto, at, node);
    if (!attribute)
      return attribute.takeError();
    if (*attribute)
      attributes.push_back(std::move(**attribute));
  }
  return attributes;
}

Result<std::optional<Attribute>>
GraphReader::readAttribute(onnx::AttributeProto &proto, const Place &at,
                           std::string_view node) {
  if (proto.name().empty())
    return breaks(OnnxRule::NameEmpty, "there is an attribute without a name",
                  node);
  if (Status status = checkName(proto.name(), "attribute", node); !status)
    return status.takeError();
  if (Status status = checkType(proto, node); !status)
    return status.takeError();
  if (!proto.ref_attr_name().empty())
    return readReference(proto, at, node);
  if (Status status = checkFields(proto, node); !status)
    return status.takeError();
  Result<Attribute::Value> value = readValue(proto, at, node);
  if (!value)
    return value.takeError();
  return std::optional(Attribute{proto.name(), std::move(*value)});
}

Result<std::optional<Attribute>>
GraphReader::readReference(const onnx::AttributeProto &proto, const Place &at,
                           std::string_view node) {
  const std::string &target = proto.ref_attr_name();
  auto refersToNothing = [&](std::string_view why) {
    return breaks(OnnxRule::FunctionReference,
                  quoted(proto) + " refers to '" + printable(target) + "', " +
                      std::string(why),
                  node);
  };
  if (!at.body.function)
    return refersToNothing("but is not in a function");
  auto found = at.body.parameters.find(target);
  if (found == at.body.parameters.end()) {
    const auto &declared = at.body.function->attribute();
    if (std::find(declared.begin(), declared.end(), target) == declared.end())
      return refersToNothing("which the function does not have");
    return std::optional<Attribute>();
  }
  const Attribute &parameter = found->second;
  if (parameter.kindName() != typeNames[proto.type()])
    return breaks(
        OnnxRule::FunctionReferenceType,
        quoted(proto) + " of type " + std::string(typeNames[proto.type()]) +
            " refers to a value of type " + std::string(parameter.kindName()),
        node);
  if (Status status = charge(at.body, copyCost(parameter.value)); !status)
    return status.takeError();
  return std::optional(Attribute{proto.name(), parameter.value});
}

Result<Attribute::Value> GraphReader::readValue(onnx::AttributeProto &proto,
                                                const Place &at,
                                                std::string_view node) {
  switch (proto.type()) {
  case TensorType:
  case TensorsType:
    return readTensors(proto, node);
  case GraphType:
  case GraphsType:
    return readGraphs(proto, at);
  case TypeType:
  case TypesType:
    return readTypes(proto, node);
  default:
    return readNumbersOrText(proto);
  }
}

Result<Attribute::Value>
GraphReader::readNumbersOrText(const onnx::AttributeProto &proto) {
  switch (proto.type()) {
  case FloatType:
    return Attribute::Value(proto.f());
  case IntType:
    return Attribute::Value(int64_t{proto.i()});
  case StringType:
    return Attribute::Value(proto.s());
  case FloatsType:
    return Attribute::Value(
        std::vector<float>(proto.floats().begin(), proto.floats().end()));
  case IntsType:
    return Attribute::Value(
        std::vector<int64_t>(proto.ints().begin(), proto.ints().end()));
  default:
    return Attribute::Value(std::vector<std::string>(proto.strings().begin(),
                                                     proto.strings().end()));
  }
}

Result<TensorData> GraphReader::readTensor(onnx::TensorProto &proto,
                                           std::string_view node) {
  if (Status status = checkName(proto.name(), "tensor", node); !status)
    return status.takeError();
  Result<TensorData> tensor = tensors.read(proto, node);
  if (tensor)
    tensor->name = proto.name();
  return tensor;
}

Result<Attribute::Value> GraphReader::readTensors(onnx::AttributeProto &proto,
                                                  std::string_view node) {
  if (proto.type() == TensorType) {
    Result<TensorData> tensor = readTensor(*proto.mutable_t(), node);
    if (!tensor)
      return tensor.takeError();
    return Attribute::Value(std::move(*tensor));
  }
  std::vector<TensorData> list;
  for (onnx::TensorProto &element : *proto.mutable_tensors()) {
    Result<TensorData> tensor = readTensor(element, node);
    if (!tensor)
      return tensor.takeError();
    list.push_back(std::move(*tensor));
  }
  return Attribute::Value(std::move(list));
}

Result<Attribute::GraphPtr> GraphReader::readNested(onnx::GraphProto &proto,
                                                    const Place &at) {
  Result<Graph> graph = readGraph(proto, at.body, &at.scope, at.depth + 1);
  if (!graph)
    return graph.takeError();
  return Attribute::GraphPtr(std::make_shared<const Graph>(std::move(*graph)));
}

Result<Attribute::Value> GraphReader::readGraphs(onnx::AttributeProto &proto,
                                                 const Place &at) {
  if (proto.type() == GraphType) {
    Result<Attribute::GraphPtr> graph = readNested(*proto.mutable_g(), at);
    if (!graph)
      return graph.takeError();
    return Attribute::Value(std::move(*graph));
  }
  std::vector<Attribute::GraphPtr> list;
  for (onnx::GraphProto &element : *proto.mutable_graphs()) {
    Result<Attribute::GraphPtr> graph = readNested(element, at);
    if (!graph)
      return graph.takeError();
    list.push_back(std::move(*graph));
  }
  return Attribute::Value(std::move(list));
}

Result<Attribute::Value>
GraphReader::readTypes(const onnx::AttributeProto &proto,
                       std::string_view node) {
  if (proto.type() == TypeType) {
    Result<ValueInfo> type = readType(proto.tp(), node);
    if (!type)
      return type.takeError();
    return Attribute::Value(std::move(*type));
  }
  std::vector<ValueInfo> list;
  for (const onnx::TypeProto &element : proto.type_protos()) {
    Result<ValueInfo> type = readType(element, node);
    if (!type)
      return type.takeError();
    list.push_back(std::move(*type));
  }
  return Attribute::Value(std::move(list));
}

} // namespace tally::model
