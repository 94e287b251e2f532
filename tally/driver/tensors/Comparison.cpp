//===- Comparison.cpp - two tensors, bit for bit --------------------------===//

#include "tally/driver/tensors/Comparison.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>

using namespace tally;

static bool sameElement(const eval::Tensor &a, const eval::Tensor &b,
                        int64_t i) {
  int64_t size = eval::byteSize(a.element);
  if (std::memcmp(a.data<std::byte>() + i * size,
                  b.data<std::byte>() + i * size, size) == 0)
    return true;
  return eval::isFloat(a.element) && std::isnan(eval::loadFloat(a, i)) &&
         std::isnan(eval::loadFloat(b, i));
}

double tally::elementNumber(const eval::Tensor &tensor, int64_t i) {
  if (eval::isFloat(tensor.element))
    return eval::loadFloat(tensor, i);
  if (tensor.element == eval::Element::U64)
    return static_cast<double>(tensor.data<uint64_t>()[i]);
  return static_cast<double>(eval::loadInt(tensor, i));
}

/// |a - b| without wrapping: codes lie up to 2^64 apart.
static double distance(const eval::Tensor &a, const eval::Tensor &b,
                       int64_t i) {
  return std::abs(elementNumber(a, i) - elementNumber(b, i));
}

static eval::Shape indexOf(int64_t position, const eval::Shape &shape) {
  eval::Shape index;
  eval::Shape strides = eval::stridesOf(shape);
  for (size_t d = 0; d < shape.size(); ++d)
    index.push_back(position / strides[d] % shape[d]);
  return index;
}

std::optional<Difference> tally::compareBits(const eval::Tensor &a,
                                             const eval::Tensor &b) {
  assert(a.shape == b.shape && a.element == b.element && "not comparable");
  if (std::memcmp(a.storage.get(), b.storage.get(), a.byteCount()) == 0)
    return std::nullopt;
  Difference difference;
  for (int64_t i = 0, e = a.count(); i < e; ++i) {
    if (sameElement(a, b, i))
      continue;
    if (difference.count++ == 0)
      difference.first = i;
    // A NaN on one side only makes the distance NaN, and it stays so.
    double d = distance(a, b, i);
    if (!std::isnan(difference.largest) && !(d <= difference.largest))
      difference.largest = d;
  }
  if (difference.count == 0)
    return std::nullopt;
  difference.firstIndex = indexOf(difference.first, a.shape);
  return difference;
}

/// The element's bytes as a hexadecimal number.
static uint64_t bitsOf(const eval::Tensor &tensor, int64_t i) {
  uint64_t bits = 0;
  int64_t size = eval::byteSize(tensor.element);
  std::memcpy(&bits, tensor.data<std::byte>() + i * size, size);
  return bits;
}

std::string tally::elementText(const eval::Tensor &tensor, int64_t i) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (tensor.element == eval::Element::U64)
    return std::to_string(tensor.data<uint64_t>()[i]);
  if (!eval::isFloat(tensor.element)) {
    os << eval::loadInt(tensor, i);
    return text;
  }
  int digits = 2 * static_cast<int>(eval::byteSize(tensor.element));
  os << llvm::format("%.9g (0x%0*llx)", eval::loadFloat(tensor, i), digits,
                     static_cast<unsigned long long>(bitsOf(tensor, i)));
  return text;
}

std::string tally::describe(const Difference &difference,
                            const eval::Tensor &found,
                            const eval::Tensor &expected) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "element [";
  for (size_t d = 0; d < difference.firstIndex.size(); ++d)
    os << (d ? "," : "") << difference.firstIndex[d];
  os << "] is " << elementText(found, difference.first) << ", expected "
     << elementText(expected, difference.first) << "; " << difference.count
     << " of " << found.count() << " differ, by up to "
     << llvm::format("%.6g", difference.largest);
  return text;
}
