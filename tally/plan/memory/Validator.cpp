//===- Validator.cpp - judges a memory plan -------------------------------===//

#include "tally/plan/memory/Problem.h"

using namespace tally::plan;

static std::string pairText(const Buffer &a, const Buffer &b) {
  return "'" + a.name + "' and '" + b.name + "'";
}

std::string tally::plan::findViolation(const MemoryProblem &problem,
                                       const MemorySolution &solution) {
  const auto &buffers = problem.buffers;
  const auto &offsets = solution.offsets;
  if (offsets.size() != buffers.size())
    return std::to_string(offsets.size()) + " offsets for " +
           std::to_string(buffers.size()) + " buffers";
  int64_t top = 0;
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (offsets[i] < 0 || offsets[i] & (buffers[i].alignment - 1))
      return "offset " + std::to_string(offsets[i]) + " of '" +
             buffers[i].name + "' is not a multiple of " +
             std::to_string(buffers[i].alignment);
    int64_t end = offsets[i] + buffers[i].bytes;
    top = end > top ? end : top;
    for (size_t j = 0; j < i; ++j) {
      bool together = !(buffers[i].end <= buffers[j].begin ||
                        buffers[j].end <= buffers[i].begin);
      bool apart =
          end <= offsets[j] || offsets[j] + buffers[j].bytes <= offsets[i];
      if (together && !apart)
        return pairText(buffers[j], buffers[i]) +
               " live at one time and share bytes";
    }
  }
  if (top != solution.arenaBytes)
    return "the arena is said to be " + std::to_string(solution.arenaBytes) +
           " bytes, the highest buffer ends at " + std::to_string(top);
  return "";
}
