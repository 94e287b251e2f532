//===- TestProblems.h - random small problems -------------------*- C++ -*-===//

#ifndef TALLY_PLAN_MEMORY_TESTPROBLEMS_H
#define TALLY_PLAN_MEMORY_TESTPROBLEMS_H

#include "tally/plan/memory/Problem.h"

#include <random>

namespace tally::plan::memory {

/// Up to `most` storages with some of everything that a problem can have but
/// parts: lives with gaps or accesses of operations in queues, alignments,
/// fixed addresses, banks, reserved ranges, conflicts, in-place pairs. It keeps
/// the rules but, at times, MEM-6.
MemoryProblem randomProblem(uint32_t seed, uint32_t most);

/// Fills a rectangle of `sections` steps and `bytes` without holes by cutting
/// it again and again, so its lower bound is a plan's extent.
MemoryProblem cutRectangle(uint32_t seed, int64_t steps, int64_t bytes,
                           uint32_t cuts);

} // namespace tally::plan::memory

#endif // TALLY_PLAN_MEMORY_TESTPROBLEMS_H
