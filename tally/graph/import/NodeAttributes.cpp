//===- NodeAttributes.cpp - attributes of a node
//---------------------------===//

#include "tally/graph/import/ModelTensor.h"
#include "tally/graph/import/NodeImport.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

template <typename T>
const T *NodeImport::attributeOf(std::string_view name) const {
  const model::Attribute *attribute = node.attribute(name);
  if (!attribute)
    return nullptr;
  const T *value = std::get_if<T>(&attribute->value);
  if (!value) {
    model::Attribute expected{"", T()};
    misread = failure(FailureKind::Model, "IMP-6",
                      "attribute '" + std::string(name) + "' is of kind " +
                          std::string(attribute->kindName()) + ", expected " +
                          std::string(expected.kindName()));
  }
  return value;
}

template <typename T> static std::optional<T> copied(const T *value) {
  return value ? std::optional(*value) : std::nullopt;
}

int64_t NodeImport::intAttr(std::string_view name, int64_t fallback) const {
  return copied(attributeOf<int64_t>(name)).value_or(fallback);
}

float NodeImport::floatAttr(std::string_view name, float fallback) const {
  return copied(attributeOf<float>(name)).value_or(fallback);
}

std::string NodeImport::stringAttr(std::string_view name,
                                   std::string fallback) const {
  return copied(attributeOf<std::string>(name)).value_or(std::move(fallback));
}

std::optional<std::vector<int64_t>>
NodeImport::intsAttr(std::string_view name) const {
  return copied(attributeOf<std::vector<int64_t>>(name));
}

std::optional<std::vector<float>>
NodeImport::floatsAttr(std::string_view name) const {
  return copied(attributeOf<std::vector<float>>(name));
}

std::optional<std::vector<std::string>>
NodeImport::stringsAttr(std::string_view name) const {
  return copied(attributeOf<std::vector<std::string>>(name));
}

Result<const model::Graph *>
NodeImport::graphAttr(std::string_view name) const {
  if (auto *graph = attributeOf<model::Attribute::GraphPtr>(name))
    return graph->get();
  return failure(FailureKind::Model, "IMP-6",
                 "the graph '" + std::string(name) + "' is missing");
}

Result<std::optional<eval::Element>>
NodeImport::elementAttr(std::string_view name) const {
  auto *number = attributeOf<int64_t>(name);
  if (!number)
    return std::optional<eval::Element>();
  auto type = model::elementTypeFromNumber(*number);
  if (auto element = type ? elementOfModel(*type) : std::nullopt)
    return std::optional(*element);
  return failure(FailureKind::Unsupported, "IMP-7",
                 std::string(name) + " names " +
                     (type ? std::string(model::elementTypeName(*type))
                           : "the unknown type " + std::to_string(*number)) +
                     ", which no executor handles");
}

Result<std::optional<eval::Tensor>>
NodeImport::tensorAttr(std::string_view name) const {
  auto *data = attributeOf<model::TensorData>(name);
  if (!data)
    return std::optional<eval::Tensor>();
  auto tensor = sharedTensor(*data);
  if (tensor)
    return std::optional(std::move(*tensor));
  return failure(FailureKind::Unsupported, "IMP-7",
                 std::string(name) + " is a " +
                     std::string(model::elementTypeName(data->type)) +
                     " tensor, which no executor handles");
}
