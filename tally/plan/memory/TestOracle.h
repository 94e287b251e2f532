//===- TestOracle.h - the best plan by trying all ---------------*- C++ -*-===//

#ifndef TALLY_PLAN_MEMORY_TESTORACLE_H
#define TALLY_PLAN_MEMORY_TESTORACLE_H

#include "tally/plan/memory/Problem.h"

namespace tally::plan::memory {

/// The smallest extent of any plan of a small problem without parts, with its
/// own notion of who meets whom; kUnlimited when some storage has no place.
/// Every plan can be pushed down until each storage lies at the lowest address
/// that those placed before it leave, so all orders of placement are tried, for
/// each set of in-place pairs.
int64_t smallestExtent(const MemoryProblem &problem);

} // namespace tally::plan::memory

#endif // TALLY_PLAN_MEMORY_TESTORACLE_H
