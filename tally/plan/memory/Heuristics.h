//===- Heuristics.h - the classic one-pass planners -------------*- C++ -*-===//

#ifndef TALLY_PLAN_MEMORY_HEURISTICS_H
#define TALLY_PLAN_MEMORY_HEURISTICS_H

#include "tally/plan/memory/Dive.h"

namespace tally::plan::memory {

enum class Heuristic {
  SizeFirstFit,  ///< largest first, into the lowest gap it fits
  SizeBestFit,   ///< largest first, into the tightest gap
  StartFirstFit, ///< in the order of begins, into the lowest gap
  BreadthBestFit ///< all of the fullest section first, then of the next
};
inline constexpr Heuristic kHeuristics[] = {
    Heuristic::SizeFirstFit, Heuristic::SizeBestFit, Heuristic::StartFirstFit,
    Heuristic::BreadthBestFit};
const char *heuristicName(Heuristic heuristic);

/// O(n + pairs that meet). Sources: first and best fit are folklore; by size
/// and by breadth Pisarchyk and Lee, 2020 (arXiv 2001.03288).
Packing packClassic(const Instance &instance, Heuristic heuristic);

} // namespace tally::plan::memory

#endif // TALLY_PLAN_MEMORY_HEURISTICS_H
