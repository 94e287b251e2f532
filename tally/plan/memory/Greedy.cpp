//===- Greedy.cpp - first fit, largest first ------------------------------===//
//
// Buffers are placed in order of falling size. Each looks at the already
// placed buffers it lives together with, sorted by offset, and takes the first
// gap it fits in. Large buffers fix the outline, small ones fill the holes.
//
// Example: A 4 bytes [0,2), B 2 bytes [1,3), C 4 bytes [2,4). A goes to 0, C
// also to 0 (A is dead by then), B meets both and goes to 4: 6 bytes in all.
//
//===----------------------------------------------------------------------===//

#include "tally/plan/memory/Problem.h"

#include <algorithm>
#include <numeric>

using namespace tally::plan;

static bool meet(const Buffer &a, const Buffer &b) {
  return a.begin < b.end && b.begin < a.end;
}

/// a + b of numbers >= 0, at most 2^63 - 1.
static int64_t addCapped(int64_t a, int64_t b) {
  int64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

static int64_t alignUp(int64_t value, int64_t alignment) {
  return addCapped(value, alignment - 1) / alignment * alignment;
}

static std::vector<size_t> bySize(const std::vector<Buffer> &buffers) {
  std::vector<size_t> order(buffers.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    if (buffers[a].bytes != buffers[b].bytes)
      return buffers[a].bytes > buffers[b].bytes;
    return buffers[a].begin < buffers[b].begin;
  });
  return order;
}

/// The lowest aligned offset whose bytes are free during the buffer's life.
static int64_t firstGap(const MemoryProblem &problem,
                        const MemorySolution &partial,
                        const std::vector<size_t> &placed, size_t index) {
  const Buffer &buffer = problem.buffers[index];
  std::vector<size_t> others;
  for (size_t other : placed)
    if (meet(buffer, problem.buffers[other]))
      others.push_back(other);
  std::sort(others.begin(), others.end(), [&](size_t a, size_t b) {
    return partial.offsets[a] < partial.offsets[b];
  });
  int64_t offset = 0;
  for (size_t other : others) {
    if (addCapped(offset, buffer.bytes) <= partial.offsets[other])
      break;
    int64_t end =
        addCapped(partial.offsets[other], problem.buffers[other].bytes);
    offset = std::max(offset, alignUp(end, buffer.alignment));
  }
  return offset;
}

MemorySolution tally::plan::planGreedy(const MemoryProblem &problem) {
  MemorySolution solution;
  solution.offsets.assign(problem.buffers.size(), 0);
  std::vector<size_t> placed;
  for (size_t index : bySize(problem.buffers)) {
    int64_t offset = firstGap(problem, solution, placed, index);
    solution.offsets[index] = offset;
    solution.arenaBytes = std::max(
        solution.arenaBytes, addCapped(offset, problem.buffers[index].bytes));
    placed.push_back(index);
  }
  return solution;
}

MemoryPeak tally::plan::memoryPeak(const MemoryProblem &problem) {
  MemoryPeak peak;
  // The sum can only rise where some buffer begins.
  for (const Buffer &start : problem.buffers) {
    int64_t bytes = 0;
    for (const Buffer &buffer : problem.buffers)
      if (buffer.begin <= start.begin && start.begin < buffer.end)
        bytes = addCapped(bytes, buffer.bytes);
    if (bytes > peak.bytes ||
        (bytes == peak.bytes && start.begin < peak.time)) {
      peak.bytes = bytes;
      peak.time = start.begin;
    }
  }
  for (size_t i = 0; i < problem.buffers.size(); ++i)
    if (problem.buffers[i].begin <= peak.time &&
        peak.time < problem.buffers[i].end)
      peak.buffers.push_back(i);
  std::stable_sort(peak.buffers.begin(), peak.buffers.end(),
                   [&](size_t a, size_t b) {
                     return problem.buffers[a].bytes > problem.buffers[b].bytes;
                   });
  return peak;
}
