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
  uint32_t leaves;            ///< a power of two
  std::vector<int64_t> top;   ///< of a node's sections, but for those `floor`s
                              ///< that its ancestors have
  std::vector<int64_t> floor; ///< no section of the node is lower
};

} // namespace tally::plan::memory

#endif // TALLY_PLAN_MEMORY_SKYLINE_H
