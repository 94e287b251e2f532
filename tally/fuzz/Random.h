//===- Random.h - draws that are the same everywhere ------------*- C++ -*-===//
//
// A sequence of draws that follows from its seed alone, on every machine and
// standard library: splitmix64 (Steele, Lea, Flood: Fast Splittable
// Pseudorandom Number Generators, 2014), and bounded draws by remainder, whose
// bias is of no account for ranges this small.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_FUZZ_RANDOM_H
#define TALLY_FUZZ_RANDOM_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <initializer_list>

namespace tally::fuzz {

class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}

  uint64_t word() {
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  /// In [0, count); count is positive.
  int64_t below(int64_t count) {
    return static_cast<int64_t>(word() % static_cast<uint64_t>(count));
  }
  /// In [low, high], both included.
  int64_t between(int64_t low, int64_t high) {
    uint64_t last = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
    uint64_t draw = last == UINT64_MAX ? word() : word() % (last + 1);
    return static_cast<int64_t>(static_cast<uint64_t>(low) + draw);
  }
  /// True in `percent` of a hundred cases.
  bool chance(int percent) { return below(100) < percent; }
  /// In [low, high).
  double real(double low, double high) {
    return low + (high - low) * static_cast<double>(word() >> 11) * 0x1p-53;
  }

  template <typename T> T pick(std::initializer_list<T> choices) {
    return choices.begin()[below(static_cast<int64_t>(choices.size()))];
  }
  template <typename T> const T &pick(llvm::ArrayRef<T> choices) {
    return choices[below(static_cast<int64_t>(choices.size()))];
  }

private:
  uint64_t state;
};

} // namespace tally::fuzz

#endif // TALLY_FUZZ_RANDOM_H
