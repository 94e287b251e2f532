//===- TestOracle.h - every execution of a small plan -----------*- C++ -*-===//
//
// For tests: walks all interleavings of issue, waits, starts and completions
// as Problem.h defines them, with registers that hold values. Knows nothing of
// order or proofs.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_PLAN_SYNC_TESTORACLE_H
#define TALLY_PLAN_SYNC_TESTORACLE_H

#include "tally/plan/sync/Plan.h"

namespace tally::plan::sync {

/// "race", "hang", "lost" (a value beyond the register's width), "residue", or
/// nothing when every execution is right.
std::string exploreAll(const SyncProblem &problem, const SyncPlan &plan);

} // namespace tally::plan::sync

#endif // TALLY_PLAN_SYNC_TESTORACLE_H
