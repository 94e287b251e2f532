//===- Coloring.h - as few registers as units need --------------*- C++ -*-===//

#ifndef TALLY_PLAN_SYNC_COLORING_H
#define TALLY_PLAN_SYNC_COLORING_H

#include "tally/plan/sync/Units.h"

namespace tally::plan::sync {

/// How it is known that no fewer registers will do.
enum class Proof {
  Witness,    ///< as many units that exclude each other as registers
  Exhaustive, ///< every assignment of fewer was tried
  Bracket,    ///< it is not: between the witness and `registers`
};

/// Registers of the units of one domain: assignment[i] is that of members[i].
struct Assignment {
  std::vector<uint32_t> assignment;
  uint32_t registers = 0;
  Proof proof = Proof::Bracket;
  /// Units no two of which may share: a lower bound.
  std::vector<uint32_t> witness;
};

/// Counters. `members` are units of one domain, ascending.
Assignment assignCounters(const Order &order, const Units &units,
                          const std::vector<uint32_t> &members);

/// Tokens or flags.
Assignment assignChains(const SyncProblem &problem, const Order &order,
                        const Units &units,
                        const std::vector<uint32_t> &members);

/// The largest set of vertices that are pairwise adjacent: a bit mask.
/// adjacent[i] is a mask of up to 64 vertices. The search ends after `steps`
/// steps with the largest set so far.
uint64_t largestClique(const std::vector<uint64_t> &adjacent, int64_t steps);

/// Colours, from 0, of up to 64 vertices such that adjacent ones differ; as
/// few as can be unless the search ends after `steps` steps, which `isMinimal`
/// then tells.
struct SmallColoring {
  std::vector<uint32_t> colors;
  uint32_t count = 0;
  bool isMinimal = false;
};
SmallColoring colorSmallGraph(const std::vector<uint64_t> &adjacent,
                              int64_t steps);

} // namespace tally::plan::sync

#endif // TALLY_PLAN_SYNC_COLORING_H
