//===- RandomTensor.h - reproducible data for trying a model ----*- C++ -*-===//
//
// Element i of input number k for seed s is made from the 64-bit word
//
//   w = mix(s + (2^40 * k + i + 1) * 0x9e3779b97f4a7c15)   (mod 2^64)
//   mix(z): z ^= z >> 30; z *= 0xbf58476d1ce4e5b9;
//           z ^= z >> 27; z *= 0x94d049bb133111eb; z ^= z >> 31
//
// which is Steele, Lea and Flood's SplitMix64 ("Fast splittable pseudorandom
// number generators", OOPSLA 2014), so that any program can make the same data.
// Without a range the element is
//
//   f64, f32, f16, bf16   the top 53, 24, 11, 8 bits of w, times a power of two
//                         and minus 1: in [-1, 1), without rounding
//   bool                  the top bit
//   8 and 16 bits         uniform over the grid's codes, or over the type
//   32 and 64 bits        0 or 1: such inputs are mostly indices and masks
//
// With a range [low, high] an integer is low + (w * (high - low + 1) >> 64), a
// float is low + (high - low) * ((w >> 11) / 2^53) in fp64, rounded once.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_DRIVER_TENSORS_RANDOMTENSOR_H
#define TALLY_DRIVER_TENSORS_RANDOMTENSOR_H

#include "tally/runtime/Interface.h"

namespace tally {

/// Both ends belong to the range of integers.
struct RandomRange {
  double low = 0, high = 0;
};

/// The word above.
uint64_t randomWord(uint64_t seed, uint64_t input, uint64_t element);

/// A tensor as `about` describes, filled for input number `input`. A range
/// must lie within what the element can hold, with low <= high.
eval::Tensor randomTensor(const runtime::TensorInterface &about, uint64_t seed,
                          uint64_t input,
                          std::optional<RandomRange> range = std::nullopt);

} // namespace tally

#endif // TALLY_DRIVER_TENSORS_RANDOMTENSOR_H
