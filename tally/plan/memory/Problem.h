//===- Problem.h - which buffers must not overlap ---------------*- C++ -*-===//
//
// Static memory planning: every buffer has a size and a time of life, and gets
// one offset in one arena. Buffers whose lives meet must not share bytes.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_PLAN_MEMORY_PROBLEM_H
#define TALLY_PLAN_MEMORY_PROBLEM_H

#include <cstdint>
#include <string>
#include <vector>

namespace tally::plan {

/// One buffer. Times are positions in a total order of steps; the life is the
/// half-open interval [begin, end). One of no bytes or an empty life meets
/// nothing.
struct Buffer {
  std::string name; ///< for reports
  int64_t bytes = 0;
  int64_t alignment = 64; ///< of the offset; a power of two
  int64_t begin = 0, end = 0;
};

struct MemoryProblem {
  std::vector<Buffer> buffers;
};

/// offsets[i] is buffer i's place: it owns [offset, offset + bytes) for its
/// whole life. `arenaBytes` is the end of the highest buffer.
struct MemorySolution {
  std::vector<int64_t> offsets;
  int64_t arenaBytes = 0;
};

/// Largest sum of bytes alive at one time: no solution can be smaller. `time`
/// is the first step where it is reached.
struct MemoryPeak {
  int64_t bytes = 0;
  int64_t time = 0;
  std::vector<size_t> buffers; ///< alive then, largest first
};
MemoryPeak memoryPeak(const MemoryProblem &problem);

/// First fit, largest buffer first (ties: earlier begin, then index).
/// Deterministic; O(n^2 log n). Not always optimal. Offsets that would pass
/// 2^63 - 1 stop there: findViolation refuses such a plan.
MemorySolution planGreedy(const MemoryProblem &problem);

/// The law that `solution` breaks, or an empty string. Shares no code with the
/// planner and trusts neither argument. Laws: every buffer is what Buffer says
/// (bytes >= 0, begin <= end, a power of two) and has a place; offsets are
/// aligned and not negative; buffers end by 2^63 - 1; buffers that live at one
/// time are disjoint; arenaBytes is exact.
std::string findViolation(const MemoryProblem &problem,
                          const MemorySolution &solution);

} // namespace tally::plan

#endif // TALLY_PLAN_MEMORY_PROBLEM_H
