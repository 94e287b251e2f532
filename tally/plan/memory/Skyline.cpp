//===- Skyline.cpp - how high each section is filled ----------------------===//
//
// A range is filled to a height that none of it exceeds, so filling is raising
// to a maximum: a tree whose nodes keep the highest of their sections and a
// floor that holds for all of them. Nothing has to be pushed down. Blocks have
// 16 nodes, four cache lines: lives are short, and most walks end in the block
// where they begin.
//
// Example, with blocks of 4: a fill of [2, 9) to 7 raises sections 2, 3 and 8
// and, one level up, the floor of block 1; blocks 0 and 2 get top 7.
//
//===----------------------------------------------------------------------===//

#include "tally/plan/memory/Skyline.h"

#include <algorithm>

using namespace tally;
using namespace tally::plan::memory;

static constexpr uint32_t kBlock = 16;

Skyline::Skyline(uint32_t sections) {
  for (uint32_t nodes = std::max(sections, 1U);;
       nodes = (nodes + kBlock - 1) / kBlock) {
    levels.emplace_back(nodes);
    if (nodes == 1)
      return;
  }
}

int64_t Skyline::highest(Sections range) const {
  int64_t result = 0;
  uint32_t begin = range.begin, end = range.end; ///< still to look at
  uint32_t first = begin, last = end - 1;        ///< ancestors of both ends
  for (const std::vector<Node> &level : levels) {
    for (; begin < end && begin % kBlock != 0; ++begin)
      result = std::max(result, level[begin].top);
    for (; begin < end && end % kBlock != 0; --end)
      result = std::max(result, level[end - 1].top);
    result = std::max({result, level[first].floor, level[last].floor});
    begin /= kBlock;
    end /= kBlock;
    first /= kBlock;
    last /= kBlock;
  }
  return begin < end ? std::max(result, levels.back()[0].top) : result;
}

void Skyline::fill(Sections range, int64_t height) {
  uint32_t begin = range.begin, end = range.end;
  uint32_t first = begin, last = end - 1;
  for (std::vector<Node> &level : levels) {
    auto raise = [&](uint32_t node) {
      level[node].top = std::max(level[node].top, height);
      level[node].floor = std::max(level[node].floor, height);
    };
    level[first].top = std::max(level[first].top, height);
    level[last].top = std::max(level[last].top, height);
    for (; begin < end && begin % kBlock != 0; ++begin)
      raise(begin);
    for (; begin < end && end % kBlock != 0; --end)
      raise(end - 1);
    begin /= kBlock;
    end /= kBlock;
    first /= kBlock;
    last /= kBlock;
  }
  if (begin < end) {
    Node &all = levels.back()[0];
    all.top = std::max(all.top, height);
    all.floor = std::max(all.floor, height);
  }
}
