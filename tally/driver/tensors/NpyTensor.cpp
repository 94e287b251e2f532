//===- NpyTensor.cpp - host tensors as NumPy arrays -----------------------===//

#include "tally/driver/tensors/NpyTensor.h"

using namespace tally;

NpyType tally::npyTypeOf(eval::Element element) {
  using eval::Element;
  switch (element) {
  case Element::Bool:
    return NpyType::Bool;
  case Element::I8:
    return NpyType::I8;
  case Element::U8:
    return NpyType::U8;
  case Element::I16:
    return NpyType::I16;
  case Element::U16:
  case Element::BF16:
    return NpyType::U16;
  case Element::I32:
    return NpyType::I32;
  case Element::U32:
    return NpyType::U32;
  case Element::I64:
    return NpyType::I64;
  case Element::U64:
    return NpyType::U64;
  case Element::F16:
    return NpyType::F16;
  case Element::F32:
    return NpyType::F32;
  case Element::F64:
    return NpyType::F64;
  }
  return NpyType::F32;
}

NpyArray tally::toNpy(const eval::Tensor &tensor) {
  NpyArray array;
  array.dtype = npyTypeOf(tensor.element);
  array.shape = tensor.shape;
  auto *bytes = tensor.data<uint8_t>();
  array.bytes.assign(bytes, bytes + tensor.byteCount());
  return array;
}

eval::Tensor tally::fromNpy(const NpyArray &array, eval::Element element) {
  assert(npyTypeOf(element) == array.dtype && "another type");
  eval::Tensor tensor;
  tensor.shape = array.shape;
  tensor.element = element;
  tensor.allocate();
  std::copy(array.bytes.begin(), array.bytes.end(), tensor.data<uint8_t>());
  return tensor;
}
