//===- Validator.cpp - judges a memory plan -------------------------------===//

#include "tally/plan/memory/Problem.h"

#include <algorithm>
#include <bit>

using namespace tally::plan;

/// What makes a buffer of the problem impossible, or nothing.
static std::string faultOf(const Buffer &buffer) {
  std::string name = "'" + buffer.name + "'";
  if (buffer.bytes < 0)
    return name + " has " + std::to_string(buffer.bytes) + " bytes";
  if (buffer.begin > buffer.end)
    return name + " dies at " + std::to_string(buffer.end) +
           ", before its begin at " + std::to_string(buffer.begin);
  if (buffer.alignment <= 0 || !std::has_single_bit(uint64_t(buffer.alignment)))
    return "alignment " + std::to_string(buffer.alignment) + " of " + name +
           " is not a power of two";
  return "";
}

static std::string placeFault(const Buffer &buffer, int64_t offset) {
  std::string place =
      "offset " + std::to_string(offset) + " of '" + buffer.name + "'";
  if (offset < 0)
    return place + " is negative";
  if (offset % buffer.alignment != 0)
    return place + " is not a multiple of " + std::to_string(buffer.alignment);
  if (buffer.bytes > INT64_MAX - offset)
    return "'" + buffer.name + "' ends beyond 2^63 - 1";
  return "";
}

/// Whether half-open intervals have a point in common; empty ones have none.
static bool overlap(int64_t beginA, int64_t endA, int64_t beginB,
                    int64_t endB) {
  return std::max(beginA, beginB) < std::min(endA, endB);
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
    const Buffer &a = buffers[i];
    if (std::string fault = faultOf(a); !fault.empty())
      return fault;
    if (std::string fault = placeFault(a, offsets[i]); !fault.empty())
      return fault;
    int64_t end = offsets[i] + a.bytes;
    top = std::max(top, end);
    for (size_t j = 0; j < i; ++j) {
      const Buffer &b = buffers[j];
      if (overlap(a.begin, a.end, b.begin, b.end) &&
          overlap(offsets[i], end, offsets[j], offsets[j] + b.bytes))
        return "'" + b.name + "' and '" + a.name +
               "' live at one time and share bytes";
    }
  }
  if (top != solution.arenaBytes)
    return "the arena is said to be " + std::to_string(solution.arenaBytes) +
           " bytes, the highest buffer ends at " + std::to_string(top);
  return "";
}
