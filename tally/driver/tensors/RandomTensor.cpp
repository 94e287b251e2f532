//===- RandomTensor.cpp - reproducible data for trying a model ------------===//

#include "tally/driver/tensors/RandomTensor.h"

#include <cmath>

using namespace tally;

uint64_t tally::randomWord(uint64_t seed, uint64_t input, uint64_t element) {
  uint64_t z = seed + ((input << 40) + element + 1) * 0x9e3779b97f4a7c15u;
  z ^= z >> 30;
  z *= 0xbf58476d1ce4e5b9u;
  z ^= z >> 27;
  z *= 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static int significandBits(eval::Element element) {
  switch (element) {
  case eval::Element::F64:
    return 53;
  case eval::Element::F32:
    return 24;
  case eval::Element::F16:
    return 11;
  default:
    return 8;
  }
}

/// In [-1, 1), a multiple of 2^(1 - bits).
static double unitFloat(uint64_t word, int bits) {
  return std::ldexp(static_cast<double>(word >> (64 - bits)), 1 - bits) - 1;
}

/// Uniform in [low, high] by the high word of a 128-bit product.
static int64_t uniform(uint64_t word, int64_t low, int64_t high) {
  uint64_t span = static_cast<uint64_t>(high) - static_cast<uint64_t>(low) + 1;
  if (span == 0) // all of the 64-bit integers
    return static_cast<int64_t>(word);
  auto wide = static_cast<unsigned __int128>(word) * span;
  return static_cast<int64_t>(static_cast<uint64_t>(low) +
                              static_cast<uint64_t>(wide >> 64));
}

namespace {
struct IntegerRange {
  int64_t low, high;
};
} // namespace

static IntegerRange integerRange(const runtime::TensorInterface &about,
                                 const std::optional<RandomRange> &range) {
  if (range)
    return {static_cast<int64_t>(range->low),
            static_cast<int64_t>(range->high)};
  if (about.quant)
    return {about.quant->qmin, about.quant->qmax};
  if (eval::byteSize(about.element) > 2)
    return {0, 1};
  return {eval::minValue(about.element), eval::maxValue(about.element)};
}

static double randomFloat(uint64_t word, eval::Element element,
                          const std::optional<RandomRange> &range) {
  if (!range)
    return unitFloat(word, significandBits(element));
  double unit = std::ldexp(static_cast<double>(word >> 11), -53);
  return range->low + (range->high - range->low) * unit;
}

eval::Tensor tally::randomTensor(const runtime::TensorInterface &about,
                                 uint64_t seed, uint64_t input,
                                 std::optional<RandomRange> range) {
  eval::Tensor tensor{about.shape, about.element, about.quant, nullptr};
  tensor.allocate();
  IntegerRange integers = integerRange(about, range);
  for (int64_t i = 0, e = tensor.count(); i < e; ++i) {
    uint64_t word = randomWord(seed, input, i);
    if (eval::isFloat(about.element))
      eval::storeFloat(tensor, i, randomFloat(word, about.element, range));
    else
      eval::storeInt(tensor, i, uniform(word, integers.low, integers.high));
  }
  return tensor;
}
