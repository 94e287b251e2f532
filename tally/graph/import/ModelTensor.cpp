//===- ModelTensor.cpp - tensors of a model as host tensors ---------------===//

#include "tally/graph/import/ModelTensor.h"

using namespace tally;
using namespace tally::nn;

std::optional<eval::Element>
tally::nn::elementOfModel(model::ElementType type) {
  using eval::Element;
  using model::ElementType;
  switch (type) {
  case ElementType::Bool:
    return Element::Bool;
  case ElementType::Int8:
  case ElementType::Int4:
  case ElementType::Int2:
    return Element::I8;
  case ElementType::UInt8:
  case ElementType::UInt4:
  case ElementType::UInt2:
    return Element::U8;
  case ElementType::Int16:
    return Element::I16;
  case ElementType::UInt16:
    return Element::U16;
  case ElementType::Int32:
    return Element::I32;
  case ElementType::UInt32:
    return Element::U32;
  case ElementType::Int64:
    return Element::I64;
  case ElementType::UInt64:
    return Element::U64;
  case ElementType::Float16:
    return Element::F16;
  case ElementType::BFloat16:
    return Element::BF16;
  case ElementType::Float32:
    return Element::F32;
  case ElementType::Float64:
    return Element::F64;
  default:
    return std::nullopt;
  }
}

/// Sub-byte elements, one per byte.
static std::shared_ptr<std::byte[]> unpack(const model::TensorData &data) {
  int64_t count = data.elementCount();
  unsigned bits = model::elementBits(data.type);
  bool isSigned = model::isSignedInteger(data.type);
  auto result = std::make_shared<std::byte[]>(std::max<int64_t>(count, 1));
  for (int64_t i = 0; i < count; ++i) {
    unsigned shift = static_cast<unsigned>(i * bits % 8);
    int value = static_cast<int>(data.bytes[i * bits / 8]) >> shift;
    value &= (1 << bits) - 1;
    if (isSigned && value >> (bits - 1))
      value -= 1 << bits;
    result[i] = static_cast<std::byte>(value);
  }
  return result;
}

std::optional<eval::Tensor>
tally::nn::sharedTensor(const model::TensorData &data) {
  auto element = elementOfModel(data.type);
  if (!element)
    return std::nullopt;
  eval::Tensor tensor;
  tensor.shape = data.dims;
  tensor.element = *element;
  if (model::elementBits(data.type) < 8)
    tensor.storage = unpack(data);
  else
    tensor.storage = std::shared_ptr<std::byte[]>(
        std::const_pointer_cast<void>(data.owner),
        const_cast<std::byte *>(data.bytes.data()));
  return tensor;
}
