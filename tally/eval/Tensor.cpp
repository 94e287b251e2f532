//===- Tensor.cpp - a tensor in host memory -------------------------------===//

#include "tally/eval/Tensor.h"

#include "llvm/ADT/APFloat.h"

#include <cmath>

using namespace tally::eval;

namespace {
struct ElementInfo {
  const char *name;
  int64_t bytes;
  bool isFloat, isSigned;
  int64_t min, max;
};

const ElementInfo &info(Element element) {
  static const ElementInfo table[] = {
      {"bool", 1, false, false, 0, 1},
      {"int8", 1, false, true, INT8_MIN, INT8_MAX},
      {"uint8", 1, false, false, 0, UINT8_MAX},
      {"int16", 2, false, true, INT16_MIN, INT16_MAX},
      {"uint16", 2, false, false, 0, UINT16_MAX},
      {"int32", 4, false, true, INT32_MIN, INT32_MAX},
      {"uint32", 4, false, false, 0, UINT32_MAX},
      {"int64", 8, false, true, INT64_MIN, INT64_MAX},
      {"uint64", 8, false, false, 0, INT64_MAX},
      {"float16", 2, true, true, 0, 0},
      {"bfloat16", 2, true, true, 0, 0},
      {"float32", 4, true, true, 0, 0},
      {"float64", 8, true, true, 0, 0},
  };
  return table[static_cast<int>(element)];
}

float widen(const llvm::fltSemantics &semantics, uint16_t bits) {
  return llvm::APFloat(semantics, llvm::APInt(16, bits)).convertToFloat();
}

uint16_t narrow(const llvm::fltSemantics &semantics, double value) {
  llvm::APFloat result(value);
  bool lossy;
  result.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &lossy);
  return static_cast<uint16_t>(result.bitcastToAPInt().getZExtValue());
}
} // namespace

int64_t tally::eval::byteSize(Element element) { return info(element).bytes; }
const char *tally::eval::name(Element element) { return info(element).name; }
bool tally::eval::isFloat(Element element) { return info(element).isFloat; }
bool tally::eval::isSigned(Element element) { return info(element).isSigned; }
int64_t tally::eval::minValue(Element element) { return info(element).min; }
int64_t tally::eval::maxValue(Element element) { return info(element).max; }

int64_t tally::eval::elementCount(std::span<const int64_t> shape) {
  int64_t count = 1;
  for (int64_t dim : shape)
    count *= dim;
  return count;
}

void Tensor::allocate() {
  storage = std::make_shared<std::byte[]>(std::max<int64_t>(byteCount(), 1));
}

int64_t tally::eval::loadInt(const Tensor &tensor, int64_t i) {
  return visitInt(tensor.element, [&](auto zero) {
    return static_cast<int64_t>(tensor.data<decltype(zero)>()[i]);
  });
}

void tally::eval::storeInt(Tensor &tensor, int64_t i, int64_t value) {
  visitInt(tensor.element, [&](auto zero) {
    using T = decltype(zero);
    tensor.data<T>()[i] = static_cast<T>(value);
  });
}

/// Between an element's bits as an int64_t and its place in the order.
static int64_t reordered(Element element, int64_t value) {
  return element == Element::U64 ? value ^ INT64_MIN : value;
}

int64_t tally::eval::loadOrdered(const Tensor &tensor, int64_t i) {
  return reordered(tensor.element, loadInt(tensor, i));
}

void tally::eval::storeOrdered(Tensor &tensor, int64_t i, int64_t value) {
  storeInt(tensor, i, reordered(tensor.element, value));
}

int64_t tally::eval::minOrdered(Element element) {
  return reordered(element, minValue(element));
}

int64_t tally::eval::maxOrdered(Element element) {
  return element == Element::U64 ? INT64_MAX : maxValue(element);
}

double tally::eval::loadFloat(const Tensor &tensor, int64_t i) {
  switch (tensor.element) {
  case Element::F16:
    return halfToFloat(tensor.data<uint16_t>()[i]);
  case Element::BF16:
    return bfloatToFloat(tensor.data<uint16_t>()[i]);
  case Element::F64:
    return tensor.data<double>()[i];
  default:
    assert(tensor.element == Element::F32);
    return tensor.data<float>()[i];
  }
}

void tally::eval::storeFloat(Tensor &tensor, int64_t i, double value) {
  switch (tensor.element) {
  case Element::F16:
    tensor.data<uint16_t>()[i] = floatToHalf(value);
    return;
  case Element::BF16:
    tensor.data<uint16_t>()[i] = floatToBfloat(value);
    return;
  case Element::F64:
    tensor.data<double>()[i] = value;
    return;
  default:
    assert(tensor.element == Element::F32);
    tensor.data<float>()[i] = static_cast<float>(value);
  }
}

std::vector<int64_t> tally::eval::toInts(const Tensor &tensor) {
  std::vector<int64_t> values(tensor.count());
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = loadInt(tensor, i);
  return values;
}

Shape tally::eval::stridesOf(std::span<const int64_t> shape) {
  Shape strides(shape.size(), 1);
  for (int64_t i = static_cast<int64_t>(shape.size()) - 2; i >= 0; --i)
    strides[i] = strides[i + 1] * shape[i + 1];
  return strides;
}

float tally::eval::halfToFloat(uint16_t bits) {
  return widen(llvm::APFloat::IEEEhalf(), bits);
}
uint16_t tally::eval::floatToHalf(double value) {
  return narrow(llvm::APFloat::IEEEhalf(), value);
}
float tally::eval::bfloatToFloat(uint16_t bits) {
  return widen(llvm::APFloat::BFloat(), bits);
}
uint16_t tally::eval::floatToBfloat(double value) {
  return narrow(llvm::APFloat::BFloat(), value);
}
