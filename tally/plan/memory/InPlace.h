//===- InPlace.h - results that may take their operand's place --*- C++ -*-===//

#ifndef TALLY_PLAN_MEMORY_INPLACE_H
#define TALLY_PLAN_MEMORY_INPLACE_H

#include "tally/plan/memory/Groups.h"

#include <string>

namespace tally::plan::memory {

/// Of each pair why it can never be taken; empty: it can.
std::vector<std::string> pairFaults(const MemoryProblem &problem);

/// Whether the pairs, each of which can be taken, can be taken together.
bool canMerge(const MemoryProblem &problem, const std::vector<uint32_t> &pairs);

} // namespace tally::plan::memory

#endif // TALLY_PLAN_MEMORY_INPLACE_H
