//===- LiveBytes.h - bytes that each step needs -----------------*- C++ -*-===//

#ifndef TALLY_CPU_LIVEBYTES_H
#define TALLY_CPU_LIVEBYTES_H

#include "tally/plan/memory/Problem.h"

namespace tally::cpu {

/// Bytes that are needed at each step [0, steps): no plan of memory is smaller
/// than the most of them. A range costs its length, whatever is asked of it.
class LiveBytes {
public:
  explicit LiveBytes(int64_t steps) : bytes(steps) {}

  /// `more` bytes, or fewer when negative, in each step of a range inside of
  /// [0, steps). Empty ranges are allowed.
  void add(plan::memory::Interval range, int64_t more);
  /// The most in a step of the range; 0 in an empty one.
  int64_t most(plan::memory::Interval range) const;
  int64_t most() const { return most({0, static_cast<int64_t>(bytes.size())}); }

private:
  std::vector<int64_t> bytes;
};

} // namespace tally::cpu

#endif // TALLY_CPU_LIVEBYTES_H
