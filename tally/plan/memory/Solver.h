//===- Solver.h - a memory plan and why it is so ----------------*- C++ -*-===//

#ifndef TALLY_PLAN_MEMORY_SOLVER_H
#define TALLY_PLAN_MEMORY_SOLVER_H

#include "tally/plan/memory/Problem.h"

namespace tally::plan::memory {

/// Why no plan can end below the lower bound.
enum class Proof {
  Together, ///< storages that are all needed together, by step or by order
  Fixed,    ///< a fixed address
  Search    ///< all plans were tried
};
const char *proofName(Proof proof);

/// What came of an in-place pair.
struct PairDecision {
  bool isTaken = false;
  std::string reason; ///< why not; empty for a pair that does not help
};

/// Numbers are bytes.
struct MemoryReport {
  int64_t extent = 0;     ///< of the plan: what has to be reserved
  int64_t lowerBound = 0; ///< no plan's extent is smaller
  Proof proof = Proof::Together;
  std::vector<StorageId> proofSet; ///< of Together: largest first
  int64_t livePeak = 0;            ///< most bytes needed together, not padded
  std::vector<StorageId> peakSet;  ///< the roots that need them, largest first
  int64_t peakStep = kNone;        ///< the first such step, for lives in steps
  Interval hole; ///< largest free range below the extent while the peak lives
  int64_t padding = 0;  ///< of the peak set, to granules
  int64_t reserved = 0; ///< below the extent
  std::vector<PairDecision> pairs;
  uint64_t steps = 0; ///< of the exact search

  bool isOptimal() const { return extent == lowerBound; }
  int64_t holeBytes() const { return hole.end - hole.begin; }
  /// What the plan takes beyond the bound.
  int64_t fragmentation() const { return extent - lowerBound; }
};

struct MemorySolution {
  MemoryPlan plan;
  MemoryReport report;
};

/// One change that makes a plan fit; solved, not estimated.
struct Remedy {
  enum Kind {
    RaiseLimit, ///< to `bytes`
    MoveAway,   ///< `storage`, of `bytes`, to another memory
    Shrink,     ///< `storage` by `bytes`
    Spill,      ///< `storage`, of `bytes`, elsewhere during the peak step
    TakePlace,  ///< `storage` in place of `other`
    Unpin       ///< let `storage` lie anywhere
  };
  Kind kind = RaiseLimit;
  StorageId storage = 0, other = 0;
  int64_t bytes = 0;
  int64_t extent = 0; ///< of a plan with the change
};

/// MEM-10 to MEM-13 with their parts; for other failures only the diagnostic.
struct Refusal {
  Diagnostic diagnostic;
  std::string limit; ///< "encodable", "capacity" or "budget"
  int64_t allowed = 0;
  int64_t missing = 0;     ///< extent beyond it
  bool isProven = false;   ///< no plan fits
  MemorySolution solution; ///< the best plan, which does not fit
  std::vector<Remedy> remedies;
};

struct SolveOptions {
  /// Take the first plan within all limits rather than the smallest.
  bool fit = false;
  /// Steps of the exact search in all; the same plan on every machine.
  uint64_t steps = 4'000'000;
  /// A guard: the search stops after so many seconds. 0: none.
  double seconds = 0;
  bool findRemedies = true;
};

/// Plans `problem`. The same plan whatever the order of its storages, up to
/// storages' places in `offsets`. Checks the problem first; on failure fills
/// `refusal` if there is one. Plans keep all laws of findViolation.
Result<MemorySolution> planMemory(const MemoryProblem &problem,
                                  const SolveOptions &options = {},
                                  Refusal *refusal = nullptr);

} // namespace tally::plan::memory

#endif // TALLY_PLAN_MEMORY_SOLVER_H
