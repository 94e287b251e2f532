//===- Skyline.h - how high each section is filled --------------*- C++ -*-===//

#ifndef TALLY_PLAN_MEMORY_SKYLINE_H
#define TALLY_PLAN_MEMORY_SKYLINE_H

#include "tally/plan/memory/Instance.h"

namespace tally::plan::memory {

/// Heights of sections, all 0 at first. Both operations take O(log sections).
class Skyline {
public:
  explicit Skyline(uint32_t sections);

  /// The greatest height of a range that is not empty.
  int64_t highest(Sections range) const;
  /// Sets the heights of a range to `height`, which none of them exceeds.
  void fill(Sections range, int64_t height);

private:
  struct Node {
    int64_t top = 0;   ///< the highest of its sections, as far as it knows
    int64_t floor = 0; ///< none of its sections is lower
  };
  std::vector<std::vector<Node>> levels; ///< sections first, then blocks
};

} // namespace tally::plan::memory

#endif // TALLY_PLAN_MEMORY_SKYLINE_H
