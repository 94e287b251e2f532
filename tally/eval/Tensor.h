//===- Tensor.h - a tensor in host memory -----------------------*- C++ -*-===//
//
// The evaluator's only data type: a dense row-major array that knows its
// shape, its element type and, when its elements are codes, their grid.
// No MLIR; no code shared with quant/, which the evaluator judges.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_EVAL_TENSOR_H
#define TALLY_EVAL_TENSOR_H

#include <cassert>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tally::eval {

enum class Element : uint8_t {
  Bool,
  I8,
  U8,
  I16,
  U16,
  I32,
  U32,
  I64,
  U64,
  F16,
  BF16,
  F32,
  F64
};

int64_t byteSize(Element element);
const char *name(Element element);
bool isFloat(Element element);
bool isSigned(Element element);
/// Smallest and largest value of an integer element (U64 is capped at 2^63-1).
int64_t minValue(Element element);
int64_t maxValue(Element element);

/// The grid of a code tensor: real = scale * (code - zeroPoint). Scales are
/// exact fp32 values. One entry per tensor, or one per index along `axis`.
struct Quantization {
  int64_t qmin = 0, qmax = 0; ///< storage range, both ends included
  std::vector<float> scales;
  std::vector<int64_t> zeroPoints;
  int axis = -1; ///< -1: per tensor

  bool perTensor() const { return axis < 0; }
  float scale(int64_t channel = 0) const {
    return scales[scales.size() == 1 ? 0 : channel];
  }
  int64_t zeroPoint(int64_t channel = 0) const {
    return zeroPoints[zeroPoints.size() == 1 ? 0 : channel];
  }
  bool operator==(const Quantization &) const = default;
};

using Shape = std::vector<int64_t>;

/// Product of the dimensions; 1 for a scalar.
int64_t elementCount(std::span<const int64_t> shape);

/// A dense row-major tensor. Copies share storage; `allocate` makes new,
/// zeroed storage. Sub-byte codes are stored one per byte.
struct Tensor {
  Shape shape;
  Element element = Element::F32;
  std::optional<Quantization> quant;
  std::shared_ptr<std::byte[]> storage;

  int64_t count() const { return elementCount(shape); }
  int64_t rank() const { return static_cast<int64_t>(shape.size()); }
  int64_t byteCount() const { return count() * byteSize(element); }
  bool isQuantized() const { return quant.has_value(); }
  void allocate();

  template <typename T> T *data() {
    return reinterpret_cast<T *>(storage.get());
  }
  template <typename T> const T *data() const {
    return reinterpret_cast<const T *>(storage.get());
  }
  template <typename T> std::span<T> values() {
    return {data<T>(), static_cast<size_t>(count())};
  }
  template <typename T> std::span<const T> values() const {
    return {data<T>(), static_cast<size_t>(count())};
  }
};

/// Element `i` of an integer tensor as a 64-bit value, and back (the value
/// must fit).
int64_t loadInt(const Tensor &tensor, int64_t i);
void storeInt(Tensor &tensor, int64_t i, int64_t value);

/// The same as a number that is ordered as the elements are: an element of U64
/// less 2^63, any other one itself.
int64_t loadOrdered(const Tensor &tensor, int64_t i);
void storeOrdered(Tensor &tensor, int64_t i, int64_t value);
/// What the smallest and largest element are as such a number.
int64_t minOrdered(Element element);
int64_t maxOrdered(Element element);

/// Element `i` of a float tensor as fp64 (exact for every float element), and
/// back with one rounding to nearest even.
double loadFloat(const Tensor &tensor, int64_t i);
void storeFloat(Tensor &tensor, int64_t i, double value);

/// All elements of an integer tensor.
std::vector<int64_t> toInts(const Tensor &tensor);

/// All elements of a float tensor in T, float or double; f64 elements only in
/// double.
template <typename T> std::vector<T> toFloats(const Tensor &tensor) {
  std::vector<T> values(tensor.count());
  if (tensor.element == Element::F32) {
    auto source = tensor.values<float>();
    values.assign(source.begin(), source.end());
    return values;
  }
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<T>(loadFloat(tensor, i));
  return values;
}

/// Calls `fn` with a value of the C++ type that stores `element`, for the
/// integer elements and Bool (stored as uint8_t).
template <typename Fn> auto visitInt(Element element, Fn &&fn) {
  switch (element) {
  case Element::I8:
    return fn(int8_t());
  case Element::I16:
    return fn(int16_t());
  case Element::U16:
    return fn(uint16_t());
  case Element::I32:
    return fn(int32_t());
  case Element::U32:
    return fn(uint32_t());
  case Element::I64:
    return fn(int64_t());
  case Element::U64:
    return fn(uint64_t());
  default:
    assert(element == Element::Bool || element == Element::U8);
    return fn(uint8_t());
  }
}

/// Row-major strides in elements.
Shape stridesOf(std::span<const int64_t> shape);

/// The index along one axis of an element given by its row-major position;
/// always 0 for axis -1.
class AxisIndex {
public:
  AxisIndex(std::span<const int64_t> shape, int axis)
      : inner(axis < 0 ? 1 : stridesOf(shape)[axis]),
        size(axis < 0 ? 1 : shape[axis]) {}
  int64_t operator()(int64_t element) const { return element / inner % size; }

private:
  int64_t inner, size;
};

/// Reinterprets half-precision bits; exact in the widening direction, one
/// rounding to nearest even in the narrowing one.
float halfToFloat(uint16_t bits);
uint16_t floatToHalf(double value);
float bfloatToFloat(uint16_t bits);
uint16_t floatToBfloat(double value);

} // namespace tally::eval

#endif // TALLY_EVAL_TENSOR_H
