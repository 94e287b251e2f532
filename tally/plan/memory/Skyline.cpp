//===- Skyline.cpp - how high each section is filled ----------------------===//
//
// A range is filled to a height that none of it exceeds, so filling is raising
// to a maximum: a binary tree whose nodes keep the highest of their sections
// and a floor that holds for all of them. Nothing has to be pushed down. For 8
// sections and a fill of [2, 5) to 7: the node of [2, 4) and the leaf 4 get
// floor 7, their ancestors top 7.
//
//===----------------------------------------------------------------------===//

#include "tally/plan/memory/Skyline.h"

#include <algorithm>
#include <bit>

using namespace tally;
using namespace tally::plan::memory;

Skyline::Skyline(uint32_t sections)
    : leaves(std::bit_ceil(std::max(sections, 1U))), top(size_t(2) * leaves),
      floor(size_t(2) * leaves) {}

int64_t Skyline::highest(Sections range) const {
  int64_t result = 0;
  uint32_t left = leaves + range.begin, right = leaves + range.end - 1;
  uint32_t first = left, last = right;
  for (uint32_t end = right + 1; left < end; left >>= 1, end >>= 1) {
    if (left & 1)
      result = std::max(result, top[left++]);
    if (end & 1)
      result = std::max(result, top[--end]);
  }
  // Floors of ancestors hold for either end, and so for all between them.
  for (; first >= 1; first >>= 1, last >>= 1)
    result = std::max({result, floor[first], floor[last]});
  return result;
}

void Skyline::fill(Sections range, int64_t height) {
  auto raise = [&](uint32_t node) {
    top[node] = std::max(top[node], height);
    floor[node] = std::max(floor[node], height);
  };
  uint32_t left = leaves + range.begin, end = leaves + range.end;
  uint32_t first = left, last = end - 1;
  for (; left < end; left >>= 1, end >>= 1) {
    if (left & 1)
      raise(left++);
    if (end & 1)
      raise(--end);
  }
  for (first >>= 1, last >>= 1; first >= 1; first >>= 1, last >>= 1) {
    top[first] = std::max(top[first], height);
    top[last] = std::max(top[last], height);
  }
}
