//===- OnnxConstant.cpp - the value of a Constant node --------------------===//
//
// A Constant node has one attribute, whose name says the form: a tensor, or a
// number or list of numbers that stands for an int64 or float32 tensor of rank
// 0 or 1. Sparse tensors were refused with the attribute.
//
//===----------------------------------------------------------------------===//

#include "tally/model/OnnxConstant.h"

#include "tally/model/OnnxRules.h"

namespace tally::model {

template <typename T>
static TensorData listTensor(ElementType type, std::span<const T> numbers,
                             bool isScalar) {
  TensorData tensor;
  tensor.type = type;
  if (!isScalar)
    tensor.dims = {static_cast<int64_t>(numbers.size())};
  auto owner = std::make_shared<std::vector<T>>(numbers.begin(), numbers.end());
  tensor.bytes = std::as_bytes(std::span<const T>(*owner));
  tensor.owner = std::move(owner);
  return tensor;
}

static Result<TensorData> constantTensor(const Attribute &attribute,
                                         std::string_view node) {
  const Attribute::Value &value = attribute.value;
  std::string_view name = attribute.name;
  if (auto *tensor = std::get_if<TensorData>(&value); tensor && name == "value")
    return *tensor;
  if (auto *number = std::get_if<int64_t>(&value);
      number && name == "value_int")
    return listTensor<int64_t>(ElementType::Int64, {number, 1}, true);
  if (auto *number = std::get_if<float>(&value);
      number && name == "value_float")
    return listTensor<float>(ElementType::Float32, {number, 1}, true);
  if (auto *list = std::get_if<std::vector<int64_t>>(&value);
      list && name == "value_ints")
    return listTensor<int64_t>(ElementType::Int64, *list, false);
  if (auto *list = std::get_if<std::vector<float>>(&value);
      list && name == "value_floats")
    return listTensor<float>(ElementType::Float32, *list, false);
  if (name == "value_string" || name == "value_strings")
    return breaks(OnnxRule::TensorString, "the constant holds strings", node);
  return breaks(OnnxRule::ConstantForm,
                "the constant has an attribute '" + printable(name) +
                    "' of kind " + std::string(attribute.kindName()),
                node);
}

Result<TensorData> constantValue(Node node) {
  if (node.attributes.size() != 1 || node.outputs.size() != 1 ||
      !node.inputs.empty() || !node.hasOutput(0))
    return breaks(OnnxRule::ConstantForm,
                  "the constant has " + std::to_string(node.attributes.size()) +
                      " attributes, " + std::to_string(node.inputs.size()) +
                      " inputs and " + std::to_string(node.outputs.size()) +
                      " outputs",
                  node.name);
  Result<TensorData> tensor = constantTensor(node.attributes[0], node.name);
  if (tensor)
    tensor->name = std::move(node.outputs[0]);
  return tensor;
}

} // namespace tally::model
